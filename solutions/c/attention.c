/* Attention, forward and backward, as small matrix products.
 *
 * The queries of one head are taken BLOCK at a time. A block that ends before position `last` sees only the keys
 * 0 .. last - 1, so of the square of scores little more than the lower half is ever computed: the rest is 0.
 * Forward, blocks are independent. Backward, all blocks of a head add to the same dk and dv, so a thread has a head.
 */
#include <math.h>

#include "gemm.h"
#include "kernels.h"
#include "simd.h"

enum { BLOCK = 96 };

/* Where things of one head of one sequence are. Rows of q, k, v are `wide` = 3C apart, rows of out C, of att T. */
typedef struct {
    size_t T, C, hs, wide;
    size_t q, k, v; /* offsets in inp and dinp of position 0 */
    size_t out;     /* offset in out and dout of position 0 */
    size_t att;     /* offset in att and the like of row 0 */
    float scale;
} Head;

static Head head_of(int b, int h, int T, int C, int NH) {
    size_t hs = C / NH, wide = 3 * (size_t)C, q = (size_t)b * T * wide + h * hs;
    return (Head){
        .T = T, .C = C, .hs = hs, .wide = wide,
        .q = q, .k = q + C, .v = q + 2 * (size_t)C,
        .out = (size_t)b * T * C + h * hs,
        .att = ((size_t)b * NH + h) * T * T,
        .scale = 1.0f / sqrtf((float)hs),
    };
}

/* Scores of one query, in place, to weights: softmax over the first `seen`, 0 after them. */
static void weights_of(float *scores, size_t seen, size_t T, float scale, float *keep) {
    float largest = -INFINITY;
#pragma omp simd reduction(max : largest)
    for (size_t u = 0; u < seen; u++) {
        scores[u] *= scale;
        largest = scores[u] > largest ? scores[u] : largest;
    }
    if (keep != NULL) {
        memcpy(keep, scores, seen * sizeof(float));
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

static void forward_block(float *out, float *preatt, float *att, const float *inp, const Head *at, size_t first,
                          size_t last) {
    size_t m = last - first, T = at->T;
    float *weights = att + at->att + first * T;
    gemm_alone(weights, T, rows(inp + at->q + first * at->wide, at->wide), columns(inp + at->k, at->wide), m, last,
               at->hs, WRITE);
    for (size_t t = first; t < last; t++) {
        size_t row = at->att + t * T;
        weights_of(att + row, t + 1, T, at->scale, preatt == NULL ? NULL : preatt + row);
    }
    gemm_alone(out + at->out + first * at->C, at->C, rows(weights, T), rows(inp + at->v, at->wide), m, at->hs, last,
               WRITE);
}

void attention_forward_from(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH,
                            int start) {
#pragma omp parallel for collapse(3) schedule(dynamic)
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int first = start; first < T; first += BLOCK) {
                Head at = head_of(b, h, T, C, NH);
                forward_block(out, preatt, att, inp, &at, first, smaller(first + BLOCK, T));
            }
        }
    }
}

void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH) {
    attention_forward_from(out, preatt, att, inp, B, T, C, NH, 0);
}

/* One row through the softmax, in place: from the gradient of weights to that of scores, times `scale`. */
static void through_softmax(float *d, const float *weights, size_t seen, size_t last, float scale) {
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
                           const float *att, const Head *at, size_t first, size_t last) {
    size_t m = last - first, T = at->T, wide = at->wide;
    const float *weights = att + at->att + first * T;
    float *d = dpreatt + at->att + first * T;
    Matrix d_out = rows(dout + at->out + first * at->C, at->C);

    gemm_alone(dinp + at->v, wide, columns(weights, T), d_out, last, at->hs, m, ADD);
    gemm_alone(d, T, d_out, columns(inp + at->v, wide), m, last, at->hs, WRITE);
    for (size_t t = first; t < last; t++) {
        float *row = d + (t - first) * T;
        for (size_t u = 0; datt != NULL && u <= t; u++) {
            datt[at->att + t * T + u] += row[u];
        }
        through_softmax(row, att + at->att + t * T, t + 1, last, at->scale);
    }
    gemm_alone(dinp + at->q + first * wide, wide, rows(d, T), rows(inp + at->k, wide), m, at->hs, last, ADD);
    gemm_alone(dinp + at->k, wide, columns(d, T), rows(inp + at->q + first * wide, wide), last, at->hs, m, ADD);
}

void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            Head at = head_of(b, h, T, C, NH);
            for (int first = 0; first < T; first += BLOCK) {
                backward_block(dinp, dpreatt, datt, dout, inp, att, &at, first, smaller(first + BLOCK, T));
            }
        }
    }
}
