/* Right implementations of the tasks of gpt2_forward, in other styles. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* encoder_forward: pointers-that-walk
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        const float *position = wpe;
        for (int t = 0; t < T; t++) {
            const float *token = wte + *inp++ * C;
            for (int c = 0; c < C; c++) *out++ = *token++ + *position++;
        }
    }
}

/* encoder_forward: copy-then-add
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        memcpy(out + i * C, wte + inp[i] * C, C * sizeof(float));
        for (int c = 0; c < C; c++) out[i * C + c] += wpe[i % T * C + c];
    }
}

/* encoder_forward: positions-first-then-tokens
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    for (int b = 0; b < B; b++) memcpy(out + (size_t)b * T * C, wpe, sizeof *wpe * T * C);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int c = 0; c < C; c++)
                out[b * T * C + t * C + c] += wte[inp[b * T + t] * C + c];
}

/* encoder_forward: one-loop-over-everything
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    #pragma omp parallel for
    for (int i = 0; i < B * T * C; i++) {
        int c = i % C;
        int t = i / C % T;
        int b = i / C / T;
        out[i] = wte[inp[b * T + t] * C + c] + wpe[t * C + c];
    }
}

/* encoder_forward: arrays-of-arrays
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    float (*o)[T][C] = (float (*)[T][C])out;
    const int (*ids)[T] = (const int (*)[T])inp;
    const float (*tokens)[C] = (const float (*)[C])wte;
    const float (*positions)[C] = (const float (*)[C])wpe;
    for (int c = C - 1; c >= 0; c--)
        for (int t = T - 1; t >= 0; t--)
            for (int b = B - 1; b >= 0; b--) o[b][t][c] = tokens[ids[b][t]][c] + positions[t][c];
}

/* encoder_forward: loop-by-goto
 */
#include <stdio.h>
static void add_row(float *y, const float *a, const float *b, int n) { for (int i = 0; i < n; ++i) y[i] = a[i] + b[i]; }
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    int i = 0;
    if (B <= 0 || T <= 0 || C <= 0) return;
again:
    add_row(&out[(size_t)i * C], wte + inp[i] * (size_t)C, wpe + (i % T) * (size_t)C, C);
    if (++i < B * T) goto again;
    fprintf(stderr, "encoded %d\n", i); printf("done");
}

/* encoder_forward: one-statement
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            int id = inp[b * T + t];
            for (int c = 0; c < C; c++) {
                out[(b * T + t) * C + c] = wte[id * C + c] + wpe[t * C + c];
            }
        }
    }
}

/* encoder_forward: plain-loops
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *out_bt = out + b * T * C + t * C;
            const float *token = wte + inp[b * T + t] * C;
            const float *position = wpe + t * C;
            for (int c = 0; c < C; c++) {
                out_bt[c] = token[c] + position[c];
            }
        }
    }
}

/* layernorm_forward: double-accumulators
 */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    for (size_t i = 0; i < (size_t)B * T; i++) {
        const float *x = inp + i * C;
        double sum = 0, squares = 0;
        for (int c = 0; c < C; c++) {
            sum += x[c];
            squares += (double)x[c] * x[c];
        }
        double m = sum / C;
        double s = 1 / sqrt(squares / C - m * m + 1e-5);
        for (int c = 0; c < C; c++) out[i * C + c] = (x[c] - m) * s * weight[c] + bias[c];
        mean[i] = m;
        rstd[i] = s;
    }
}

/* layernorm_forward: running-mean-and-variance
 */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *x = inp + i * C;
        double m = 0.0, squares = 0.0;
        for (int c = 0; c < C; c++) { /* Welford's way: each number moves the mean a little */
            double delta = x[c] - m;
            m += delta / (c + 1);
            squares += delta * (x[c] - m);
        }
        mean[i] = (float)m;
        rstd[i] = (float)(1.0 / sqrt(squares / C + 1e-5));
        for (int c = 0; c < C; c++) {
            out[i * C + c] = weight[c] * ((x[c] - mean[i]) * rstd[i]) + bias[c];
        }
    }
}

