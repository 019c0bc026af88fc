/* The optimiser's step: it reads four arrays once and writes three, so memory is the limit. */
#include <math.h>

#include "kernels.h"
#include "simd.h"

void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    /* In double: a power rounded to float would leave 1 - 0.999^2 with only five right digits. */
    float correction1 = (float)(1.0 / (1.0 - pow(beta1, t)));
    float correction2 = (float)(1.0 / (1.0 - pow(beta2, t)));
#pragma omp parallel for
    for (size_t first = 0; first < (size_t)n; first += CHUNK) {
        size_t last = minimum(first + CHUNK, n);
#pragma omp simd
        for (size_t i = first; i < last; i++) {
            m[i] = beta1 * m[i] + (1.0f - beta1) * grads[i];
            v[i] = beta2 * v[i] + (1.0f - beta2) * grads[i] * grads[i];
            float step = m[i] * correction1 / (sqrtf(v[i] * correction2) + eps);
            params[i] -= lr * (step + weight_decay * params[i]);
        }
    }
}
