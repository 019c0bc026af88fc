/* Right implementations of the tasks of gpt2_backward, in other styles. */
#include <math.h>
#include <stddef.h>
#include <string.h>

/* encoder_backward: two-sweeps
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int i = 0; i < B * T; i++)
        for (int c = 0; c < C; c++) dwte[inp[i] * C + c] += dout[i * C + c];
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++)
            for (int b = 0; b < B; b++) dwpe[t * C + c] += dout[(b * T + t) * C + c];
}

/* encoder_backward: walking-pointers
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        float *position = dwpe;
        for (int t = 0; t < T; t++) {
            float *token = dwte + C * *inp++;
            for (int c = 0; c < C; c++) {
                *token++ += *dout;
                *position++ += *dout++;
            }
        }
    }
}

/* encoder_backward: sums-of-positions-in-double
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int t = 0; t < T; t++) {
        for (int c = 0; c < C; c++) {
            double sum = 0;
            for (int b = B - 1; b >= 0; b--) {
                float d = dout[b * T * C + t * C + c];
                sum += d;
                dwte[inp[b * T + t] * C + c] += d;
            }
            dwpe[t * C + c] = (float)(dwpe[t * C + c] + sum);
        }
    }
}

/* encoder_backward: channels-shared-out-to-threads
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    #pragma omp parallel for
    for (int c = 0; c < C; c++) {
        for (int i = 0; i < B * T; i++) {
            dwte[(size_t)inp[i] * C + c] += dout[(size_t)i * C + c];
            dwpe[(size_t)(i % T) * C + c] += dout[(size_t)i * C + c];
        }
    }
}

/* encoder_backward: helper-that-adds-rows
 */
static void add_row(float *to, const float *from, int n) {
    while (n-- > 0) to[n] += from[n];
}

void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int i = 0; i < B * T; ++i) {
        add_row(&dwte[inp[i] * C], &dout[i * C], C);
        add_row(&dwpe[i % T * C], &dout[i * C], C);
    }
}

