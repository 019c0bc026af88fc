/* gpt2: train a GPT-2, let it write, look into its files. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "commands.h"
#include "common.h"
#include "simd.h"

#ifdef PLAIN_KERNELS
const char *const built_for = "the plain kernels";
#elif LANES == 16
const char *const built_for = "AVX-512, 16 numbers at once";
#elif LANES == 8
const char *const built_for = "AVX, 8 numbers at once";
#else
const char *const built_for = "vectors of 4 numbers";
#endif

void use_threads(int threads) {
#ifdef _OPENMP
    if (threads > 0) {
        omp_set_num_threads(threads);
    }
#else
    if (threads > 1) {
        fail("this gpt2 was built without OpenMP and has one thread, not %d.", threads);
    }
#endif
}

int threads_used(void) {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

int main(int argc, char **argv) {
    static const struct {
        const char *name, *what;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"train", "train a model on a file of tokens", train},
        {"generate", "let a model go on with a text", generate},
        {"inspect", "show what is in a file", inspect},
    };
    const int count = sizeof commands / sizeof *commands;
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is then an error that can be reported */
    for (int i = 0; argc > 1 && i < count; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    int asked = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (argc > 1 && !asked) {
        fail("there is no command '%s': it is train, generate or inspect. See gpt2 --help.", argv[1]);
    }
    printf("GPT-2 in C (built for %s, %d threads).\n\n", built_for, threads_used());
    for (int i = 0; i < count; i++) {
        printf("  gpt2 %-10s %s\n", commands[i].name, commands[i].what);
    }
    printf("\ngpt2 COMMAND --help says more.\n");
    return asked ? 0 : 1;
}
