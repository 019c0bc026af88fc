/* Linear layers, forward and backward: three matrix products.
 *
 * Seen as matrices, with R = B * T rows:  out (R, OC) = inp (R, C) weight^T,  dinp (R, C) += dout (R, OC) weight,
 * dweight (OC, C) += dout^T inp.
 */
#include "gemm.h"
#include "kernels.h"
#include "simd.h"

/* A few rows, as when text is generated token by token: every weight is used only a few times, so copying weights
 * into a better order would cost more than it saves. Reading them is the limit. */
static void multiply_few_rows(float *out, const float *inp, const float *weight, const float *bias, size_t R, size_t C,
                              size_t OC) {
#pragma omp parallel for
    for (size_t o = 0; o < OC; o++) {
        const float *w = weight + o * C;
        for (size_t r = 0; r < R; r++) {
            const float *x = inp + r * C;
            float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
            for (size_t c = 0; c < C; c++) {
                sum += x[c] * w[c];
            }
            out[r * OC + o] = sum + (bias == NULL ? 0.0f : bias[o]);
        }
    }
}

void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    size_t R = (size_t)B * T;
    if (R < TILE_ROWS) {
        multiply_few_rows(out, inp, weight, bias, R, C, OC);
    } else {
        gemm(out, OC, matrix(inp, C), transpose(weight, C), R, OC, C, WRITE, bias);
    }
}

void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    size_t R = (size_t)B * T;
    gemm(dinp, C, matrix(dout, OC), matrix(weight, C), R, C, OC, ADD, NULL);
    gemm(dweight, C, transpose(dout, OC), matrix(inp, C), OC, C, R, ADD, NULL);
    if (dbias == NULL) {
        return;
    }
#pragma omp parallel for
    for (size_t first = 0; first < (size_t)OC; first += STRIPE) { /* a stripe of columns, down all rows */
        size_t last = minimum(first + STRIPE, OC);
        for (size_t r = 0; r < R; r++) {
            const float *d = dout + r * OC;
            for (size_t o = first; o < last; o++) {
                dbias[o] += d[o];
            }
        }
    }
}