/* encoder_backward: plain-loops
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dposition = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dposition[c] += d[c];
            }
        }
    }
}

/* layernorm_backward: sums-divided-at-the-end
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            int row = b * T + t;
            float sum_g = 0, sum_gx = 0;
            for (int c = 0; c < C; c++) {
                float g = dout[row * C + c] * weight[c];
                sum_g += g;
                sum_gx += g * (inp[row * C + c] - mean[row]);
            }
            for (int c = 0; c < C; c++) {
                float n = (inp[row * C + c] - mean[row]) * rstd[row];
                float g = dout[row * C + c] * weight[c];
                dbias[c] += dout[row * C + c];
                dweight[c] += n * dout[row * C + c];
                dinp[row * C + c] += (C * g - sum_g - n * sum_gx * rstd[row]) * rstd[row] / C;
            }
        }
    }
}

/* layernorm_backward: by-the-textbook
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++, dinp += C, dout += C, inp += C) {
        double s = rstd[i], dmean = 0, dvar = 0;
        for (int c = 0; c < C; c++) {
            double g = (double)dout[c] * weight[c];
            dvar += g * (inp[c] - mean[i]) * -0.5 * s * s * s;
            dmean -= g * s;
        }
        for (int c = 0; c < C; c++) {
            double centred = inp[c] - mean[i];
            dinp[c] += dout[c] * weight[c] * s + dvar * 2 * centred / C + dmean / C;
            dweight[c] += dout[c] * centred * s;
            dbias[c] += dout[c];
        }
    }
}

/* layernorm_backward: parameters-in-a-sweep-of-their-own
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    const int rows = B * T;
    #pragma omp parallel for
    for (int c = 0; c < C; c++) {
        double dw = 0.0, db = 0.0;
        for (int i = 0; i < rows; i++) {
            db += dout[(size_t)i * C + c];
            dw += dout[(size_t)i * C + c] * ((inp[(size_t)i * C + c] - mean[i]) * rstd[i]);
        }
        dweight[c] += (float)dw;
        dbias[c] += (float)db;
    }
    #pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        const float *d = dout + (size_t)i * C, *x = inp + (size_t)i * C;
        float a = 0.0f, b = 0.0f;
        for (int c = 0; c < C; c++) {
            a += d[c] * weight[c];
            b += d[c] * weight[c] * (x[c] - mean[i]) * rstd[i];
        }
        for (int c = 0; c < C; c++)
            dinp[(size_t)i * C + c] +=
                rstd[i] * (d[c] * weight[c] - a / C - (x[c] - mean[i]) * rstd[i] * b / C);
    }
}

/* layernorm_backward: normalised-row-kept
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    float n[C], g[C];
    for (int i = 0; i < B * T; i++) {
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            n[c] = (inp[i * C + c] - mean[i]) * rstd[i];
            g[c] = weight[c] * dout[i * C + c];
            mean_g += g[c];
            mean_gn += g[c] * n[c];
        }
        mean_g /= C;
        mean_gn /= C;
        for (int c = 0; c < C; c++) {
            dbias[c] += dout[i * C + c];
            dweight[c] += dout[i * C + c] * n[c];
            dinp[i * C + c] += rstd[i] * (g[c] - mean_g - n[c] * mean_gn);
        }
    }
}

/* layernorm_backward: plain-loops
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* matmul_backward: three-sweeps
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    int rows = B * T;
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < C; c++) {
            float sum = 0.0f;
            for (int o = 0; o < OC; o++) sum += dout[i * OC + o] * weight[o * C + c];
            dinp[i * C + c] += sum;
        }
    for (int o = 0; o < OC; o++)
        for (int c = 0; c < C; c++) {
            float sum = 0.0f;
            for (int i = 0; i < rows; i++) sum += dout[i * OC + o] * inp[i * C + c];
            dweight[o * C + c] += sum;
        }
    if (!dbias) return;
    for (int o = 0; o < OC; o++)
        for (int i = 0; i < rows; i++) dbias[o] += dout[i * OC + o];
}

/* matmul_backward: double-sums-and-threads
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    #pragma omp parallel for
    for (int o = 0; o < OC; o++) {
        double db = 0;
        for (int i = 0; i < B * T; i++) db += dout[i * OC + o];
        if (dbias != NULL) dbias[o] += (float)db;
        for (int c = 0; c < C; c++) {
            double dw = 0;
            for (int i = 0; i < B * T; i++) dw += (double)dout[i * OC + o] * inp[i * C + c];
            dweight[o * C + c] += (float)dw;
        }
    }
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < B * T; i++) {
        for (int c = 0; c < C; c++) {
            double dx = 0;
            for (int o = 0; o < OC; o++) dx += (double)dout[i * OC + o] * weight[o * C + c];
            dinp[i * C + c] += (float)dx;
        }
    }
}

/* matmul_backward: walking-pointers
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int i = 0; i < B * T; i++, inp += C, dinp += C) {
        const float *w = weight;
        float *dw = dweight;
        for (int o = 0; o < OC; o++) {
            float d = *dout++;
            for (int c = 0; c < C; c++) {
                dinp[c] += d * *w++;
                *dw++ += d * inp[c];
            }
            if (dbias) dbias[o] += d;
        }
    }
}

/* matmul_backward: helper-for-all-three
 */
static void axpy(float *restrict y, const float *restrict x, float a, int n) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}

void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int i = 0; i < B * T; i++) {
        for (int o = 0; o < OC; o++) {
            axpy(dinp + i * C, weight + o * C, dout[i * OC + o], C);
            axpy(dweight + o * C, inp + i * C, dout[i * OC + o], C);
        }
        if (dbias != NULL) axpy(dbias, dout + i * OC, 1.0f, OC);
    }
}

