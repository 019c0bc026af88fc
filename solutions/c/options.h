/* Options on the command line, from a table that is their help as well. */
#ifndef OPTIONS_H
#define OPTIONS_H

typedef enum { TEXT, WHOLE, NUMBER, FLAG } OptionKind;

typedef struct {
    const char *name; /* without the two dashes */
    OptionKind kind;
    void *value; /* const char **, int *, float *, int *: one for each kind; what is there before is the default */
    const char *help;
    double least, most; /* what a number may be */
} Option;

typedef struct {
    const char *name, *what, *usage;
    const char **file; /* the argument without a name, or NULL if the command takes none */
    const Option *options;
    int count;
} Command;

/* Reads the arguments after the command's name. --help prints everything and ends. */
void read_options(const Command *command, int argc, char **argv);

/* Ends the program if one of these options, with blanks between their names, was given: it would have no effect. `why`
 * goes on after "--lr has no effect". */
void refuse_options(const char *names, const char *why);

#endif
