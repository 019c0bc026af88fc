/* Files of tokens, vocabularies, and text to tokens. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

static void read_magic(Input *input, int32_t *header, int magic, int version, const char *what) {
    read_input(input, header, HEADER * sizeof *header);
    if (header[0] != magic || header[1] != version) {
        fail("%s is not %s: it starts with %d, %d in place of %d, %d.", input->path, what, header[0], header[1], magic,
             version);
    }
}

Tokens load_tokens(const char *path, int vocab_size) {
    int32_t header[HEADER];
    Input input = open_input(path);
    read_magic(&input, header, TOKENS_MAGIC, TOKENS_VERSION, "a file of tokens");
    if (header[2] < 2 || input.size != HEADER * 4 + 2 * (uint64_t)header[2]) {
        fail("%s is %s: its header announces %d tokens, two bytes each, and %lld bytes follow.", path,
             header[2] < 2 ? "too short" : input.size < HEADER * 4 + 2 * (uint64_t)header[2] ? "truncated" : "too long",
             header[2], (long long)input.size - HEADER * 4);
    }
    Tokens tokens = {.count = (size_t)header[2]};
    tokens.ids = allocate(tokens.count * sizeof *tokens.ids, path);
    read_input(&input, tokens.ids, tokens.count * sizeof *tokens.ids);
    close_input(&input);
    for (size_t i = 0; i < tokens.count; i++) {
        if (tokens.ids[i] >= vocab_size) {
            fail("token %zu of %s is %d, but the model's vocab_size is %d.", i, path, tokens.ids[i], vocab_size);
        }
    }
    return tokens;
}

static Vocabulary allocate_vocabulary(int size, size_t bytes) {
    return (Vocabulary){
        .size = size,
        .end = -1,
        .all = allocate(bytes, "the vocabulary"),
        .bytes = allocate((size_t)size * sizeof(unsigned char *), "the vocabulary"),
        .lengths = allocate((size_t)size * sizeof(int), "the vocabulary"),
    };
}

Vocabulary load_vocabulary(const char *path) {
    int32_t header[HEADER];
    Input input = open_input(path);
    read_magic(&input, header, VOCABULARY_MAGIC, VOCABULARY_VERSION, "a vocabulary");
    size_t left = (size_t)input.size - sizeof header;
    if (header[2] < 1 || (size_t)header[2] > left) {
        fail("%s is truncated: its header announces %d tokens, and %zu bytes follow.", path, header[2], left);
    }
    Vocabulary vocabulary = allocate_vocabulary(header[2], left);
    vocabulary.end = header[3];
    const unsigned char *entry = vocabulary.all; /* one byte with the number of bytes, and these bytes */
    read_input(&input, vocabulary.all, left);
    close_input(&input);
    for (int id = 0; id < vocabulary.size; id++) {
        if (left < 1 || left - 1 < entry[0]) {
            fail("%s is truncated: it ends in token %d of %d.", path, id, vocabulary.size);
        }
        vocabulary.lengths[id] = entry[0];
        vocabulary.bytes[id] = entry + 1;
        left -= 1 + (size_t)entry[0];
        entry += 1 + entry[0];
    }
    return vocabulary;
}

Vocabulary bytes_vocabulary(void) {
    Vocabulary vocabulary = allocate_vocabulary(256, 256);
    for (int id = 0; id < 256; id++) {
        vocabulary.all[id] = (unsigned char)id;
        vocabulary.bytes[id] = &vocabulary.all[id];
        vocabulary.lengths[id] = 1;
    }
    return vocabulary;
}

void free_vocabulary(Vocabulary *vocabulary) {
    free(vocabulary->all);
    free(vocabulary->bytes);
    free(vocabulary->lengths);
}

/* The id of some bytes, or -1. */
static int find_token(const Vocabulary *vocabulary, const unsigned char *bytes, int length) {
    for (int id = 0; id < vocabulary->size; id++) {
        if (vocabulary->lengths[id] == length && memcmp(vocabulary->bytes[id], bytes, (size_t)length) == 0) {
            return id;
        }
    }
    return -1;
}

static int is_letter(unsigned char c) {
    return isalpha(c) || c >= 0x80; /* what is not ASCII counts as letters */
}

static int is_other(unsigned char c) {
    return c != '\0' && !isspace(c) && !isdigit(c) && !is_letter(c);
}

static size_t run_length(const unsigned char *text, int (*belongs)(unsigned char)) {
    size_t length = 0;
    while (text[length] != '\0' && belongs(text[length])) {
        length++;
    }
    return length;
}

static int is_digit(unsigned char c) {
    return isdigit(c) != 0;
}

static int is_space(unsigned char c) {
    return isspace(c) != 0;
}

/* Bytes of the next piece, as GPT-2 cuts a text before it merges: 's and the like; letters, digits or other signs, with
 * one space before them; else white space, of which the last stays with the word that follows. */
static size_t piece_length(const unsigned char *text) {
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (strncmp((const char *)text, endings[i], length) == 0) {
            return length;
        }
    }
    size_t space = text[0] == ' ';
    int (*const kinds[])(unsigned char) = {is_letter, is_digit, is_other};
    for (int kind = 0; kind < 3; kind++) {
        size_t length = run_length(text + space, kinds[kind]);
        if (length > 0) {
            return space + length;
        }
    }
    size_t white = run_length(text, is_space);
    return white > 1 && text[white] != '\0' ? white - 1 : white;
}

/* Merge neighbours, the merge with the lowest id first, until no two make a token. Returns how many parts are left, and
 * where each starts. */
static size_t merge_bytes(const Vocabulary *vocabulary, const unsigned char *text, size_t length, size_t *starts) {
    size_t parts = length;
    for (size_t i = 0; i <= length; i++) {
        starts[i] = i;
    }
    for (;;) {
        int best = INT_MAX;
        size_t where = 0;
        for (size_t i = 0; i + 2 <= parts; i++) {
            int id = find_token(vocabulary, text + starts[i], (int)(starts[i + 2] - starts[i]));
            if (id >= 0 && id < best) {
                best = id;
                where = i;
            }
        }
        if (best == INT_MAX) {
            return parts;
        }
        memmove(&starts[where + 1], &starts[where + 2], (parts - where - 1) * sizeof *starts);
        parts--;
    }
}

int encode_text(const Vocabulary *vocabulary, const char *string, int *ids, int most) {
    const unsigned char *text = (const unsigned char *)string;
    size_t *starts = allocate((strlen(string) + 1) * sizeof *starts, "a text");
    int count = 0;
    while (*text != '\0') {
        size_t length = piece_length(text), parts = merge_bytes(vocabulary, text, length, starts);
        for (size_t i = 0; i < parts; i++, count++) {
            int id = find_token(vocabulary, text + starts[i], (int)(starts[i + 1] - starts[i]));
            if (id < 0) {
                fail("the vocabulary has no token for the byte 0x%02x.", text[starts[i]]);
            }
            if (count < most) {
                ids[count] = id;
            }
        }
        text += length;
    }
    free(starts);
    return count;
}
