/* Rung 2: the same sums, loops exchanged. The inner loop now runs along a row of the result and a row of what is
 * multiplied, both one after the other in memory, and its iterations do not depend on each other: the compiler
 * makes vectors of it. Forward, that needs the weights transposed, once for each call. */
#include <stdlib.h>
#include <string.h>

#include "../kernels.h"

/* A row of the result, plus x times a row. */
static void add_row(float *out, const float *row, float x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i] += x * row[i];
    }
}

void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    float *transposed = malloc((size_t)C * OC * sizeof(float));
    for (size_t o = 0; o < (size_t)OC; o++) {
        for (size_t c = 0; c < (size_t)C; c++) {
            transposed[c * OC + o] = weight[o * C + c];
        }
    }
    for (size_t r = 0; r < (size_t)B * T; r++) {
        float *row = out + r * OC;
        memset(row, 0, (size_t)OC * sizeof(float));
        if (bias != NULL) {
            add_row(row, bias, 1.0f, OC);
        }
        for (int c = 0; c < C; c++) {
            add_row(row, transposed + (size_t)c * OC, inp[r * C + c], OC);
        }
    }
    free(transposed);
}

void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (size_t r = 0; r < (size_t)B * T; r++) {
        for (int o = 0; o < OC; o++) {
            float d = dout[r * OC + o];
            add_row(dinp + r * C, weight + (size_t)o * C, d, C);
            add_row(dweight + (size_t)o * C, inp + r * C, d, C);
        }
        if (dbias != NULL) {
            add_row(dbias, dout + r * OC, 1.0f, OC);
        }
    }
}