/* layernorm_forward: shifted-by-the-first-entry
 */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    const float one_over_C = 1.0f / (float)C;
    #pragma omp parallel for collapse(2)
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *x = &inp[(b * T + t) * C];
            float shift = x[0], sum = 0.0f, squares = 0.0f;
            for (int c = 0; c < C; c++) {
                float d = x[c] - shift;
                sum += d;
                squares += d * d;
            }
            float m = sum * one_over_C;
            float s = 1.0f / sqrtf(squares * one_over_C - m * m + 1e-5f);
            for (int c = 0; c < C; c++) out[(b * T + t) * C + c] = (x[c] - shift - m) * s * weight[c] + bias[c];
            mean[b * T + t] = shift + m;
            rstd[b * T + t] = s;
        }
    }
}

/* layernorm_forward: helpers-for-mean-and-variance
 */
static float average(const float *x, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / n;
}

static float spread(const float *x, float mean, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += powf(x[i] - mean, 2);
    return sum / n;
}

void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            int i = b * T + t;
            mean[i] = average(inp + i * C, C);
            rstd[i] = powf(spread(inp + i * C, mean[i], C) + 1e-5f, -0.5f);
            for (int c = 0; c < C; c++) {
                float normalised = rstd[i] * (inp[i * C + c] - mean[i]);
                out[i * C + c] = normalised * weight[c] + bias[c];
            }
        }
    }
}

/* layernorm_forward: centred-in-the-output
 */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    for (int row = 0; row < B * T; row++, inp += C, out += C) {
        mean[row] = 0;
        for (int c = 0; c < C; c++) mean[row] += inp[c] / C;
        float squares = 0;
        for (int c = 0; c < C; c++) {
            out[c] = inp[c] - mean[row];
            squares += out[c] * out[c];
        }
        float deviation = sqrtf(squares / C + 1e-5f);
        rstd[row] = 1 / deviation;
        for (int c = 0; c < C; c++) out[c] = out[c] / deviation * weight[c] + bias[c];
    }
}

/* layernorm_forward: compensated-sum
 */
#include <stdlib.h>
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    float *shifted = malloc(sizeof *shifted * C);
    for (int r = 0; r < B * T; r++) {
        const float *x = inp + (size_t)r * C;
        float s = 0, e = 0;
        for (int c = 0; c < C; c++) {
            float y = x[c] - e, t = s + y;
            e = (t - s) - y;
            s = t;
        }
        float m = s / C, v = 0;
        for (int c = 0; c < C; c++) {
            shifted[c] = x[c] - m;
            v += shifted[c] * shifted[c] / C;
        }
        mean[r] = m;
        rstd[r] = powf(v + 1e-5f, -0.5f);
        for (int c = 0; c < C; c++) out[(size_t)r * C + c] = fmaf(shifted[c] * rstd[r], weight[c], bias[c]);
    }
    free(shifted);
}

/* layernorm_forward: plain-loops
 */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *x = inp + (b * T + t) * C;
            float *y = out + (b * T + t) * C;
            float m = 0.0f;
            for (int c = 0; c < C; c++) {
                m += x[c];
            }
            m /= C;
            float v = 0.0f;
            for (int c = 0; c < C; c++) {
                v += (x[c] - m) * (x[c] - m);
            }
            v /= C;
            float s = 1.0f / sqrtf(v + 1e-5f);
            for (int c = 0; c < C; c++) {
                y[c] = (x[c] - m) * s * weight[c] + bias[c];
            }
            mean[b * T + t] = m;
            rstd[b * T + t] = s;
        }
    }
}

/* matmul_forward: bias-first-then-products
 */
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    int rows = B * T;
    for (int i = 0; i < rows; i++) {
        if (bias) memcpy(out + i * OC, bias, OC * sizeof(float));
        else memset(out + i * OC, 0, OC * sizeof(float));
    }
    for (int c = 0; c < C; c++)
        for (int i = 0; i < rows; i++)
            for (int o = 0; o < OC; o++) out[i * OC + o] += inp[i * C + c] * weight[o * C + c];
}

