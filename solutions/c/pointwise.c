/* What is done to every number by itself: GELU and the residual connection, forward and backward. */
#include "kernels.h"
#include "simd.h"

/* 0.5 (1 + tanh u) = 1 / (1 + e^-2u), so GELU(x) = x s with s = 1 / (1 + e^-2u): one exponential, and nothing cancels.
 * Its derivative is s + x s (1 - s) 2 u', and 1 - s = e^-2u s. */
static inline float minus_2u(float x) {
    return -2.0f * 0.79788456f * (x + 0.044715f * x * x * x);
}

static inline float derivative_2u(float x) {
    return 2.0f * 0.79788456f * (1.0f + 3.0f * 0.044715f * x * x);
}

void gelu_forward(float *out, const float *inp, int N) {
#pragma omp parallel for
    for (size_t first = 0; first < (size_t)N; first += CHUNK) {
        size_t last = minimum(first + CHUNK, N);
#pragma omp simd
        for (size_t n = first; n < last; n++) {
            out[n] = inp[n] / (1.0f + exponential(minus_2u(inp[n])));
        }
    }
}

void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
#pragma omp parallel for
    for (size_t first = 0; first < (size_t)N; first += CHUNK) {
        size_t last = minimum(first + CHUNK, N);
#pragma omp simd
        for (size_t n = first; n < last; n++) {
            float x = inp[n];
            float e = exponential(minus_2u(x));
            float s = 1.0f / (1.0f + e);
            dinp[n] += dout[n] * (s + x * s * (e * s) * derivative_2u(x));
        }
    }
}

void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
#pragma omp parallel for simd
    for (size_t n = 0; n < (size_t)N; n++) {
        out[n] = inp1[n] + inp2[n];
    }
}

void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
#pragma omp parallel for simd
    for (size_t n = 0; n < (size_t)N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] += dout[n];
    }
}
