/* The matrix product that all fast kernels are made of. Not one of the contract's kernels: see gemm.c. */
#ifndef GEMM_H
#define GEMM_H

#include <stddef.h>

/* A view of numbers in memory as a matrix: entry (i, j) is at[i * down + j * right]. */
typedef struct {
    const float *at;
    size_t down;
    size_t right;
} Matrix;

/* A matrix whose rows stand one after the other, `width` apart; and its transpose. */
static inline Matrix rows(const float *at, size_t width) {
    return (Matrix){at, width, 1};
}

static inline Matrix columns(const float *at, size_t width) {
    return (Matrix){at, 1, width};
}

/* What becomes of what stands in the result. */
typedef enum { WRITE, ADD } Mode;

/* c (m, n) = a (m, k) b (k, n), with `width` from one row of c to the next, by all threads.
 * WRITE: plus bias[j] in column j, unless bias is NULL. ADD: plus what stands in c. */
void gemm(float *c, size_t width, Matrix a, Matrix b, size_t m, size_t n, size_t k, Mode mode, const float *bias);

/* The same without bias, by the calling thread alone: for the many small products of attention. */
void gemm_alone(float *c, size_t width, Matrix a, Matrix b, size_t m, size_t n, size_t k, Mode mode);

#endif