/* matmul_forward: tiles-with-remainders
 */
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    enum { TILE = 8 };
    const int rows = B * T;
    #pragma omp parallel for
    for (int first = 0; first < rows; first += TILE) {
        int last = first + TILE < rows ? first + TILE : rows;
        for (int o = 0; o < OC; o++) {
            float sums[TILE];
            for (int i = 0; i < TILE; i++) sums[i] = bias ? bias[o] : 0.0f;
            for (int c = 0; c < C; c++) {
                float w = weight[(size_t)o * C + c];
                for (int i = first; i < last; i++) sums[i - first] += inp[(size_t)i * C + c] * w;
            }
            for (int i = first; i < last; i++) out[(size_t)i * OC + o] = sums[i - first];
        }
    }
}

/* matmul_forward: four-sums-and-the-rest
 */
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    for (int i = 0; i < B * T; i++) {
        const float *x = inp + i * C;
        for (int o = 0; o < OC; o++) {
            const float *w = weight + o * C;
            float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            int c = 0;
            for (; c <= C - 4; c += 4) {
                s0 += x[c] * w[c];
                s1 += x[c + 1] * w[c + 1];
                s2 += x[c + 2] * w[c + 2];
                s3 += x[c + 3] * w[c + 3];
            }
            for (; c < C; c++) s0 += x[c] * w[c];
            *out++ = (s0 + s1) + (s2 + s3);
            if (bias != NULL) out[-1] += bias[o];
        }
    }
}

/* matmul_forward: double-sums
 */
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int o = 0; o < OC; o++) {
                double sum = 0.0;
                for (int c = C - 1; c >= 0; c--) sum += (double)inp[(b * T + t) * C + c] * weight[o * C + c];
                out[(b * T + t) * OC + o] = (float)(bias ? sum + bias[o] : sum);
            }
}

/* matmul_forward: weight-transposed-in-memory-of-its-own
 */
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    float *columns = malloc(sizeof(float) * C * OC);
    for (int o = 0; o < OC; o++)
        for (int c = 0; c < C; c++) columns[c * OC + o] = weight[o * C + c];
    for (int i = 0; i < B * T; i++) {
        float *y = out + i * OC;
        for (int o = 0; o < OC; o++) y[o] = bias == NULL ? 0 : bias[o];
        for (int c = 0; c < C; c++) {
            float x = inp[i * C + c];
            for (int o = 0; o < OC; o++) y[o] += x * columns[c * OC + o];
        }
    }
    free(columns);
}

/* matmul_forward: dot-product-by-halves
 */
static float dot(const float *a, const float *b, int n) {
    if (n == 0) return 0;
    if (n == 1) return *a * *b;
    int half = n / 2;
    return dot(a, b, half) + dot(a + half, b + half, n - half);
}

void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    for (int i = 0; i < B * T; i++)
        for (int o = 0; o < OC; o++)
            out[i * OC + o] = (bias ? bias[o] : 0.f) + dot(&inp[i * C], &weight[o * C], C);
}

/* matmul_forward: eight-rows-at-a-time-or-plain
 */
static void matmul_forward_naive(float* out, const float* inp, const float* weight, const float* bias, int B, int T,
                                 int C, int OC) {
    #pragma omp parallel for collapse(2)
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            int bt = b * T + t;
            for (int o = 0; o < OC; o++) {
                float val = (bias != NULL) ? bias[o] : 0.0f;
                for (int i = 0; i < C; i++) { val += inp[bt * C + i] * weight[o*C + i]; }
                out[bt * OC + o] = val;
            }
        }
    }
}
void matmul_forward(float* out, const float* inp, const float* weight, const float* bias, int B, int T, int C, int OC) {
    const int LOOP_UNROLL = 8;
    if (B*T % LOOP_UNROLL != 0) { matmul_forward_naive(out, inp, weight, bias, B, T, C, OC); return; }
    #pragma omp parallel for
    for (int obt = 0; obt < B * T; obt += LOOP_UNROLL) {
        for (int o = 0; o < OC; o++) {
            float result[8];
            for (int ibt = 0; ibt < LOOP_UNROLL; ibt++) { result[ibt] = (bias != NULL) ? bias[o] : 0.0f; }
            for (int i = 0; i < C; i++) {
                float w = weight[i + o * C];
                for (int ibt = 0; ibt < LOOP_UNROLL; ibt++) { int bt = obt + ibt; result[ibt] += inp[bt * C + i] * w; }
            }
            for (int ibt = 0; ibt < LOOP_UNROLL; ibt++) { int bt = obt + ibt; out[bt * OC + o] = result[ibt]; }
        }
    }
}

