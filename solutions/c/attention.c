/* Attention, forward and backward, as small matrix products.
 *
 * The queries of one head are taken BLOCK at a time. A block that ends before position `last` sees only the keys
 * 0 .. last - 1, so little more than the lower half of the scores is ever computed: all other weights are 0.
 * Forward, blocks are independent. Backward, all blocks of a head add to the same dk and dv, so a head has one thread.
 *
 * Forward, for a block of queries q, with the keys k and values v that it sees:
 *   1. scores  = q k^T
 *   2. weights = softmax(scale scores), row by row, 0 for future keys
 *   3. out     = weights v
 *
 * Backward, from the block's dout:
 *   1. dv       += weights^T dout
 *   2. dweights  = dout v^T
 *   3. dscores   = dweights through the softmax, row by row, times scale
 *   4. dq       += dscores k
 *   5. dk       += dscores^T q
 */
#include <math.h>

#include "gemm.h"
#include "kernels.h"
#include "simd.h"

enum { BLOCK = 96 };

/* Where one head of one sequence lies in the arrays: offsets of its first number, and distances between its rows. */
typedef struct {
    size_t T, hs;              /* positions, width of the head */
    size_t q, k, v, qkv_width; /* in inp and dinp (B, T, 3C) */
    size_t out, out_width;     /* in out and dout (B, T, C) */
    size_t att;                /* in att and arrays of its shape (B, NH, T, T), whose rows are T apart */
    float scale;
} Head;

static Head locate_head(int b, int h, int T, int C, int NH) {
    size_t hs = C / NH, qkv_width = 3 * (size_t)C, q = (size_t)b * T * qkv_width + h * hs;
    return (Head){
        .T = T, .hs = hs,
        .q = q, .k = q + C, .v = q + 2 * (size_t)C, .qkv_width = qkv_width,
        .out = (size_t)b * T * C + h * hs, .out_width = C,
        .att = ((size_t)b * NH + h) * T * T,
        .scale = 1.0f / sqrtf((float)hs),
    };
}

/* Scores of one query to weights, in place: softmax over the first `seen` keys, 0 for the others. Unless it is NULL,
 * `scaled_scores` gets what goes into the softmax. */
static void scores_to_weights(float *scores, size_t seen, size_t T, float scale, float *scaled_scores) {
    float largest = -INFINITY;
#pragma omp simd reduction(max : largest)
    for (size_t u = 0; u < seen; u++) {
        scores[u] *= scale;
        largest = scores[u] > largest ? scores[u] : largest;
    }
    if (scaled_scores != NULL) {
        memcpy(scaled_scores, scores, seen * sizeof(float));
    }
    float total = 0.0f;
#pragma omp simd reduction(+ : total)
    for (size_t u = 0; u < seen; u++) {
        scores[u] = exponential(scores[u] - largest);
        total += scores[u];
    }
    float share = 1.0f / total;
    for (size_t u = 0; u < seen; u++) {
        scores[u] *= share;
    }
    memset(scores + seen, 0, (T - seen) * sizeof(float));
}

static void forward_block(float *out, float *preatt, float *att, const float *inp, const Head *head, size_t first,
                          size_t last) {
    size_t queries = last - first, T = head->T, hs = head->hs, width = head->qkv_width;
    const float *q = inp + head->q + first * width, *k = inp + head->k, *v = inp + head->v;
    float *weights = att + head->att + first * T;
    float *y = out + head->out + first * head->out_width;

    /* 1. scores, in the memory of the weights */
    gemm_single_thread(weights, T, matrix(q, width), transpose(k, width), queries, last, hs, WRITE);
    /* 2. weights, in place */
    for (size_t t = first; t < last; t++) {
        size_t row = head->att + t * T;
        scores_to_weights(att + row, t + 1, T, head->scale, preatt == NULL ? NULL : preatt + row);
    }
    /* 3. out */
    gemm_single_thread(y, head->out_width, matrix(weights, T), matrix(v, width), queries, hs, last, WRITE);
}

void attention_forward_from(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH,
                            int start) {
#pragma omp parallel for collapse(3) schedule(dynamic)
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int first = start; first < T; first += BLOCK) {
                Head head = locate_head(b, h, T, C, NH);
                forward_block(out, preatt, att, inp, &head, first, minimum(first + BLOCK, T));
            }
        }
    }
}

void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    attention_forward_from(out, preatt, att, inp, B, T, C, NH, 0);
}

/* One row, in place: from the gradient of the weights to `scale` times that of the scaled scores. The row is `last`
 * long, and 0 past the first `seen`. */
static void dweights_to_dscores(float *d, const float *weights, size_t seen, size_t last, float scale) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (size_t u = 0; u < seen; u++) {
        sum += weights[u] * d[u];
    }
    for (size_t u = 0; u < seen; u++) {
        d[u] = scale * weights[u] * (d[u] - sum);
    }
    memset(d + seen, 0, (last - seen) * sizeof(float));
}

static void backward_block(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                           const float *att, const Head *head, size_t first, size_t last) {
    size_t queries = last - first, T = head->T, hs = head->hs, width = head->qkv_width;
    const float *q = inp + head->q + first * width, *k = inp + head->k, *v = inp + head->v;
    float *dq = dinp + head->q + first * width, *dk = dinp + head->k, *dv = dinp + head->v;
    const float *weights = att + head->att + first * T;
    float *d = dpreatt + head->att + first * T; /* dweights, then dscores */
    Matrix dy = matrix(dout + head->out + first * head->out_width, head->out_width);

    /* 1. dv */
    gemm_single_thread(dv, width, transpose(weights, T), dy, last, hs, queries, ADD);
    /* 2. dweights */
    gemm_single_thread(d, T, dy, transpose(v, width), queries, last, hs, WRITE);
    /* 3. dscores, in place */
    for (size_t t = first; t < last; t++) {
        float *row = d + (t - first) * T;
        for (size_t u = 0; datt != NULL && u <= t; u++) {
            datt[head->att + t * T + u] += row[u];
        }
        dweights_to_dscores(row, att + head->att + t * T, t + 1, last, head->scale);
    }
    /* 4. dq */
    gemm_single_thread(dq, width, matrix(d, T), matrix(k, width), queries, hs, last, ADD);
    /* 5. dk */
    gemm_single_thread(dk, width, transpose(d, T), matrix(q, width), last, hs, queries, ADD);
}

void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            Head head = locate_head(b, h, T, C, NH);
            for (int first = 0; first < T; first += BLOCK) {
                backward_block(dinp, dpreatt, datt, dout, inp, att, &head, first, minimum(first + BLOCK, T));
            }
        }
    }
}
