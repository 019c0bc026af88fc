/* The program's commands: each reads its own arguments and returns the exit code. */
#ifndef COMMANDS_H
#define COMMANDS_H

int train(int argc, char **argv);
int generate(int argc, char **argv);
int inspect(int argc, char **argv);

/* Use this number of threads from now on; 0 leaves the choice to OpenMP. */
void use_threads(int threads);

/* How many threads there are, and the vectors of the processor that the program was compiled for. */
int threads_used(void);
extern const char *const built_for;

#endif