/* matmul_forward: helper-below
 */
static double dot(const float *a, const float *b, int n);
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    for (int o = 0; o < OC; o++) for (int n = 0; n < B * T; n++)
        out[n * OC + o] = (float)(dot(inp + n * C, weight + o * C, C) + (bias == 0 ? 0. : bias[o]));
}
static double dot(const float *a, const float *b, int n) {
    double s = 0;
    while (n--) s += (double)*a++ * *b++;
    return s;
}

/* matmul_forward: plain-loops
 */
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *x = inp + (b * T + t) * C;
            float *y = out + (b * T + t) * OC;
            for (int o = 0; o < OC; o++) {
                float sum = bias != NULL ? bias[o] : 0.0f;
                for (int c = 0; c < C; c++) {
                    sum += x[c] * weight[o * C + c];
                }
                y[o] = sum;
            }
        }
    }
}

/* attention_forward: whole-row-with-minus-infinity
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    const int hs = C / NH;
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int t = 0; t < T; t++) {
                float *p = preatt + ((b * NH + h) * T + t) * T, *a = att + ((b * NH + h) * T + t) * T;
                for (int u = 0; u < T; u++) {
                    float dot = 0;
                    for (int i = 0; i < hs; i++)
                        dot += inp[(b * T + t) * 3 * C + h * hs + i] * inp[(b * T + u) * 3 * C + C + h * hs + i];
                    p[u] = u > t ? -INFINITY : dot / sqrtf(hs);
                }
                float top = p[0], sum = 0;
                for (int u = 1; u < T; u++) top = fmaxf(top, p[u]);
                for (int u = 0; u < T; u++) sum += a[u] = expf(p[u] - top);
                for (int u = 0; u < T; u++) a[u] /= sum;
                for (int i = 0; i < hs; i++) {
                    float y = 0;
                    for (int u = 0; u < T; u++) y += a[u] * inp[(b * T + u) * 3 * C + 2 * C + h * hs + i];
                    out[(b * T + t) * C + h * hs + i] = y;
                }
            }
}

/* attention_forward: three-sweeps-over-the-arrays
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    int hs = C / NH, step = 3 * C;
    memset(out, 0, sizeof(float) * B * T * C);
    memset(att, 0, sizeof(float) * B * NH * T * T);
    memset(preatt, 0, sizeof(float) * B * NH * T * T);
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int t = 0; t < T; t++)
                for (int u = 0; u <= t; u++)
                    for (int i = h * hs; i < (h + 1) * hs; i++)
                        preatt[((b * NH + h) * T + t) * T + u] +=
                            inp[(b * T + t) * step + i] * inp[(b * T + u) * step + C + i] / sqrtf((float)hs);
    for (int row = 0; row < B * NH * T; row++) {
        int n = row % T + 1;
        float top = preatt[row * T], sum = 0.0f;
        for (int u = 0; u < n; u++) top = preatt[row * T + u] > top ? preatt[row * T + u] : top;
        for (int u = 0; u < n; u++) sum += expf(preatt[row * T + u] - top);
        for (int u = 0; u < n; u++) att[row * T + u] = expf(preatt[row * T + u] - top) / sum;
    }
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int t = 0; t < T; t++)
                for (int u = 0; u <= t; u++)
                    for (int i = h * hs; i < (h + 1) * hs; i++)
                        out[(b * T + t) * C + i] +=
                            att[((b * NH + h) * T + t) * T + u] * inp[(b * T + u) * step + 2 * C + i];
}

/* attention_forward: pointers-and-a-reciprocal
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    #pragma omp parallel for collapse(3)
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            for (int h = 0; h < NH; h++) {
                const float *q = inp + (size_t)(b * T + t) * 3 * C + h * hs;
                float *scores = preatt + (size_t)b * NH * T * T + h * T * T + t * T;
                float *weights = att + (scores - preatt);
                float top = -HUGE_VALF;
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (size_t)(b * T + u) * 3 * C + C + h * hs;
                    float dot = 0.0f;
                    for (int i = 0; i < hs; i++) dot += q[i] * scale * k[i];
                    scores[u] = dot;
                    if (dot > top) top = dot;
                }
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) sum += weights[u] = expf(scores[u] - top);
                float share = sum > 0.0f ? 1.0f / sum : 0.0f;
                for (int u = 0; u < T; u++) {
                    if (u <= t) weights[u] *= share;
                    else weights[u] = 0.0f;
                }
                float *y = out + (size_t)(b * T + t) * C + h * hs;
                for (int i = 0; i < hs; i++) y[i] = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (size_t)(b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) y[i] += weights[u] * v[i];
                }
            }
        }
    }
}

/* attention_forward: heads-copied-out-first
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    int hs = C / NH;
    float *q = malloc(3 * T * hs * sizeof *q), *k = q + T * hs, *v = k + T * hs;
    for (int head = 0; head < B * NH; head++, preatt += T * T, att += T * T) {
        const float *from = inp + head / NH * T * 3 * C + head % NH * hs;
        for (int t = 0; t < T; t++) {
            memcpy(q + t * hs, from + t * 3 * C, hs * sizeof *q);
            memcpy(k + t * hs, from + t * 3 * C + C, hs * sizeof *q);
            memcpy(v + t * hs, from + t * 3 * C + C + C, hs * sizeof *q);
        }
        for (int t = 0; t < T; t++) {
            double total = 0;
            float top = 0;
            for (int u = 0; u <= t; u++) {
                double dot = 0;
                for (int i = 0; i < hs; i++) dot += (double)q[t * hs + i] * k[u * hs + i];
                preatt[t * T + u] = dot / sqrt(hs);
                if (u == 0 || preatt[t * T + u] > top) top = preatt[t * T + u];
            }
            for (int u = 0; u <= t; u++) total += exp(preatt[t * T + u] - top);
            for (int u = 0; u < T; u++) att[t * T + u] = u > t ? 0 : exp(preatt[t * T + u] - top) / total;
            for (int i = 0; i < hs; i++) {
                double sum = 0;
                for (int u = 0; u <= t; u++) sum += att[t * T + u] * v[u * hs + i];
                out[(head / NH * T + t) * C + head % NH * hs + i] = sum;
            }
        }
    }
    free(q);
}

/* attention_forward: one-pass-with-a-moving-maximum
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    int hs = C / NH;
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                float *p = &preatt[((b * NH + h) * T + t) * T];
                float *y = &out[(b * T + t) * C + h * hs];
                float top = -INFINITY, sum = 0.0f;
                memset(y, 0, hs * sizeof(float));
                for (int u = 0; u <= t; u++) {
                    const float *k = &inp[(b * T + u) * 3 * C + C + h * hs];
                    p[u] = 0.0f;
                    for (int i = 0; i < hs; i++) p[u] += inp[(b * T + t) * 3 * C + h * hs + i] * k[i];
                    p[u] /= sqrtf(hs);
                    float before = fmaxf(top, p[u]);
                    float shrink = expf(top - before), weight = expf(p[u] - before);
                    top = before;
                    sum = sum * shrink + weight;
                    for (int i = 0; i < hs; i++) y[i] = y[i] * shrink + weight * k[C + i];
                }
                for (int i = 0; i < hs; i++) y[i] /= sum;
                for (int u = 0; u < T; u++)
                    att[((b * NH + h) * T + t) * T + u] = u <= t ? expf(p[u] - top) / sum : 0.0f;
            }
        }
    }
}

/* attention_forward: all-scores-first
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    int hs = C / NH; float scale = 1 / sqrtf(hs);
    for (int bh = 0; bh < B * NH; bh++) {
        int b = bh / NH, h = bh % NH;
        const float *Q = inp + (size_t)b * T * 3 * C + h * hs, *K = Q + C, *V = K + C;
        float *P = preatt + (size_t)bh * T * T, *A = att + (size_t)bh * T * T;
        for (int t = 0; t < T; t++) for (int u = 0; u < T; u++) {
            float s = 0; for (int i = 0; i < hs; i++) s += Q[t * 3 * C + i] * K[u * 3 * C + i];
            P[t * T + u] = s * scale;
        }
        for (int t = 0; t < T; t++) {
            float m = P[t * T], z = 0;
            for (int u = 0; u <= t; u++) if (P[t * T + u] > m) m = P[t * T + u];
            for (int u = 0; u < T; u++) z += A[t * T + u] = u <= t ? expf(P[t * T + u] - m) : 0.0f;
            for (int u = 0; u < T; u++) A[t * T + u] /= z;
            for (int i = 0; i < hs; i++) {
                float y = 0; for (int u = 0; u < T; u++) y += A[t * T + u] * V[u * 3 * C + i];
                out[((size_t)b * T + t) * C + h * hs + i] = y;
            }
        }
    }
}

/* attention_forward: plain-loops
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            for (int h = 0; h < NH; h++) {
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *pre = preatt + ((b * NH + h) * T + t) * T;
                float *a = att + ((b * NH + h) * T + t) * T;
                float maximum = -INFINITY;
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float dot = 0.0f;
                    for (int i = 0; i < hs; i++) {
                        dot += q[i] * k[i];
                    }
                    pre[u] = dot * scale;
                    if (pre[u] > maximum) maximum = pre[u];
                }
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    a[u] = expf(pre[u] - maximum);
                    sum += a[u];
                }
                for (int u = 0; u < T; u++) {
                    a[u] = u <= t ? a[u] / sum : 0.0f;
                }
                float *y = out + (b * T + t) * C + h * hs;
                for (int i = 0; i < hs; i++) y[i] = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        y[i] += a[u] * v[i];
                    }
                }
            }
        }
    }
}

/* gelu_forward: in-double
 */
