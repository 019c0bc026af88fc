/* gpt2: train a GPT-2, let it write, look into its files.
 *
 * To read the program, in this order:
 *   1. gpt2_forward.c, gpt2_backward.c  what each kernel computes, in plain loops; kernels.h lists them
 *   2. model.h, model.c                 the tensors, and the kernels called one after the other
 *   3. files.h, checkpoint.c, text.c    the files: checkpoints, training states, tokens, vocabularies
 *   4. gpt2.c, train.c, generate.c, inspect.c  the commands, with options.h for their arguments
 *   5. simd.h, gemm.c                   vectors, and the fast matrix product
 *   6. matmul.c, attention.c, layernorm.c, pointwise.c, softmax.c, encoder.c, adamw.c  the same kernels made fast
 *   7. ladder/                          linear layers on the way from plain to fast
 * common.h, which all of them use, holds errors, memory and whole files.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* A thread that waits for another one spins, unless it is told to sleep. Where other programs want the cores as well,
 * all then wait for a thread that gets no core, and training takes many times as long. OpenMP reads its environment
 * before main begins, so the program starts once more. Where that does not work, it goes on as it is. */
static void let_threads_sleep(char **argv) {
#ifdef _OPENMP
    if (getenv("OMP_WAIT_POLICY") == NULL && setenv("OMP_WAIT_POLICY", "passive", 1) == 0) {
        execv("/proc/self/exe", argv);
    }
#else
    (void)argv;
#endif
}

int main(int argc, char **argv) {
    let_threads_sleep(argv);
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
