/* A matrix product near the processor's limit, without a library.
 *
 * Four ideas, one on top of the other:
 *
 *  1. A tile of the result stays in registers while k runs: TILE_ROWS x TILE_COLUMNS sums. Each step loads two vectors
 *     of b and TILE_ROWS single numbers of a, and does TILE_ROWS x TILE_COLUMNS multiply-adds with them.
 *  2. Before that, a and b are copied ("packed") in the order in which a tile reads them, so that every load is the
 *     next one in memory. The copy is padded with zeros to whole tiles.
 *  3. k is cut into pieces of at most DEPTH: a packed strip of b, TILE_COLUMNS wide, then fits into the first cache,
 *     and a block of a, BLOCK_ROWS high, into the second.
 *  4. Threads take blocks of the result. Each number of the result is the work of one thread, in an order that does not
 *     depend on how many there are, so the result is the same to the last bit.
 *
 * Source: Goto and van de Geijn 2008; Van Zee and van de Geijn 2015.
 */
#include "gemm.h"
#include "simd.h"

enum {
    DEPTH = 384,                       /* k at once */
    BLOCK_ROWS = 16 * TILE_ROWS,       /* rows of a task */
    BLOCK_COLUMNS = 24 * TILE_COLUMNS, /* columns of a task */
    MOST_ROWS = 24 * BLOCK_ROWS,       /* rows of a that are packed at once */
    MOST_COLUMNS = 6 * BLOCK_COLUMNS,  /* columns of b that are packed at once */
    SINGLE_ROWS = BLOCK_ROWS,           /* both again, for gemm_single_thread */
    SINGLE_COLUMNS = 16 * TILE_COLUMNS
};

static size_t divide_rounding_up(size_t whole, size_t part) {
    return (whole + part - 1) / part;
}

/* Rows first .. first + height - 1 of the matrix, for columns 0 .. k - 1: one column after the other, each as `height`
 * numbers, those past the last row `end` as zeros. (The transpose of b serves for b: its rows are b's columns.) */
static inline void pack_strip(float *strip, Matrix from, size_t first, size_t height, size_t end, size_t k) {
    const float *data = from.data + first * from.row_stride;
    if (first + height <= end && from.row_stride == 1) {
        for (size_t p = 0; p < k; p++) {
            memcpy(strip + p * height, data + p * from.column_stride, height * sizeof(float));
        }
    } else if (first + height <= end) {
        for (size_t p = 0; p < k; p++) {
            for (size_t i = 0; i < height; i++) {
                strip[p * height + i] = data[i * from.row_stride + p * from.column_stride];
            }
        }
    } else {
        for (size_t p = 0; p < k; p++) {
            for (size_t i = 0; i < height; i++) {
                int inside = first + i < end;
                strip[p * height + i] = inside ? data[i * from.row_stride + p * from.column_stride] : 0.0f;
            }
        }
    }
}

/* One tile of c: what it held (or a bias, or zero) plus a strip of a times a strip of b. */
static inline void multiply_tile(float *c, size_t width, const float *a, const float *b, size_t k, Mode mode,
                                 const float *bias) {
    Vector left[TILE_ROWS], right[TILE_ROWS];
#pragma GCC unroll 16
    for (int i = 0; i < TILE_ROWS; i++) {
        if (mode == ADD) {
            left[i] = load(c + i * width);
            right[i] = load(c + i * width + LANES);
        } else if (bias != NULL) {
            left[i] = load(bias);
            right[i] = load(bias + LANES);
        } else {
            left[i] = right[i] = (Vector){0};
        }
    }
    for (size_t p = 0; p < k; p++) {
        Vector b_left = load(b), b_right = load(b + LANES);
#pragma GCC unroll 16
        for (int i = 0; i < TILE_ROWS; i++) {
            left[i] += a[i] * b_left;
            right[i] += a[i] * b_right;
        }
        a += TILE_ROWS;
        b += TILE_COLUMNS;
    }
#pragma GCC unroll 16
    for (int i = 0; i < TILE_ROWS; i++) {
        store(c + i * width, left[i]);
        store(c + i * width + LANES, right[i]);
    }
}

/* A tile that reaches past the edge of c: computed in a buffer, of which only the part inside c is copied. */
static void multiply_edge_tile(float *c, size_t width, const float *a, const float *b, size_t k, Mode mode,
                               const float *bias, size_t height, size_t breadth) {
    float aside[TILE_ROWS * TILE_COLUMNS] = {0};
    for (size_t i = 0; i < height; i++) {
        for (size_t j = 0; j < breadth; j++) {
            aside[i * TILE_COLUMNS + j] = mode == ADD ? c[i * width + j] : bias != NULL ? bias[j] : 0.0f;
        }
    }
    multiply_tile(aside, TILE_COLUMNS, a, b, k, ADD, NULL);
    for (size_t i = 0; i < height; i++) {
        memcpy(c + i * width, aside + i * TILE_COLUMNS, breadth * sizeof(float));
    }
}