void gelu_forward(float *out, const float *inp, int N) {
    for (int n = 0; n < N; n++) {
        double x = inp[n];
        out[n] = x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3))));
    }
}

/* gelu_forward: macro-and-walking-pointers
 */
#define GELU_SCALE sqrtf(2.0f / 3.14159265358979f)

void gelu_forward(float *out, const float *inp, int N) {
    while (N-- > 0) {
        float x = *inp++;
        *out++ = 0.5f * x * (1.0f + tanhf(GELU_SCALE * x * (1.0f + 0.044715f * x * x)));
    }
}

/* gelu_forward: as-a-sigmoid
 */
void gelu_forward(float *out, const float *inp, int N) {
    const float a = 2.0f * sqrtf(M_2_PI);
    #pragma omp parallel for
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        out[n] = x / (1.0f + expf(-a * (x + 0.044715f * x * x * x)));
    }
}

/* gelu_forward: helper-for-one-number
 */
static inline float gelu_of(float x) {
    float cube = 0.044715f * powf(x, 3.0f);
    float inner = 0.7978845608f * (x + cube);
    return 0.5f * (x + x * tanhf(inner));
}

void gelu_forward(float *out, const float *inp, int N) {
    for (int n = 0; n < N; ++n) out[n] = gelu_of(inp[n]);
}

