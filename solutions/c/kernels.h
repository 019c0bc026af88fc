/* The kernels of GPT-2. What each computes stands in gpt2_forward.c and gpt2_backward.c, where they are plain loops:
 * the exercises. The files matmul.c, attention.c, ... hold the same functions made fast. The program runs with either.
 *
 * Every fast kernel gives the same result, to the last bit, for any number of threads: what one number of a result is
 * made of, and in which order, depends on the shapes alone.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>

void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C);
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C);
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC);
void gelu_forward(float *out, const float *inp, int N);
void residual_forward(float *out, const float *inp1, const float *inp2, int N);
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH);
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp);
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp);

void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C);
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C);
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC);
void gelu_backward(float *dinp, const float *inp, const float *dout, int N);
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N);
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp);
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH);
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t);

#ifndef PLAIN_KERNELS
/* The fast attention keeps less: `preatt` and `datt` may be NULL, and are then not stored. `dpreatt` is working memory:
 * what was in it does not matter, and what is in it afterwards is 1/sqrt(hs) times the scores' gradient.
 *
 * attention_forward_from continues a sequence: it is attention_forward for the positions from `start` on alone. Of the
 * earlier ones only inp is read; their rows of out, preatt and att are left as they are. */
void attention_forward_from(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH,
                            int start);
#endif

#endif
