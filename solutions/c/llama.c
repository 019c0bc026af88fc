/* llama: a Llama in one file, which continues a sequence of token ids greedily.
 *
 *     llama MODEL COUNT ID [ID ...]
 *
 * MODEL is a file that `python -m solutions.smollm MODEL` writes. The COUNT ids that follow the given ones go to
 * standard output, one a line, the likeliest each time. The seconds for an id go to standard error.
 *
 * All numbers are float32. One position is computed at a time, so every linear layer is a matrix times a vector.
 * Shapes: V tokens, d width of the model, H query heads and G key heads of width dh = d / H, KV = G dh, F width inside
 * the feed-forward layer, L layers, T positions in the cache. The same model in PyTorch is solutions/llama.py.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEADER = 256, MAGIC = 20251129, VERSION = 1 };

typedef struct {
    int V, d, F, H, G, L, tied;
    float base, eps;
} Config;

typedef struct {
    float *norm1, *q, *k, *v, *o;    /* (d), (d, d), (KV, d), (KV, d), (d, d) */
    float *norm2, *gate, *up, *down; /* (d), (F, d), (F, d), (d, F) */
    float *keys, *values;            /* the cache, (T, KV); keys are turned */
} Layer;

typedef struct {
    Config config;
    float *table, *norm, *head; /* (V, d), (d), (V, d): the table itself where it is tied */
    Layer *layers;
    float *x, *y, *query, *mixed, *gate, *up, *scores, *logits; /* (d) four times, (F) twice, (H, T), (V) */
    int T;
} Model;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("llama: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

static float *numbers(size_t count) {
    float *found = count > SIZE_MAX / sizeof(float) ? NULL : calloc(count ? count : 1, sizeof(float));
    if (found == NULL) {
        fail("there is no memory for %zu more numbers.", count);
    }
    return found;
}

/* --- the file ------------------------------------------------------------------------------------------------ */

static float *read_numbers(FILE *file, const char *path, size_t count) {
    float *found = numbers(count);
    if (fread(found, sizeof(float), count, file) != count) {
        fail("%s ends too early: write it again with 'python -m solutions.smollm %s'.", path, path);
    }
    return found;
}

static Config read_config(FILE *file, const char *path) {
    int32_t header[HEADER];
    if (fread(header, sizeof(int32_t), HEADER, file) != HEADER || header[0] != MAGIC || header[1] != VERSION) {
        fail("%s is no model of this program: write one with 'python -m solutions.smollm FILE'.", path);
    }
    Config c = {header[2], header[3], header[4], header[5], header[6], header[7], header[8], 0.0f, 0.0f};
    memcpy(&c.base, &header[9], sizeof(float));
    memcpy(&c.eps, &header[10], sizeof(float));
    const int sizes[] = {c.V, c.d, c.F, c.H, c.G, c.L};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        if (sizes[i] < 1 || sizes[i] > 1 << 24) {
            fail("%s has a size of %d in its header, which no model has.", path, sizes[i]);
        }
    }
    if (c.d % c.H != 0 || c.d / c.H % 2 != 0 || c.H % c.G != 0) {
        fail("%s has %d heads, %d key heads and the width %d, which do not fit together.", path, c.H, c.G, c.d);
    }
    return c;
}

static Model read_model(const char *path, int T) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail("%s cannot be opened: %s.", path, strerror(errno));
    }
    Model m = {.config = read_config(file, path), .T = T};
    const Config c = m.config;
    const size_t d = c.d, F = c.F, KV = (size_t)c.G * (c.d / c.H);
    m.table = read_numbers(file, path, c.V * d);
    m.layers = calloc(c.L, sizeof(Layer));
    if (m.layers == NULL) {
        fail("there is no memory for %d layers.", c.L);
    }
    for (int l = 0; l < c.L; l++) {
        Layer *layer = &m.layers[l];
        layer->norm1 = read_numbers(file, path, d);
        layer->q = read_numbers(file, path, d * d);
        layer->k = read_numbers(file, path, KV * d);
        layer->v = read_numbers(file, path, KV * d);
        layer->o = read_numbers(file, path, d * d);
        layer->norm2 = read_numbers(file, path, d);
        layer->gate = read_numbers(file, path, F * d);
        layer->up = read_numbers(file, path, F * d);
        layer->down = read_numbers(file, path, d * F);
        layer->keys = numbers(T * KV);
        layer->values = numbers(T * KV);
    }
    m.norm = read_numbers(file, path, d);
    m.head = c.tied ? m.table : read_numbers(file, path, c.V * d);
    if (fgetc(file) != EOF) {
        fail("%s has more numbers than its header says.", path);
    }
    fclose(file);
    m.x = numbers(d);
    m.y = numbers(d);
    m.query = numbers(d);
    m.mixed = numbers(d);
    m.gate = numbers(F);
    m.up = numbers(F);
    m.scores = numbers((size_t)c.H * T);
    m.logits = numbers(c.V);
    return m;
}

static void free_model(Model *m) {
    for (int l = 0; l < m->config.L; l++) {
        Layer *layer = &m->layers[l];
        float *parts[] = {layer->norm1, layer->q,    layer->k,  layer->v,    layer->o,     layer->norm2,
                          layer->gate,  layer->up, layer->down, layer->keys, layer->values};
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
            free(parts[i]);
        }
    }
    if (m->head != m->table) {
        free(m->head);
    }
    float *parts[] = {m->table, m->norm, m->x, m->y, m->query, m->mixed, m->gate, m->up, m->scores, m->logits};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        free(parts[i]);
    }
    free(m->layers);
}

/* --- the parts ----------------------------------------------------------------------------------------------- */