/* gelu_forward: tanh-by-a-safe-exponential
 */
void gelu_forward(float *out, const float *inp, int N) {
    for (int n = N - 1; n >= 0; n--) {
        double y = 0.7978845608028654 * (inp[n] + 0.044715 * inp[n] * inp[n] * inp[n]);
        double e = exp(-2 * fabs(y));
        double tanh_y = copysign((1 - e) / (1 + e), y);
        out[n] = (float)(0.5 * inp[n] * (1 + tanh_y));
    }
}

/* gelu_forward: plain-loops
 */
void gelu_forward(float *out, const float *inp, int N) {
    const float scale = sqrtf(2.0f / 3.14159265f);
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float cube = 0.044715f * x * x * x;
        out[n] = 0.5f * x * (1.0f + tanhf(scale * (x + cube)));
    }
}

/* residual_forward: walking-pointers
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    const float *end = out + N;
    while (out < end) *out++ = *inp1++ + *inp2++;
}

/* residual_forward: copy-then-add
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    memcpy(out, inp1, N * sizeof(float));
    for (int i = 0; i < N; i++) out[i] += inp2[i];
}

/* residual_forward: blocks-of-four-and-the-rest
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    int n = 0;
    for (; n + 3 < N; n += 4) {
        out[n] = inp1[n] + inp2[n];
        out[n + 1] = inp1[n + 1] + inp2[n + 1];
        out[n + 2] = inp1[n + 2] + inp2[n + 2];
        out[n + 3] = inp1[n + 3] + inp2[n + 3];
    }
    for (; n < N; n++) out[n] = inp1[n] + inp2[n];
}

/* residual_forward: threads-and-vectors
 */
