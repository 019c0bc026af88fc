/* The vectors of tokens and of positions, forward and backward. */
#include "kernels.h"
#include "simd.h"

void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
#pragma omp parallel for
    for (size_t row = 0; row < (size_t)B * T; row++) {
        const float *token = wte + (size_t)inp[row] * C;
        const float *position = wpe + row % T * C;
        float *y = out + row * C;
#pragma omp simd
        for (int c = 0; c < C; c++) {
            y[c] = token[c] + position[c];
        }
    }
}

/* A repeated token adds to its row of dwte again, so each thread has some columns of all rows. */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
#pragma omp parallel for
    for (int first = 0; first < C; first += STRIPE) {
        int last = (int)minimum(first + STRIPE, C);
        for (size_t row = 0; row < (size_t)B * T; row++) {
            const float *d = dout + row * C;
            float *token = dwte + (size_t)inp[row] * C;
            float *position = dwpe + row % T * C;
#pragma omp simd
            for (int c = first; c < last; c++) {
                token[c] += d[c];
                position[c] += d[c];
            }
        }
    }
}
