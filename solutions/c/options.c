#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static void print_help(const Command *command) {
    printf("%s\n\nUsage: %s\n\n", command->what, command->usage);
    for (int i = 0; i < command->count; i++) {
        const Option *option = &command->options[i];
        static const char *const takes[] = {[TEXT] = " TEXT", [WHOLE] = " N", [NUMBER] = " X", [FLAG] = ""};
        char name[64];
        snprintf(name, sizeof name, "--%s%s", option->name, takes[option->kind]);
        printf("  %-22s %s", name, option->help);
        if (option->kind == WHOLE) {
            printf(" (%d)", *(int *)option->value);
        } else if (option->kind == NUMBER) {
            printf(" (%g)", (double)*(float *)option->value);
        }
        putchar('\n');
    }
}

static void set_option(const Command *command, const Option *option, const char *text) {
    if (option->kind == TEXT) {
        *(const char **)option->value = text;
        return;
    }
    char *end;
    errno = 0;
    double number = option->kind == WHOLE ? (double)strtol(text, &end, 10) : strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0) {
        fail("--%s takes %s, not '%s'. See gpt2 %s --help.", option->name,
             option->kind == WHOLE ? "a whole number" : "a number", text, command->name);
    }
    if (!(number >= option->least && number <= option->most)) {
        fail("--%s lies between %g and %g; '%s' does not.", option->name, option->least, option->most, text);
    }
    if (option->kind == WHOLE) {
        *(int *)option->value = (int)number;
    } else {
        *(float *)option->value = (float)number;
    }
}

enum { MOST_GIVEN = 64 };
static const char *given[MOST_GIVEN]; /* names of the options on the command line */
static int given_count;

static int was_given(const char *name, size_t length) {
    for (int i = 0; i < given_count; i++) {
        if (strlen(given[i]) == length && strncmp(given[i], name, length) == 0) {
            return 1;
        }
    }
    return 0;
}

void refuse_options(const char *names, const char *why) {
    for (size_t length; *names != '\0'; names += length + (names[length] == ' ')) {
        length = strcspn(names, " ");
        if (was_given(names, length)) {
            fail("--%.*s has no effect %s: leave it out.", (int)length, names, why);
        }
    }
}

void read_options(const Command *command, int argc, char **argv) {
    for (int next = 0; next < argc; next++) {
        const char *word = argv[next];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(command);
            exit(0);
        }
        if (strncmp(word, "--", 2) != 0) {
            if (command->file == NULL || *command->file != NULL) {
                fail("'%s' is one argument too many. Usage: %s", word, command->usage);
            }
            *command->file = word;
            continue;
        }
        const Option *found = NULL;
        for (int i = 0; i < command->count; i++) {
            if (strcmp(command->options[i].name, word + 2) == 0) {
                found = &command->options[i];
            }
        }
        if (found == NULL) {
            fail("there is no option %s. See gpt2 %s --help.", word, command->name);
        }
        if (!was_given(found->name, strlen(found->name)) && given_count < MOST_GIVEN) {
            given[given_count++] = found->name;
        }
        if (found->kind == FLAG) {
            *(int *)found->value = 1;
        } else if (next + 1 == argc) {
            fail("%s needs a value. See gpt2 %s --help.", word, command->name);
        } else {
            set_option(command, found, argv[++next]);
        }
    }
    if (command->file != NULL && *command->file == NULL) {
        fail("which file? Usage: %s", command->usage);
    }
}