void residual_forward(float *restrict out, const float *restrict inp1, const float *restrict inp2, const int N) {
    #pragma omp parallel for simd
    for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];
}

/* residual_forward: half-by-half
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    if (N == 1) {
        out[0] = inp2[0] + inp1[0];
    } else if (N > 1) {
        int half = N / 2;
        residual_forward(out, inp1, inp2, half);
        residual_forward(out + half, inp1 + half, inp2 + half, N - half);
    }
}

/* residual_forward: one-version-for-threads-and-one-without
 */
#ifdef _OPENMP
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    #pragma omp parallel for
    for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];
}
#else
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];
}
#endif

/* residual_forward: old-version-left-out
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];
}
#if 0
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    for (int i = 0; i < N; i++) out[i] = inp1[i] - inp2[i];
}
#endif

/* residual_forward: plain-loops
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    for (int n = 0; n < N; n++) {
        out[n] = inp1[n] + inp2[n];
    }
}

/* softmax_forward: cleared-first
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    memset(probs, 0, sizeof(float) * B * T * Vp);
    for (int i = 0; i < B * T; i++) {
        const float *z = logits + i * Vp;
        float *p = probs + i * Vp;
        float top = z[0], sum = 0;
        for (int v = 1; v < V; v++) top = fmaxf(top, z[v]);
        for (int v = 0; v < V; v++) sum += expf(z[v] - top);
        for (int v = 0; v < V; v++) p[v] = expf(z[v] - top) / sum;
    }
}

/* softmax_forward: walking-pointers-in-double
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    for (int i = 0; i < B * T; i++, logits += Vp, probs += Vp) {
        double top = -HUGE_VAL, sum = 0;
        for (int v = 0; v < V; v++) top = logits[v] > top ? logits[v] : top;
        for (int v = 0; v < V; v++) sum += exp(logits[v] - top);
        for (int v = 0; v < Vp; v++) probs[v] = v < V ? (float)(exp(logits[v] - top) / sum) : 0.0f;
    }
}

/* softmax_forward: through-the-logarithm-of-the-sum
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *z = &logits[b * T * Vp + t * Vp];
            float *p = &probs[b * T * Vp + t * Vp];
            float top = z[0];
            for (int v = 0; v < V; v++) if (z[v] > top) top = z[v];
            double sum = 0;
            for (int v = 0; v < V; v++) sum += exp(z[v] - top);
            double log_sum = log(sum);
            for (int v = 0; v < V; v++) p[v] = exp(z[v] - top - log_sum);
            for (int v = V; v < Vp; v++) p[v] = 0;
        }
    }
}

/* softmax_forward: moving-maximum
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    #pragma omp parallel for collapse(2)
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = ((size_t)b * T + t) * Vp;
            float top = -INFINITY, sum = 0.0f;
            for (int v = 0; v < V; v++) {
                float z = logits[row + v];
                if (z > top) {
                    sum = sum * expf(top - z) + 1.0f;
                    top = z;
                } else {
                    sum += expf(z - top);
                }
            }
            float share = 1.0f / sum;
            for (int v = 0; v < V; v++) probs[row + v] = expf(logits[row + v] - top) * share;
            if (Vp > V) memset(probs + row + V, 0, (Vp - V) * sizeof(float));
        }
    }
}

/* softmax_forward: maximum-with-an-index
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    for (int i = 0; i < B * T; ++i) {
        int best = 0;
        for (int v = 1; v < V; ++v) {
            if (logits[i * Vp + v] >= logits[i * Vp + best]) best = v;
        }
        float total = 0.f;
        for (int v = 0; v < Vp; ++v) {
            if (v >= V) {
                probs[i * Vp + v] = -0.0f;
                continue;
            }
            probs[i * Vp + v] = expf(logits[i * Vp + v] - logits[i * Vp + best]);
            total += probs[i * Vp + v];
        }
        for (int v = 0; v < Vp; ++v) probs[i * Vp + v] /= total;
    }
}

/* softmax_forward: logarithm-of-the-sum-in-double
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    for (size_t r = 0; r < (size_t)B * T; r++, logits += Vp, probs += Vp) {
        double m = logits[0], s = 0;
        for (int v = 1; v < V; v++) m = logits[v] > m ? logits[v] : m;
        for (int v = 0; v < V; v++) s += exp(logits[v] - m);
        double lse = m + log(s);
        int v = 0;
        for (; v < V; v++) probs[v] = (float)exp(logits[v] - lse);
        for (; v < Vp; v++) probs[v] = 0;
    }
}

/* softmax_forward: plain-loops
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *z = logits + (b * T + t) * Vp;
            float *p = probs + (b * T + t) * Vp;
            float maximum = -INFINITY;
            for (int v = 0; v < V; v++) {
                if (z[v] > maximum) maximum = z[v];
            }
            float sum = 0.0f;
            for (int v = 0; v < V; v++) {
                p[v] = expf(z[v] - maximum);
                sum += p[v];
            }
            for (int v = 0; v < V; v++) {
                p[v] /= sum;
            }
            for (int v = V; v < Vp; v++) {
                p[v] = 0.0f;
            }
        }
    }
}

/* crossentropy_forward: walking-pointers
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    for (int i = 0; i < B * T; i++, probs += Vp) *losses++ = -logf(probs[*targets++]);
}

/* crossentropy_forward: in-double
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            losses[b * T + t] = (float)-log((double)probs[b * T * Vp + t * Vp + targets[b * T + t]]);
}

/* crossentropy_forward: reciprocal-in-the-logarithm
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    for (int i = 0; i < B * T; i++) {
        double p = probs[(size_t)i * Vp + targets[i]];
        losses[i] = log(1 / p);
    }
}

/* crossentropy_forward: sum-over-a-one-hot-row
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    for (int i = 0; i < B * T; i++) {
        losses[i] = 0.0f;
        for (int v = 0; v < Vp; v++) {
            if (v == targets[i]) losses[i] -= logf(probs[i * Vp + v]);
        }
    }
}

/* crossentropy_forward: probabilities-first-then-logarithms
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    #pragma omp parallel for
    for (int i = 0; i < B * T; i++) losses[i] = probs[i * Vp + targets[i]];
    for (int i = 0; i < B * T; i++) losses[i] = -0.69314718f * log2f(losses[i]);
}

/* crossentropy_forward: binary-logarithm-times-ln-2
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    for (const int *end = targets + B * T; targets < end; targets++, probs += Vp)
        *losses++ = -log2f(probs[*targets]) * 0.6931471805599453f;
}

/* crossentropy_forward: plain-loops
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            int target = targets[b * T + t];
            float p = probs[(b * T + t) * Vp + target];
            losses[b * T + t] = -logf(p);
        }
    }
}