/* All tiles of a block of c, m x n, from packed strips. */
static void multiply_block(float *c, size_t width, const float *a, const float *b, size_t m, size_t n, size_t k,
                           Mode mode, const float *bias) {
    for (size_t j = 0; j < n; j += TILE_COLUMNS) {
        for (size_t i = 0; i < m; i += TILE_ROWS) {
            size_t height = minimum(TILE_ROWS, m - i), breadth = minimum(TILE_COLUMNS, n - j);
            float *corner = c + i * width + j;
            const float *part = bias == NULL ? NULL : bias + j;
            if (height == TILE_ROWS && breadth == TILE_COLUMNS) {
                multiply_tile(corner, width, a + i * k, b + j * k, k, mode, part);
            } else {
                multiply_edge_tile(corner, width, a + i * k, b + j * k, k, mode, part, height, breadth);
            }
        }
    }
}

/* The part of a matrix from entry (i, j) on. */
static Matrix submatrix(Matrix from, size_t i, size_t j) {
    from.data += i * from.row_stride + j * from.column_stride;
    return from;
}

static Matrix transposed(Matrix from) {
    return (Matrix){from.data, from.column_stride, from.row_stride};
}

void gemm(float *c, size_t width, Matrix a, Matrix b, size_t m, size_t n, size_t k, Mode mode, const float *bias) {
    /* Static: gemm() is not re-entrant. */
    static float packed_a[MOST_ROWS * DEPTH], packed_b[MOST_COLUMNS * DEPTH];
    size_t depth = divide_rounding_up(k, divide_rounding_up(k, DEPTH)); /* equal pieces */
    for (size_t j0 = 0; j0 < n; j0 += MOST_COLUMNS) {
        for (size_t i0 = 0; i0 < m; i0 += MOST_ROWS) {
            size_t m1 = minimum(MOST_ROWS, m - i0), n1 = minimum(MOST_COLUMNS, n - j0);
            for (size_t p0 = 0; p0 < k; p0 += depth) {
                size_t k1 = minimum(depth, k - p0);
                Matrix a1 = submatrix(a, i0, p0), b1 = transposed(submatrix(b, p0, j0));
                Mode now = p0 == 0 ? mode : ADD;
                const float *bias1 = bias == NULL || now == ADD ? NULL : bias + j0;
#pragma omp parallel
                {
#pragma omp for nowait
                    for (size_t i = 0; i < m1; i += TILE_ROWS) {
                        pack_strip(packed_a + i * k1, a1, i, TILE_ROWS, m1, k1);
                    }
#pragma omp for
                    for (size_t j = 0; j < n1; j += TILE_COLUMNS) {
                        pack_strip(packed_b + j * k1, b1, j, TILE_COLUMNS, n1, k1);
                    }
#pragma omp for collapse(2) schedule(dynamic)
                    for (size_t i = 0; i < m1; i += BLOCK_ROWS) {
                        for (size_t j = 0; j < n1; j += BLOCK_COLUMNS) {
                            multiply_block(c + (i0 + i) * width + j0 + j, width, packed_a + i * k1, packed_b + j * k1,
                                           minimum(BLOCK_ROWS, m1 - i), minimum(BLOCK_COLUMNS, n1 - j), k1, now,
                                           bias1 == NULL ? NULL : bias1 + j);
                        }
                    }
                }
            }
        }
    }
}

void gemm_single_thread(float *c, size_t width, Matrix a, Matrix b, size_t m, size_t n, size_t k, Mode mode) {
    static _Thread_local float packed_a[SINGLE_ROWS * DEPTH], packed_b[SINGLE_COLUMNS * DEPTH];
    size_t depth = divide_rounding_up(k, divide_rounding_up(k, DEPTH));
    for (size_t j0 = 0; j0 < n; j0 += SINGLE_COLUMNS) {
        size_t n1 = minimum(SINGLE_COLUMNS, n - j0);
        for (size_t p0 = 0; p0 < k; p0 += depth) {
            size_t k1 = minimum(depth, k - p0);
            Matrix b1 = transposed(submatrix(b, p0, j0));
            for (size_t j = 0; j < n1; j += TILE_COLUMNS) {
                pack_strip(packed_b + j * k1, b1, j, TILE_COLUMNS, n1, k1);
            }
            for (size_t i0 = 0; i0 < m; i0 += SINGLE_ROWS) {
                size_t m1 = minimum(SINGLE_ROWS, m - i0);
                Matrix a1 = submatrix(a, i0, p0);
                for (size_t i = 0; i < m1; i += TILE_ROWS) {
                    pack_strip(packed_a + i * k1, a1, i, TILE_ROWS, m1, k1);
                }
                multiply_block(c + i0 * width + j0, width, packed_a, packed_b, m1, n1, k1, p0 == 0 ? mode : ADD, NULL);
            }
        }
    }
}
