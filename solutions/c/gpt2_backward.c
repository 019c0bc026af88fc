/* GPT-2's backward pass: the gradients of the kernels in gpt2_forward.c, and the optimiser, plain and readable.
 *
 * `dx` is the gradient of the loss with respect to `x`, and has its shape. Arrays and letters are as in gpt2_forward.c.
 *
 * Every backward kernel ADDS to the gradients that it makes: a tensor that is used twice (wte, which turns tokens into
 * vectors and vectors into logits; the input of a residual connection) gets the sum of what both uses give. The caller
 * sets gradients to 0 before the first call. Called twice without that, a kernel gives twice its gradients, up to
 * rounding. No kernel changes `dout` or another array that it only reads, and no two arguments overlap.
 *
 * Compiles alone, with OpenMP or without:  cc -std=c11 -Wall -Wextra -Werror -O2 -fopenmp -c gpt2_backward.c
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Before a `for`: its iterations (or those of two nested loops) are divided among threads. Nothing without OpenMP. */
#ifdef _OPENMP
#define PARALLEL_FOR _Pragma("omp parallel for")
#define PARALLEL_FOR_2 _Pragma("omp parallel for collapse(2)")
#else
#define PARALLEL_FOR
#define PARALLEL_FOR_2
#endif

/* Back through encoder_forward:
 *
 *   out[b,t,c] = wte[inp[b,t],c] + wpe[t,c]
 *
 * dwte  (Vp, C), added to; rows of tokens that do not occur stay as they are
 * dwpe  (at least T rows, C), added to
 * dout  (B, T, C)
 * inp   (B, T), token ids; an id may occur many times, so two threads must never add to one row at the same time
 *
 * Source: the chain rule on Radford et al. 2018, equation 2.
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    /* BEGIN SOLUTION */
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            const float *d = dout + row * C;
            float *token = dwte + (size_t)inp[row] * C;
            float *place = dwpe + (size_t)t * C;
            for (int c = 0; c < C; c++) {
                token[c] += d[c];
                place[c] += d[c];
            }
        }
    }
    /* END SOLUTION */
}

/* Back through layernorm_forward, where mean and rstd depend on every channel of their row:
 *
 *   mean[b,t]  = 1/C * sum_c inp[b,t,c]
 *   rstd[b,t]  = 1 / sqrt(1/C * sum_c (inp[b,t,c] - mean[b,t])^2 + 1e-5)
 *   out[b,t,c] = (inp[b,t,c] - mean[b,t]) * rstd[b,t] * weight[c] + bias[c]
 *
 * dinp            (B, T, C), added to
 * dweight, dbias  (C), added to
 * dout, inp       (B, T, C)
 * weight          (C)
 * mean, rstd      (B, T), as layernorm_forward wrote them
 *
 * Source: the chain rule on Ba et al. 2016, equation 3.
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    /* BEGIN SOLUTION */
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            const float *d = dout + row * C;
            const float *x = inp + row * C;
            float *dx = dinp + row * C;
            float m = mean[row], s = rstd[row];
            float sum_g = 0.0f, sum_gn = 0.0f;
            for (int c = 0; c < C; c++) {
                float n = (x[c] - m) * s;
                float g = d[c] * weight[c];
                dbias[c] += d[c];
                dweight[c] += d[c] * n;
                sum_g += g;
                sum_gn += g * n;
            }
            for (int c = 0; c < C; c++) {
                float n = (x[c] - m) * s;
                float g = d[c] * weight[c];
                dx[c] += s * (g - sum_g / C - n * sum_gn / C);
            }
        }
    }
    /* END SOLUTION */
}

/* Back through matmul_forward:
 *
 *   out[b,t,o] = bias[o] + sum_c inp[b,t,c] * weight[o,c]
 *
 * dinp     (B, T, C), added to
 * dweight  (OC, C), added to
 * dbias    (OC), added to, or NULL: there is no bias
 * dout     (B, T, OC)
 * inp      (B, T, C)
 * weight   (OC, C)
 *
 * Source: the chain rule on out = inp weight^T + bias; Rumelhart et al. 1986.
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    /* BEGIN SOLUTION */
    /* Two passes, so that in each of them no two threads add to the same row. */
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            float *dx = dinp + row * C;
            for (int o = 0; o < OC; o++) {
                const float *w = weight + (size_t)o * C;
                float d = dout[row * OC + o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d * w[c];
                }
            }
        }
    }
    PARALLEL_FOR
    for (int o = 0; o < OC; o++) {
        float *dw = dweight + (size_t)o * C;
        for (int b = 0; b < B; b++) {
            for (int t = 0; t < T; t++) {
                size_t row = (size_t)b * T + t;
                const float *x = inp + row * C;
                float d = dout[row * OC + o];
                if (dbias != NULL) {
                    dbias[o] += d;
                }
                for (int c = 0; c < C; c++) {
                    dw[c] += d * x[c];
                }
            }
        }
    }
    /* END SOLUTION */
}

/* Back through gelu_forward, with x = inp[n]:
 *
 *   out[n] = 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
 *
 * dinp       (N), added to
 * inp, dout  (N); mind the order of the arguments
 *
 * Source: the chain rule on Hendrycks and Gimpel 2016, section 2.
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    /* BEGIN SOLUTION */
    const float scale = 0.79788456f; /* sqrt(2 / pi) */
    PARALLEL_FOR
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float tanh_u = tanhf(scale * (x + 0.044715f * x * x * x));
        float du = scale * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += dout[n] * (0.5f * (1.0f + tanh_u) + 0.5f * x * (1.0f - tanh_u * tanh_u) * du);
    }
    /* END SOLUTION */
}

