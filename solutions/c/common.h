/* What every part of the program needs: an exit with a message, memory, and files that are whole or not there. */
#ifndef COMMON_H
#define COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Every file of this program starts with this many int32. The first says what it is, the second is a version. */
enum { HEADER = 256 };

/* Prints "gpt2: ..." and ends with exit code 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *allocate(size_t bytes, const char *what);

/* A file that is read from front to back. If it ends too early, the program ends with a message. */
typedef struct {
    FILE *file;
    const char *path;
    uint64_t size;
} Input;

Input open_input(const char *path);
void read_input(Input *input, void *to, size_t bytes);
void close_input(Input *input);

/* A file that appears under its name when it is complete: it is written under another name, flushed and renamed. When
 * anything goes wrong, what was there before stays, and the program ends with the reason. */
typedef struct {
    FILE *file;
    const char *path;
    char *aside;
} Output;

Output open_output(const char *path);
void write_output(Output *output, const void *from, size_t bytes);
void close_output(Output *output);

/* Ends the program now if a file could not be written to this path later. */
void try_output(const char *path);

/* Seconds since some moment; only differences mean something. */
double seconds(void);

/* Random numbers without a state: the n-th number of a sequence that `seed` names. The number of a step
 * determines its random numbers, so a resumed training draws what one that never stopped would have drawn. */
uint64_t random_bits(uint64_t seed, uint64_t n);
float random_uniform(uint64_t seed, uint64_t n); /* from 0 inclusive to 1 exclusive */
float random_normal(uint64_t seed, uint64_t n);  /* mean 0, variance 1 */

#endif
