/* Layer normalisation, forward and backward: row after row, a few passes over each, all of them in vectors. */
#include <math.h>

#include "kernels.h"
#include "simd.h"

void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
#pragma omp parallel for
    for (size_t row = 0; row < (size_t)B * T; row++) {
        const float *x = inp + row * C;
        float *y = out + row * C;
        float sum = 0.0f, squares = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < C; c++) {
            sum += x[c];
        }
        float m = sum / C;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < C; c++) {
            squares += (x[c] - m) * (x[c] - m);
        }
        float s = 1.0f / sqrtf(squares / C + 1e-5f);
#pragma omp simd
        for (int c = 0; c < C; c++) {
            y[c] = (x[c] - m) * s * weight[c] + bias[c];
        }
        mean[row] = m;
        rstd[row] = s;
    }
}

/* The rows share nothing in dinp. All rows add to dweight and dbias: there each thread has some columns of all rows. */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    size_t R = (size_t)B * T;
#pragma omp parallel
    {
#pragma omp for nowait
        for (size_t row = 0; row < R; row++) {
            const float *d = dout + row * C;
            const float *x = inp + row * C;
            float *dx = dinp + row * C;
            float m = mean[row], s = rstd[row], sum_g = 0.0f, sum_gn = 0.0f;
#pragma omp simd reduction(+ : sum_g, sum_gn)
            for (int c = 0; c < C; c++) {
                float g = d[c] * weight[c];
                sum_g += g;
                sum_gn += g * ((x[c] - m) * s);
            }
            float mean_g = sum_g / C, mean_gn = sum_gn / C;
#pragma omp simd
            for (int c = 0; c < C; c++) {
                dx[c] += s * (d[c] * weight[c] - mean_g - (x[c] - m) * s * mean_gn);
            }
        }
#pragma omp for
        for (int first = 0; first < C; first += STRIPE) {
            int last = (int)minimum(first + STRIPE, C);
            for (size_t row = 0; row < R; row++) {
                const float *d = dout + row * C;
                const float *x = inp + row * C;
                float m = mean[row], s = rstd[row];
#pragma omp simd
                for (int c = first; c < last; c++) {
                    dbias[c] += d[c];
                    dweight[c] += d[c] * ((x[c] - m) * s);
                }
            }
        }
    }
}