/* matmul_backward: tiles-with-remainders
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    enum { TILE = 4 };
    for (int i = 0; i < B * T; i++) {
        for (int first = 0; first < OC; first += TILE) {
            int last = first + TILE < OC ? first + TILE : OC;
            for (int c = 0; c < C; c++) {
                float sum = 0.0f, x = inp[i * C + c];
                for (int o = first; o < last; o++) {
                    sum += dout[i * OC + o] * weight[o * C + c];
                    dweight[o * C + c] += dout[i * OC + o] * x;
                }
                dinp[i * C + c] += sum;
            }
            for (int o = first; o < last && dbias; o++) dbias[o] += dout[i * OC + o];
        }
    }
}

/* matmul_backward: plain-loops
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* attention_backward: jacobian-written-out
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH, step = 3 * C;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            for (int h = 0; h < NH; h++) {
                int row = b * NH * T * T + h * T * T + t * T;
                const float *d = dout + b * T * C + t * C + h * hs;
                for (int u = 0; u <= t; u++) {
                    int at = b * T * step + u * step + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        datt[row + u] += d[i] * inp[at + i];
                        dinp[at + i] += att[row + u] * d[i];
                    }
                }
                for (int u = 0; u <= t; u++) {
                    for (int w = 0; w <= t; w++) {
                        float same = u == w ? 1.0f : 0.0f;
                        dpreatt[row + w] += att[row + u] * (same - att[row + w]) * datt[row + u];
                    }
                }
                for (int u = 0; u <= t; u++) {
                    int q = b * T * step + t * step + h * hs, k = b * T * step + u * step + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dinp[q + i] += inp[k + i] * dpreatt[row + u] * scale;
                        dinp[k + i] += inp[q + i] * dpreatt[row + u] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: sum-from-the-output
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    const int hs = C / NH;
    const float scale = 1.0f / sqrtf((float)hs);
    #pragma omp parallel for collapse(2)
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                size_t row = (((size_t)b * NH + h) * T + t) * T;
                const float *d = dout + ((size_t)b * T + t) * C + h * hs;
                size_t q = ((size_t)b * T + t) * 3 * C + h * hs;
                float sum = 0.0f; /* of out * dout, which equals the sum of att * datt */
                for (int i = 0; i < hs; i++) {
                    float y = 0.0f;
                    for (int u = 0; u <= t; u++)
                        y += att[row + u] * inp[((size_t)b * T + u) * 3 * C + 2 * C + h * hs + i];
                    sum += y * d[i];
                }
                for (int u = 0; u <= t; u++) {
                    size_t k = ((size_t)b * T + u) * 3 * C + C + h * hs, v = k + C;
                    float da = 0.0f;
                    for (int i = 0; i < hs; i++) da += d[i] * inp[v + i];
                    float dp = att[row + u] * (da - sum);
                    datt[row + u] = da;
                    dpreatt[row + u] = dp;
                    for (int i = 0; i < hs; i++) {
                        dinp[v + i] += att[row + u] * d[i];
                        dinp[q + i] += dp * scale * inp[k + i];
                        dinp[k + i] += dp * scale * inp[q + i];
                    }
                }
            }
        }
    }
}

/* attention_backward: sweep-by-sweep-over-whole-rows
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            const float *in = inp + b * T * 3 * C + h * hs;
            float *din = dinp + b * T * 3 * C + h * hs;
            const float *a = att + (b * NH + h) * T * T;
            float *da = datt + (b * NH + h) * T * T, *dp = dpreatt + (b * NH + h) * T * T;
            const float *d = dout + b * T * C + h * hs;
            for (int t = 0; t < T; t++)
                for (int u = 0; u < T; u++)
                    for (int i = 0; i < hs; i++) {
                        if (u <= t) da[t * T + u] += d[t * C + i] * in[u * 3 * C + 2 * C + i];
                        din[u * 3 * C + 2 * C + i] += a[t * T + u] * d[t * C + i];
                    }
            for (int t = 0; t < T; t++) {
                double sum = 0;
                for (int u = 0; u < T; u++) sum += a[t * T + u] * da[t * T + u];
                for (int u = 0; u < T; u++) dp[t * T + u] += a[t * T + u] * (da[t * T + u] - sum);
            }
            for (int u = 0; u < T; u++)
                for (int t = u; t < T; t++)
                    for (int i = 0; i < hs; i++) {
                        din[t * 3 * C + i] += dp[t * T + u] * in[u * 3 * C + C + i] / sqrtf(hs);
                        din[u * 3 * C + C + i] += dp[t * T + u] * in[t * 3 * C + i] / sqrtf(hs);
                    }
        }
    }
}

/* attention_backward: from-the-last-query-to-the-first
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    double scale = pow(hs, -0.5);
    for (int head = 0; head < B * NH; head++) {
        int b = head / NH, h = head % NH;
        for (int t = T - 1; t >= 0; t--) {
            int row = (head * T + t) * T;
            const float *d = &dout[(b * T + t) * C + h * hs];
            double da[T], sum = 0;
            for (int u = t; u >= 0; u--) {
                da[u] = 0;
                for (int i = 0; i < hs; i++) da[u] += (double)d[i] * inp[(b * T + u) * 3 * C + 2 * C + h * hs + i];
                sum += att[row + u] * da[u];
            }
            for (int u = t; u >= 0; u--) {
                double dp = att[row + u] * (da[u] - sum);
                datt[row + u] += da[u];
                dpreatt[row + u] += dp;
                for (int i = 0; i < hs; i++) {
                    int q = (b * T + t) * 3 * C + h * hs + i, k = (b * T + u) * 3 * C + C + h * hs + i;
                    dinp[q] += scale * dp * inp[k];
                    dinp[k] += scale * dp * inp[q];
                    dinp[k + C] += att[row + u] * d[i];
                }
            }
        }
    }
}

/* attention_backward: plain-loops
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* gelu_backward: in-double
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const double s = sqrt(2 / acos(-1.0));
    for (int n = 0; n < N; n++) {
        double x = inp[n], u = s * (x + 0.044715 * pow(x, 3));
        double slope = 0.5 * (1 + tanh(u)) + 0.5 * x * (1 - pow(tanh(u), 2)) * s * (1 + 3 * 0.044715 * x * x);
        dinp[n] += dout[n] * slope;
    }
}

/* gelu_backward: through-the-hyperbolic-cosine
 */