static float dot(const float *a, const float *b, int n) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* out = weight x, for a weight (rows, n). */
static void linear(float *out, const float *weight, const float *x, int rows, int n) {
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        out[row] = dot(weight + (size_t)row * n, x, n);
    }
}

static void rms_norm(float *out, const float *x, const float *gain, int n, float eps) {
    const float scale = 1.0f / sqrtf(dot(x, x, n) / n + eps);
    for (int i = 0; i < n; i++) {
        out[i] = gain[i] * scale * x[i];
    }
}

/* Turns the entries i and i + width / 2 of each head by position * base^(-2i / width), in place. */
static void rope(float *x, int heads, int width, int position, float base) {
    for (int i = 0; i < width / 2; i++) {
        const float angle = position * powf(base, -2.0f * i / width);
        const float c = cosf(angle), s = sinf(angle);
        for (int h = 0; h < heads; h++) {
            float *one = x + h * width + i, *other = one + width / 2;
            const float a = *one, b = *other;
            *one = a * c - b * s;
            *other = a * s + b * c;
        }
    }
}

static void softmax(float *x, int n) {
    float largest = -FLT_MAX, sum = 0.0f;
    for (int i = 0; i < n; i++) {
        largest = fmaxf(largest, x[i]);
    }
    for (int i = 0; i < n; i++) {
        x[i] = expf(x[i] - largest);
        sum += x[i];
    }
    for (int i = 0; i < n; i++) {
        x[i] /= sum;
    }
}

/* What the heads find at this position, side by side in m->mixed, from the normed vector m->y. */
static void attend(Model *m, Layer *layer, int position) {
    const Config c = m->config;
    const int width = c.d / c.H, KV = c.G * width;
    float *key = layer->keys + (size_t)position * KV;
    linear(m->query, layer->q, m->y, c.d, c.d);
    linear(key, layer->k, m->y, KV, c.d);
    linear(layer->values + (size_t)position * KV, layer->v, m->y, KV, c.d);
    rope(m->query, c.H, width, position, c.base);
    rope(key, c.G, width, position, c.base);
#pragma omp parallel for
    for (int h = 0; h < c.H; h++) {
        const int shared = h / (c.H / c.G) * width; /* where its key head begins, in a row of the cache */
        float *scores = m->scores + (size_t)h * m->T, *found = m->mixed + h * width;
        for (int t = 0; t <= position; t++) {
            scores[t] = dot(m->query + h * width, layer->keys + (size_t)t * KV + shared, width) / sqrtf(width);
        }
        softmax(scores, position + 1);
        memset(found, 0, width * sizeof(float));
        for (int t = 0; t <= position; t++) {
            for (int i = 0; i < width; i++) {
                found[i] += scores[t] * layer->values[(size_t)t * KV + shared + i];
            }
        }
    }
}

static void add(float *x, const float *y, int n) {
    for (int i = 0; i < n; i++) {
        x[i] += y[i];
    }
}

/* Reads one id; m->logits then say what comes next, if they are wanted. */
static void forward(Model *m, int id, int position, int wants_logits) {
    const Config c = m->config;
    memcpy(m->x, m->table + (size_t)id * c.d, c.d * sizeof(float));
    for (int l = 0; l < c.L; l++) {
        Layer *layer = &m->layers[l];
        rms_norm(m->y, m->x, layer->norm1, c.d, c.eps);
        attend(m, layer, position);
        linear(m->y, layer->o, m->mixed, c.d, c.d);
        add(m->x, m->y, c.d);
        rms_norm(m->y, m->x, layer->norm2, c.d, c.eps);
        linear(m->gate, layer->gate, m->y, c.F, c.d);
        linear(m->up, layer->up, m->y, c.F, c.d);
        for (int i = 0; i < c.F; i++) {
            m->gate[i] *= m->up[i] / (1.0f + expf(-m->gate[i]));
        }
        linear(m->y, layer->down, m->gate, c.d, c.F);
        add(m->x, m->y, c.d);
    }
    if (wants_logits) {
        rms_norm(m->y, m->x, m->norm, c.d, c.eps);
        linear(m->logits, m->head, m->y, c.V, c.d);
    }
}

/* --- the program --------------------------------------------------------------------------------------------- */

static int number(const char *text, const char *what, int lowest) {
    char *end;
    errno = 0;
    const long found = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || found < lowest || found > INT_MAX) {
        fail("%s must be a whole number of %d or more, but is '%s'.", what, lowest, text);
    }
    return (int)found;
}

static int likeliest(const float *logits, int V) {
    int best = 0;
    for (int v = 1; v < V; v++) {
        best = logits[v] > logits[best] ? v : best;
    }
    return best;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fail("say: llama MODEL COUNT ID [ID ...]");
    }
    const int count = number(argv[2], "COUNT", 1), given = argc - 3;
    if (count > INT_MAX - given) {
        fail("COUNT is too large: %d.", count);
    }
    Model m = read_model(argv[1], given + count);
    int id = 0;
    for (int i = 0; i < given; i++) {
        id = number(argv[3 + i], "ID", 0);
        if (id >= m.config.V) {
            fail("ID must be below %d, the size of the vocabulary, but is %d.", m.config.V, id);
        }
        forward(&m, id, i, i == given - 1);
    }
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < count; i++) {
        id = likeliest(m.logits, m.config.V);
        printf("%d\n", id);
        if (i < count - 1) {
            forward(&m, id, given + i, 1);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
    if (count > 1) {
        fprintf(stderr, "%.4f s for an id\n", seconds / (count - 1));
    }
    free_model(&m);
    return 0;
}
