/* Vectors of the processor's own width, chosen when the program is compiled, and what loops over numbers share. */
#ifndef SIMD_H
#define SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* clang cannot vectorise a maximum; the loop is right without */
#endif

/* LANES numbers fit into one register. A tile of TILE_ROWS x TILE_COLUMNS sums, two registers to a row, leaves a few
 * of the 16 or 32 registers for what is multiplied. */
#if defined(__AVX512F__)
#define LANES 16
#define TILE_ROWS 12
#elif defined(__AVX__)
#define LANES 8
#define TILE_ROWS 6
#elif defined(__aarch64__)
#define LANES 4
#define TILE_ROWS 12
#else
#define LANES 4
#define TILE_ROWS 6
#endif
#define TILE_COLUMNS (2 * LANES)

/* A vector that may start at any float: the compiler then emits unaligned loads. */
typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline Vector load(const float *from) {
    return *(const Vector *)from;
}

static inline void store(float *to, Vector values) {
    *(Vector *)to = values;
}

/* Threads take pieces of a fixed size, CHUNK numbers or STRIPE columns, however many threads there are: what is at the
 * end of a piece, and so computed apart from whole vectors, must not depend on their number. */
enum { CHUNK = 4096, STRIPE = 64 };

static inline size_t minimum(size_t a, size_t b) {
    return a < b ? a : b;
}

/* e^x to about one unit in the last place (ulp), without a branch or a call, so that a loop of it becomes vectors.
 *
 * x = n ln 2 + r with whole n and |r| <= ln(2) / 2, so e^x = 2^n e^r: the series of e^r converges fast there, and 2^n
 * is written into the exponent's bits. Below -87 the result is 0, above 88 it stays at e^88: finite. */
static inline float exponential(float x) {
    float inside = x < -87.0f ? -87.0f : x;
    inside = inside > 88.0f ? 88.0f : inside;
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it leaves no room for digits after the point */
    float n = (inside * 1.44269504f + shift) - shift;
    float r = (inside - n * 0.693359375f) - n * -2.12194440e-4f; /* ln 2 in two parts: the first product is exact */
    float series = 1.0f + r * (1.0f + r * (1.0f / 2 + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r *
                   (1.0f / 720 + r * (1.0f / 5040)))))));
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return x < -87.0f ? 0.0f : series * power;
}

#endif
