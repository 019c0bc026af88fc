/* Rung 3: blocks. A pass over all weights for every row reads them from slow memory each time. Here a block of weights
 * stays in the first cache while it is used for all rows. And two rows of the result take four rows of the block at
 * once: what is loaded serves twice, and a number of the result is loaded and stored a quarter as often. */
#include <stdlib.h>
#include <string.h>

#include "../kernels.h"

enum { DEEP = 16, WIDE = 384 }; /* a block of 24 KB */

/* The left factor: entry (i, p) is data[i * row_stride + p * column_stride]. */
typedef struct {
    const float *data;
    size_t row_stride, column_stride;
} Left;

/* Rows r0 and r1 += rows i and i + 1 of a, columns p .. p + 3, times rows of b. */
static inline void add_four(float *restrict r0, float *restrict r1, Left a, size_t i, size_t p,
                            const float *restrict b, size_t b_width, size_t n) {
    const float *x = a.data + i * a.row_stride + p * a.column_stride, *y = x + a.row_stride;
    const float *b0 = b, *b1 = b0 + b_width, *b2 = b1 + b_width, *b3 = b2 + b_width;
    size_t next = a.column_stride;
    float x0 = x[0], x1 = x[next], x2 = x[2 * next], x3 = x[3 * next];
    float y0 = y[0], y1 = y[next], y2 = y[2 * next], y3 = y[3 * next];
    for (size_t j = 0; j < n; j++) {
        r0[j] = r0[j] + x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j];
        r1[j] = r1[j] + y0 * b0[j] + y1 * b1[j] + y2 * b2[j] + y3 * b3[j];
    }
}

static inline void add_one(float *restrict row, float x, const float *restrict b, size_t n) {
    for (size_t j = 0; j < n; j++) {
        row[j] += x * b[j];
    }
}

/* c (m, n) += a (m, k) b (k, n), b and c row-major without gaps. */
static void add_product(float *c, Left a, const float *b, size_t m, size_t n, size_t k) {
    for (size_t j = 0; j < n; j += WIDE) {
        size_t wide = j + WIDE < n ? WIDE : n - j;
        for (size_t p0 = 0; p0 < k; p0 += DEEP) {
            size_t p1 = p0 + DEEP < k ? p0 + DEEP : k;
            for (size_t i = 0; i < m; i += 2) {
                float *row = c + i * n + j;
                size_t p = p0;
                for (; i + 1 < m && p + 4 <= p1; p += 4) {
                    add_four(row, row + n, a, i, p, b + p * n + j, n, wide);
                }
                for (; p < p1; p++) { /* what is left over */
                    const float *x = a.data + i * a.row_stride + p * a.column_stride;
                    add_one(row, x[0], b + p * n + j, wide);
                    if (i + 1 < m) {
                        add_one(row + n, x[a.row_stride], b + p * n + j, wide);
                    }
                }
            }
        }
    }
}

void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    size_t R = (size_t)B * T;
    float *transposed = malloc((size_t)C * OC * sizeof(float));
    for (size_t o = 0; o < (size_t)OC; o++) {
        for (size_t c = 0; c < (size_t)C; c++) {
            transposed[c * OC + o] = weight[o * C + c];
        }
    }
    for (size_t r = 0; r < R; r++) {
        if (bias == NULL) {
            memset(out + r * OC, 0, (size_t)OC * sizeof(float));
        } else {
            memcpy(out + r * OC, bias, (size_t)OC * sizeof(float));
        }
    }
    add_product(out, (Left){inp, C, 1}, transposed, R, OC, C);
    free(transposed);
}

void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    size_t R = (size_t)B * T;
    add_product(dinp, (Left){dout, OC, 1}, weight, R, C, OC);
    add_product(dweight, (Left){dout, 1, OC}, inp, OC, C, R);
    for (size_t r = 0; dbias != NULL && r < R; r++) {
        for (int o = 0; o < OC; o++) {
            dbias[o] += dout[r * OC + o];
        }
    }
}
