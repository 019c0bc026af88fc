/* The matrix product that all fast kernels are made of. It is not itself a kernel of the exercises: see gemm.c. */
#ifndef GEMM_H
#define GEMM_H

#include <stddef.h>

/* A view of numbers in memory as a matrix: entry (i, j) is data[i * row_stride + j * column_stride]. */
typedef struct {
    const float *data;
    size_t row_stride;
    size_t column_stride;
} Matrix;

/* Row-major numbers, `width` from one row to the next, as a matrix; and the transpose of that matrix. */
static inline Matrix matrix(const float *data, size_t width) {
    return (Matrix){data, width, 1};
}

static inline Matrix transpose(const float *data, size_t width) {
    return (Matrix){data, 1, width};
}

/* Whether a product replaces the numbers in the result, or is added to them. */
typedef enum { WRITE, ADD } Mode;

/* c (m, n) = a (m, k) b (k, n), with `width` from one row of c to the next, by all threads.
 * WRITE: plus bias[j] in column j, unless bias is NULL. ADD: plus the numbers in c.
 * It is not re-entrant: one call at a time, and none from within a parallel region. */
void gemm(float *c, size_t width, Matrix a, Matrix b, size_t m, size_t n, size_t k, Mode mode, const float *bias);

/* The same without bias, by the calling thread alone, also within a parallel region: attention's small products. */
void gemm_single_thread(float *c, size_t width, Matrix a, Matrix b, size_t m, size_t n, size_t k, Mode mode);

#endif
