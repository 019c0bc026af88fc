/* Rung 1: by definition. Every number of a result is one sum, from front to back.
 *
 * The backward pass walks down columns: neighbours in its inner loops are a whole row apart in memory. And a sum of
 * floats may not be reordered, so the compiler adds one number at a time. */
#include "../kernels.h"

void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    for (size_t r = 0; r < (size_t)B * T; r++) {
        for (int o = 0; o < OC; o++) {
            float sum = bias == NULL ? 0.0f : bias[o];
            for (int c = 0; c < C; c++) {
                sum += inp[r * C + c] * weight[(size_t)o * C + c];
            }
            out[r * OC + o] = sum;
        }
    }
}

void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    size_t R = (size_t)B * T;
    for (size_t r = 0; r < R; r++) {
        for (int c = 0; c < C; c++) {
            float sum = 0.0f;
            for (int o = 0; o < OC; o++) {
                sum += dout[r * OC + o] * weight[(size_t)o * C + c];
            }
            dinp[r * C + c] += sum;
        }
    }
    for (int o = 0; o < OC; o++) {
        for (int c = 0; c < C; c++) {
            float sum = 0.0f;
            for (size_t r = 0; r < R; r++) {
                sum += dout[r * OC + o] * inp[r * C + c];
            }
            dweight[(size_t)o * C + c] += sum;
        }
        for (size_t r = 0; dbias != NULL && r < R; r++) {
            dbias[o] += dout[r * OC + o];
        }
    }
}
