#define _POSIX_C_SOURCE 200809L
#include "common.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void fail(const char *format, ...) {
    va_list arguments;
    fflush(stdout);
    fputs("gpt2: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

void *allocate(size_t bytes, const char *what) {
    /* Whole cache lines, so that no two allocations share a line. */
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    if (memory == NULL) {
        fail("not enough memory: %s needs %.0f MB.", what, (double)bytes / 1e6);
    }
    return memory;
}

Input open_input(const char *path) {
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail("cannot open %s: %s.", path, strerror(errno));
    }
    if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode)) {
        fail("%s is not a file.", path);
    }
    return (Input){.file = file, .path = path, .size = (uint64_t)about.st_size};
}

void read_input(Input *input, void *to, size_t bytes) {
    if (fread(to, 1, bytes, input->file) != bytes) {
        if (ferror(input->file)) {
            fail("cannot read %s: %s.", input->path, strerror(errno));
        }
        fail("%s is truncated: it ends after %llu bytes.", input->path, (unsigned long long)input->size);
    }
}

void close_input(Input *input) {
    fclose(input->file);
}

static _Noreturn void give_up(Output *output) {
    int reason = errno;
    if (output->file != NULL) {
        fclose(output->file);
    }
    unlink(output->aside);
    fail("cannot write %s: %s. What was there before is unchanged.", output->path, strerror(reason));
}

Output open_output(const char *path) {
    Output output = {.path = path, .aside = allocate(strlen(path) + 8, "a file name")};
    sprintf(output.aside, "%s.part", path);
    output.file = fopen(output.aside, "wb");
    if (output.file == NULL) {
        give_up(&output);
    }
    return output;
}

void write_output(Output *output, const void *from, size_t bytes) {
    if (fwrite(from, 1, bytes, output->file) != bytes) {
        give_up(output);
    }
}

void close_output(Output *output) {
    /* Without fsync a crash of the machine could leave the new name on an empty file. */
    if (fflush(output->file) != 0 || fsync(fileno(output->file)) != 0) {
        give_up(output);
    }
    FILE *file = output->file;
    output->file = NULL;
    if (fclose(file) != 0 || rename(output->aside, output->path) != 0) {
        give_up(output);
    }
    free(output->aside);
}

void try_output(const char *path) {
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        fail("cannot write %s: it is a folder.", path);
    }
    Output output = open_output(path);
    fclose(output.file);
    unlink(output.aside);
    free(output.aside);
}

double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t mix(uint64_t x) {
    /* The output function of SplitMix64 (Steele, Lea and Flood 2014). */
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t random_bits(uint64_t seed, uint64_t n) {
    return mix(mix(seed) + (n + 1) * 0x9e3779b97f4a7c15u);
}

float random_uniform(uint64_t seed, uint64_t n) {
    return (float)(random_bits(seed, n) >> 40) / 16777216.0f; /* the 24 bits that a float holds */
}

float random_normal(uint64_t seed, uint64_t n) {
    /* Box and Muller 1958; 1 - u is never 0. */
    float radius = sqrtf(-2.0f * logf(1.0f - random_uniform(seed, 2 * n)));
    return radius * cosf(6.28318531f * random_uniform(seed, 2 * n + 1));
}
