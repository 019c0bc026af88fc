/* Logits to probabilities, to losses, and back. */
#include <math.h>

#include "kernels.h"
#include "simd.h"

void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
#pragma omp parallel for
    for (size_t row = 0; row < (size_t)B * T; row++) {
        const float *z = logits + row * Vp;
        float *p = probs + row * Vp;
        float largest = -INFINITY, total = 0.0f;
#pragma omp simd reduction(max : largest)
        for (int v = 0; v < V; v++) {
            largest = z[v] > largest ? z[v] : largest;
        }
#pragma omp simd reduction(+ : total)
        for (int v = 0; v < V; v++) {
            p[v] = exponential(z[v] - largest);
            total += p[v];
        }
        float share = 1.0f / total;
#pragma omp simd
        for (int v = 0; v < V; v++) {
            p[v] *= share;
        }
        memset(p + V, 0, (size_t)(Vp - V) * sizeof(float));
    }
}

void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    for (size_t row = 0; row < (size_t)B * T; row++) {
        losses[row] = -logf(probs[row * Vp + targets[row]]);
    }
}

void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
#pragma omp parallel for
    for (size_t row = 0; row < (size_t)B * T; row++) {
        const float *p = probs + row * Vp;
        float *dz = dlogits + row * Vp;
        float d = dlosses[row];
#pragma omp simd
        for (int v = 0; v < V; v++) {
            dz[v] += p[v] * d;
        }
        dz[targets[row]] -= d;
    }
}