/* Back through residual_forward:
 *
 *   out[n] = inp1[n] + inp2[n]
 *
 * dinp1, dinp2  (N), added to
 * dout          (N)
 *
 * Source: He et al. 2016, equation 1.
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    /* BEGIN SOLUTION */
    PARALLEL_FOR
    for (int n = 0; n < N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] += dout[n];
    }
    /* END SOLUTION */
}

/* Back through crossentropy_forward and softmax_forward in one step:
 *
 *   probs[b,t,v] = exp(logits[b,t,v]) / sum_{w<V} exp(logits[b,t,w])   for v < V, and 0 for v >= V
 *   losses[b,t]  = -log(probs[b,t,targets[b,t]])
 *
 * dlogits  (B, T, Vp), added to; the columns of padding, v >= V, stay as they are: their gradient is 0
 * dlosses  (B, T): for the mean loss the caller sets every entry to 1 / (B*T)
 * probs    (B, T, Vp), as softmax_forward wrote it
 * targets  (B, T), token ids from 0 to V - 1
 *
 * Source: Bridle 1990.
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    /* BEGIN SOLUTION */
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            for (int v = 0; v < V; v++) {
                float right = v == targets[row] ? 1.0f : 0.0f;
                dlogits[row * Vp + v] += (probs[row * Vp + v] - right) * dlosses[row];
            }
        }
    }
    /* END SOLUTION */
}

/* Back through attention_forward, with q, k, v, hs and the layout of inp as there:
 *
 *   preatt[b,h,t,u] = 1/sqrt(hs) * sum_i q[b,t,h,i] * k[b,u,h,i]   for u <= t
 *   att[b,h,t,:]    = softmax(preatt[b,h,t,:])                     over u <= t, and 0 for u > t
 *   out[b,t,h,i]    = sum_{u<=t} att[b,h,t,u] * v[b,u,h,i]
 *
 * dinp           (B, T, 3C), added to: dq, then dk, then dv for every position, as in inp
 * dpreatt, datt  (B, NH, T, T), added to; they arrive as zeros, and their future positions u > t stay as they are.
 *                preatt and att have no other use, so dpreatt and datt hold one call's gradients
 * dout           (B, T, C)
 * inp            (B, T, 3C)
 * att            (B, NH, T, T), as attention_forward wrote it
 *
 * Source: the chain rule on Vaswani et al. 2017, equation 1; the softmax's part: Bridle 1990.
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    /* BEGIN SOLUTION */
    int hs = C / NH;
    float scale = 1.0f / sqrtf((float)hs);
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) { /* heads touch different channels, so threads never meet */
            for (int t = 0; t < T; t++) {
                size_t row = (((size_t)b * NH + h) * T + t) * T;
                const float *weights = att + row;
                const float *d = dout + ((size_t)b * T + t) * C + (size_t)h * hs;
                size_t at_q = ((size_t)b * T + t) * 3 * C + (size_t)h * hs;

                /* Through out = sum_u weights[u] v[u]; and the sum that the softmax needs. */
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    size_t at_v = ((size_t)b * T + u) * 3 * C + 2 * (size_t)C + (size_t)h * hs;
                    float da = 0.0f;
                    for (int i = 0; i < hs; i++) {
                        da += d[i] * inp[at_v + i];
                        dinp[at_v + i] += weights[u] * d[i];
                    }
                    datt[row + u] += da;
                    sum += weights[u] * da;
                }

                /* Through the softmax and the scores. */
                for (int u = 0; u <= t; u++) {
                    size_t at_k = ((size_t)b * T + u) * 3 * C + C + (size_t)h * hs;
                    float da = 0.0f;
                    for (int i = 0; i < hs; i++) {
                        da += d[i] * inp[at_k + C + i];
                    }
                    float dp = weights[u] * (da - sum);
                    dpreatt[row + u] += dp;
                    for (int i = 0; i < hs; i++) {
                        dinp[at_q + i] += scale * dp * inp[at_k + i];
                        dinp[at_k + i] += scale * dp * inp[at_q + i];
                    }
                }
            }
        }
    }
    /* END SOLUTION */
}

/* One step of AdamW on n parameters.
 *
 *   m = beta1 * m + (1 - beta1) * g                       with g = grads[i]
 *   v = beta2 * v + (1 - beta2) * g^2
 *   params[i] -= lr * (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * params[i])
 *
 * The decay multiplies the parameter as it was before the step, and is no part of the gradient. eps stands outside the
 * root.
 *
 * params  (n), changed in place
 * grads   (n)
 * m, v    (n), changed in place; zeros before the first step
 * t       the number of this step: 1 for the first
 *
 * Source: Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2.
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    /* BEGIN SOLUTION */
    /* In double: a power rounded to float would leave 1 - 0.999^2 with only five right digits. */
    float correction1 = (float)(1.0 - pow(beta1, t));
    float correction2 = (float)(1.0 - pow(beta2, t));
    PARALLEL_FOR
    for (long i = 0; i < n; i++) {
        m[i] = beta1 * m[i] + (1.0f - beta1) * grads[i];
        v[i] = beta2 * v[i] + (1.0f - beta2) * grads[i] * grads[i];
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
    /* END SOLUTION */
}
