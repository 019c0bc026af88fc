/* Rung 3: blocks. A pass over all weights for every row brings them from far away each time. Here a block of weights is
 * used for many rows while it is in the cache, and four rows of it are added at once, so that a number of the result is
 * loaded and stored a quarter as often. */
#include <stdlib.h>
#include <string.h>

#include "../kernels.h"

enum { DEEP = 64, WIDE = 256 }; /* a block of 64 KB */

/* c (m, n) += a (m, k) b (k, n): a is given by its steps down and right, b and c by the width of their rows. */
static void add_product(float *restrict c, size_t c_width, const float *a, size_t down, size_t right,
                        const float *restrict b, size_t b_width, size_t m, size_t n, size_t k) {
    for (size_t p0 = 0; p0 < k; p0 += DEEP) {
        size_t p1 = p0 + DEEP < k ? p0 + DEEP : k;
        for (size_t j0 = 0; j0 < n; j0 += WIDE) {
            size_t j1 = j0 + WIDE < n ? j0 + WIDE : n;
            for (size_t i = 0; i < m; i++) {
                float *row = c + i * c_width;
                size_t p = p0;
                for (; p + 4 <= p1; p += 4) {
                    const float *at = a + i * down + p * right, *b0 = b + p * b_width;
                    const float *b1 = b0 + b_width, *b2 = b1 + b_width, *b3 = b2 + b_width;
                    float x0 = at[0], x1 = at[right], x2 = at[2 * right], x3 = at[3 * right];
                    for (size_t j = j0; j < j1; j++) {
                        row[j] += x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j];
                    }
                }
                for (; p < p1; p++) {
                    float x = a[i * down + p * right];
                    for (size_t j = j0; j < j1; j++) {
                        row[j] += x * b[p * b_width + j];
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
    add_product(out, OC, inp, C, 1, transposed, OC, R, OC, C);
    free(transposed);
}

void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    size_t R = (size_t)B * T;
    add_product(dinp, C, dout, OC, 1, weight, C, R, C, OC);
    add_product(dweight, C, dout, 1, OC, inp, C, OC, C, R);
    for (size_t r = 0; dbias != NULL && r < R; r++) {
        for (int o = 0; o < OC; o++) {
            dbias[o] += dout[r * OC + o];
        }
    }
}
