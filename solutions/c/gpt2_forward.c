/* GPT-2's forward pass: its kernels (Radford et al. 2019), plain and readable.
 *
 * Every array is float32 in row-major order without gaps: entry (b, t, c) of an array (B, T, C) stands at offset
 * ((size_t)b * T + t) * C + c. An `int` product overflows for large arrays, so offsets are `size_t`.
 * "Written" means that the array holds no meaningful value before the call. No kernel changes its inputs, and no two
 * arguments overlap.
 *
 *   B  sequences in a batch          C   channels: width of a position's vector     V   vocabulary size
 *   T  positions in a sequence       OC  output channels of a linear layer          Vp  V padded, Vp >= V
 *   NH attention heads, which divide C; hs = C / NH is the width of one head
 *
 * Compiles alone, with OpenMP or without:  cc -std=c11 -Wall -Wextra -Werror -O2 -fopenmp -c gpt2_forward.c
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

/* The vector of every token plus the vector of its position.
 *
 *   out[b,t,c] = wte[inp[b,t], c] + wpe[t, c]
 *
 * out  (B, T, C), written
 * inp  (B, T), token ids from 0 to the number of rows of wte - 1; an id may occur many times
 * wte  (Vp, C), the token vectors
 * wpe  (at least T rows, C), the position vectors: positions start at 0 in every sequence
 *
 * Source: Radford et al. 2018, equation 2, first line.
 */
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C) {
    /* BEGIN SOLUTION */
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            float *out_row = out + row * C;
            const float *token = wte + (size_t)inp[row] * C;
            const float *place = wpe + (size_t)t * C;
            for (int c = 0; c < C; c++) {
                out_row[c] = token[c] + place[c];
            }
        }
    }
    /* END SOLUTION */
}

/* Every position's vector, shifted to mean 0 and scaled to variance 1, then given a learned scale and shift.
 *
 *   mean[b,t]  = 1/C * sum_c inp[b,t,c]
 *   rstd[b,t]  = 1 / sqrt(1/C * sum_c (inp[b,t,c] - mean[b,t])^2 + 1e-5)
 *   out[b,t,c] = (inp[b,t,c] - mean[b,t]) * rstd[b,t] * weight[c] + bias[c]
 *
 * The variance is divided by C, not by C - 1, and 1e-5 stands inside the root. Subtract the mean before you square:
 * the mean of squares minus the squared mean loses every digit of a row that lies far from 0.
 *
 * out           (B, T, C), written
 * mean, rstd    (B, T), written: the backward pass needs them
 * inp           (B, T, C)
 * weight, bias  (C)
 *
 * Source: Ba et al. 2016, equation 3 (over the channels of one position, as in section 3 there).
 */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    /* BEGIN SOLUTION */
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            const float *x = inp + row * C;
            float *y = out + row * C;
            float sum = 0.0f;
            for (int c = 0; c < C; c++) {
                sum += x[c];
            }
            float m = sum / C;
            float squares = 0.0f;
            for (int c = 0; c < C; c++) {
                squares += (x[c] - m) * (x[c] - m);
            }
            float s = 1.0f / sqrtf(squares / C + 1e-5f);
            for (int c = 0; c < C; c++) {
                y[c] = (x[c] - m) * s * weight[c] + bias[c];
            }
            mean[row] = m;
            rstd[row] = s;
        }
    }
    /* END SOLUTION */
}

/* A linear layer, the same for every position.
 *
 *   out[b,t,o] = bias[o] + sum_c inp[b,t,c] * weight[o,c]
 *
 * out     (B, T, OC), written
 * inp     (B, T, C)
 * weight  (OC, C): one row for each output channel, as in PyTorch's nn.Linear
 * bias    (OC), or NULL: no bias
 *
 * Source: Vaswani et al. 2017, section 3.2.2 (the projections) and equation 2; the layout is PyTorch's.
 */
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    /* BEGIN SOLUTION */
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            const float *x = inp + row * C;
            for (int o = 0; o < OC; o++) {
                const float *w = weight + (size_t)o * C;
                float sum = bias == NULL ? 0.0f : bias[o];
                for (int c = 0; c < C; c++) {
                    sum += x[c] * w[c];
                }
                out[row * OC + o] = sum;
            }
        }
    }
    /* END SOLUTION */
}

/* The Gaussian error linear unit, in the tanh form that GPT-2 uses, of every entry.
 *
 *   out[n] = 0.5 * inp[n] * (1 + tanh(sqrt(2/pi) * (inp[n] + 0.044715 * inp[n]^3)))
 *
 * out  (N), written
 * inp  (N)
 *
 * Source: Hendrycks and Gimpel 2016, section 2.
 */
void gelu_forward(float *out, const float *inp, int N) {
    /* BEGIN SOLUTION */
    const float scale = 0.79788456f; /* sqrt(2 / pi) */
    PARALLEL_FOR
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        out[n] = 0.5f * x * (1.0f + tanhf(scale * (x + 0.044715f * x * x * x)));
    }
    /* END SOLUTION */
}