#define GELU_SCALE sqrtf(2.0f / (float)M_PI)

void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    for (int i = 0; i < N; i++) {
        float x = inp[i], cube = 0.044715f * x * x * x;
        float u = GELU_SCALE * (x + cube);
        float cosh_u = coshf(u);
        float sech2 = 1.0f / (cosh_u * cosh_u);
        float slope = 0.5f * (1.0f + tanhf(u)) + x * 0.5f * sech2 * GELU_SCALE * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[i] += slope * dout[i];
    }
}

/* gelu_backward: as-a-sigmoid
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float a = 2.0f * 0.7978845608f;
    #pragma omp parallel for
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float p = 1.0f / (1.0f + expf(-a * (x + 0.044715f * x * x * x)));
        dinp[n] += dout[n] * (p + x * p * (1.0f - p) * a * (1.0f + 0.134145f * x * x));
    }
}

/* gelu_backward: helper-for-the-slope
 */
static float gelu_slope(float x) {
    float t = tanhf(0.7978846f * x + 0.035677408f * x * x * x);
    return 0.5f + 0.5f * t + x * (1 - t) * (1 + t) * (0.3989423f + 0.053516112f * x * x);
}

void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    while (N--) *dinp++ += gelu_slope(*inp++) * *dout++;
}

/* gelu_backward: plain-loops
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner);
    }
}

/* residual_backward: two-loops
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int i = 0; i < N; i++) dinp1[i] += dout[i];
    for (int i = 0; i < N; i++) dinp2[i] += dout[i];
}

/* residual_backward: walking-pointers
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (const float *end = dout + N; dout != end; dout++) {
        *dinp1++ += *dout;
        *dinp2++ += *dout;
    }
}

/* residual_backward: written-out-sums-and-threads
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    #pragma omp parallel for simd
    for (int n = 0; n < N; n++) {
        float d = dout[n];
        dinp1[n] = dinp1[n] + d;
        dinp2[n] = d + dinp2[n];
    }
}

/* residual_backward: blocks-of-eight-and-the-rest
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    int n = 0;
    for (; n + 8 <= N; n += 8)
        for (int i = 0; i < 8; i++) {
            dinp1[n + i] += dout[n + i];
            dinp2[n + i] += dout[n + i];
        }
    for (; n < N; n++) dinp1[n] += dout[n], dinp2[n] += dout[n];
}

/* residual_backward: helper-for-each-way
 */
static void add_to(float *sum, const float *what, int n) {
    for (int i = n; i-- > 0;) sum[i] += what[i];
}

void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    add_to(dinp1, dout, N);
    add_to(dinp2, dout, N);
}

/* residual_backward: plain-loops
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] += dout[n];
    }
}

/* crossentropy_softmax_backward: target-afterwards
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int i = 0; i < B * T; i++) {
        for (int v = 0; v < V; v++) dlogits[i * Vp + v] += probs[i * Vp + v] * dlosses[i];
        dlogits[i * Vp + targets[i]] -= dlosses[i];
    }
}

/* crossentropy_softmax_backward: walking-pointers
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int i = 0; i < B * T; i++, dlogits += Vp, probs += Vp) {
        int y = *targets++;
        float d = *dlosses++;
        for (int v = 0; v < V; v++) dlogits[v] += d * (probs[v] - (v == y));
    }
}

/* crossentropy_softmax_backward: over-the-padding-which-is-0
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    (void)V;
    #pragma omp parallel for collapse(2)
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            for (int v = 0; v < Vp; v++) {
                float indicator = v == targets[row] ? 1.0f : 0.0f;
                dlogits[row * Vp + v] += (probs[row * Vp + v] - indicator) * dlosses[row];
            }
        }
    }
}

/* crossentropy_softmax_backward: in-double-with-two-cases
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int v = V - 1; v >= 0; v--) {
                int i = b * T + t, at = i * Vp + v;
                double p = probs[at], d = dlosses[i];
                if (v == targets[i]) dlogits[at] = dlogits[at] - (1 - p) * d;
                else dlogits[at] = dlogits[at] + p * d;
            }
}

/* crossentropy_softmax_backward: plain-loops
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d;
            }
        }
    }
}

/* adamw_update: decay-first
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    for (long i = 0; i < n; i++) {
        params[i] *= 1.0f - lr * weight_decay;
        m[i] = beta1 * m[i] + (1.0f - beta1) * grads[i];
        v[i] = beta2 * v[i] + (1.0f - beta2) * (grads[i] * grads[i]);
        params[i] -= lr * (m[i] / (1.0f - powf(beta1, t))) / (sqrtf(v[i] / (1.0f - powf(beta2, t))) + eps);
    }
}

/* adamw_update: moments-by-differences
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    const float c1 = 1 - pow(beta1, t), c2 = 1 - pow(beta2, t);
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        m[i] += (1 - beta1) * (grads[i] - m[i]);
        v[i] += (1 - beta2) * (grads[i] * grads[i] - v[i]);
        float step = m[i] / c1 / (sqrtf(v[i] / c2) + eps);
        params[i] = params[i] - lr * step - lr * weight_decay * params[i];
    }
}

/* adamw_update: in-double
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    double c1 = 1, c2 = 1;
    for (int step = 0; step < t; step++) {
        c1 *= beta1;
        c2 *= beta2;
    }
    for (size_t i = 0; i < (size_t)n; i++) {
        double g = grads[i];
        double first = beta1 * (double)m[i] + (1.0 - beta1) * g;
        double second = beta2 * (double)v[i] + (1.0 - beta2) * g * g;
        double p = params[i];
        p -= lr * (first / (1 - c1) / (sqrt(second / (1 - c2)) + eps) + weight_decay * p);
        m[i] = first;
        v[i] = second;
        params[i] = p;
    }
}

/* adamw_update: step-size-corrected
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float root = sqrtf(1.0f - powf(beta2, t));
    float size = lr / (1.0f - powf(beta1, t));
    while (n-- > 0) {
        float g = *grads++;
        *m = beta1 * *m + (1.0f - beta1) * g;
        *v = beta2 * *v + (1.0f - beta2) * g * g;
        *params = *params * (1.0f - lr * weight_decay) - size * *m++ / (sqrtf(*v++) / root + eps);
        params++;
    }
}

/* adamw_update: three-sweeps
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    for (long i = 0; i < n; i++) m[i] = beta1 * m[i] + (1.0f - beta1) * grads[i];
    for (long i = 0; i < n; i++) v[i] = beta2 * v[i] + (1.0f - beta2) * grads[i] * grads[i];
    float scale1 = 1.0f / (1.0f - powf(beta1, (float)t)), scale2 = 1.0f / (1.0f - powf(beta2, (float)t));
    for (long i = n - 1; i >= 0; i--) {
        float decay = lr * weight_decay * params[i];
        params[i] -= decay + lr * m[i] * scale1 / (sqrtf(v[i] * scale2) + eps);
    }
}

/* adamw_update: decay-after-the-step
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * m_hat / (sqrtf(v_hat) + eps);
        params[i] -= lr * weight_decay * params[i];
    }
}

/* adamw_update: plain-loops
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}