/* A residual connection: the vector that goes around a part of the network, plus what that part makes of it.
 *
 *   out[n] = inp1[n] + inp2[n]
 *
 * out         (N), written
 * inp1, inp2  (N)
 *
 * Source: He et al. 2016, equation 1.
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {
    /* BEGIN SOLUTION */
    PARALLEL_FOR
    for (int n = 0; n < N; n++) {
        out[n] = inp1[n] + inp2[n];
    }
    /* END SOLUTION */
}

/* Causal self-attention in NH heads, on queries, keys and values that lie side by side.
 *
 * With q, k and v of head h being the channels h*hs .. (h+1)*hs - 1 inside the three blocks of C channels of inp:
 *
 *   preatt[b,h,t,u] = 1/sqrt(hs) * sum_i q[b,t,h,i] * k[b,u,h,i]            for u <= t
 *   att[b,h,t,u]    = exp(preatt[b,h,t,u]) / sum_{w<=t} exp(preatt[b,h,t,w])   for u <= t,  exactly 0 for u > t
 *   out[b,t,h,i]    = sum_{u<=t} att[b,h,t,u] * v[b,u,h,i]
 *
 * Subtract the largest score of the row before exp. It is one of these scores: all of them may be far below 0.
 *
 * out     (B, T, C), written: the heads side by side, head h in channels h*hs .. (h+1)*hs - 1
 * preatt  (B, NH, T, T), written for u <= t; what it holds at the future positions u > t is free
 * att     (B, NH, T, T), written everywhere: the future positions are exactly 0
 * inp     (B, T, 3C): for every position q, then k, then v, each C wide
 *
 * Source: Vaswani et al. 2017, equation 1, sections 3.2.2 (heads) and 3.2.3 (no leftward flow of information).
 */
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    /* BEGIN SOLUTION */
    int hs = C / NH;
    float scale = 1.0f / sqrtf((float)hs);
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *q = inp + ((size_t)b * T + t) * 3 * C + (size_t)h * hs;
                size_t row = (((size_t)b * NH + h) * T + t) * T;
                float *scores = preatt + row;
                float *weights = att + row;

                float largest = -INFINITY;
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + ((size_t)b * T + u) * 3 * C + C + (size_t)h * hs;
                    float sum = 0.0f;
                    for (int i = 0; i < hs; i++) {
                        sum += q[i] * k[i];
                    }
                    scores[u] = sum * scale;
                    largest = fmaxf(largest, scores[u]);
                }

                float total = 0.0f;
                for (int u = 0; u <= t; u++) {
                    weights[u] = expf(scores[u] - largest);
                    total += weights[u];
                }
                for (int u = 0; u < T; u++) {
                    weights[u] = u <= t ? weights[u] / total : 0.0f;
                }

                float *y = out + ((size_t)b * T + t) * C + (size_t)h * hs;
                for (int i = 0; i < hs; i++) {
                    y[i] = 0.0f;
                }
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + ((size_t)b * T + u) * 3 * C + 2 * (size_t)C + (size_t)h * hs;
                    for (int i = 0; i < hs; i++) {
                        y[i] += weights[u] * v[i];
                    }
                }
            }
        }
    }
    /* END SOLUTION */
}

/* Logits to probabilities, over the V tokens that exist.
 *
 *   probs[b,t,v] = exp(logits[b,t,v]) / sum_{w<V} exp(logits[b,t,w])   for v < V,  exactly 0 for V <= v < Vp
 *
 * The Vp - V columns of padding are there for speed alone: what stands in their logits has no influence. Subtract the
 * largest of the V logits before exp. They may all be far below 0, so start the search at the first of them, or at
 * -INFINITY.
 *
 * probs   (B, T, Vp), written everywhere
 * logits  (B, T, Vp)
 *
 * Source: Bridle 1990 (the function); that a row shifted by a constant gives the same is immediate from it.
 */
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp) {
    /* BEGIN SOLUTION */
    PARALLEL_FOR_2
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = ((size_t)b * T + t) * Vp;
            const float *z = logits + row;
            float *p = probs + row;
            float largest = -INFINITY;
            for (int v = 0; v < V; v++) {
                largest = fmaxf(largest, z[v]);
            }
            float total = 0.0f;
            for (int v = 0; v < V; v++) {
                p[v] = expf(z[v] - largest);
                total += p[v];
            }
            for (int v = 0; v < Vp; v++) {
                p[v] = v < V ? p[v] / total : 0.0f;
            }
        }
    }
    /* END SOLUTION */
}

/* The loss of every position: how surprising the right next token was, in nats.
 *
 *   losses[b,t] = -log(probs[b, t, targets[b,t]])
 *
 * losses   (B, T), written
 * probs    (B, T, Vp); a probability of 0 gives an infinite loss
 * targets  (B, T), token ids from 0 to V - 1
 *
 * Source: Bengio et al. 2003, section 2 (the likelihood that is maximised).
 */
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp) {
    /* BEGIN SOLUTION */
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            losses[row] = -logf(probs[row * Vp + targets[row]]);
        }
    }
    /* END SOLUTION */
}
