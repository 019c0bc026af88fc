/* GPT-2 (Radford et al. 2019): pre-norm Transformer layers, a final norm, and an output layer that is wte again. */
#include "model.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "kernels.h"

#ifdef PLAIN_KERNELS
enum { KEEPS_SCORES = 1 }; /* kernels as in the exercises want room for preatt and datt */
#else
enum { KEEPS_SCORES = 0 };
#endif

const char *config_problem(const Config *c) {
    const int most = 1 << 20;
    if (c->max_seq_len < 1 || c->num_layers < 1 || c->num_heads < 1 || c->channels < 1 || c->vocab_size < 1) {
        return "every size must be at least 1";
    }
    if (c->max_seq_len > most || c->num_layers > most || c->channels > most || c->padded_vocab_size > 16 * most) {
        return "a size is too large to be meant";
    }
    if (c->padded_vocab_size < c->vocab_size) {
        return "padded_vocab_size is smaller than vocab_size";
    }
    if (c->channels % c->num_heads != 0) {
        return "num_heads does not divide channels";
    }
    return NULL;
}

size_t describe_parameters(Tensor *params, const Config *config) {
    size_t L = config->num_layers, C = config->channels;
    const Tensor described[PARAMETERS] = {
        [WTE] = {"wte", 1, config->padded_vocab_size * C, NULL},
        [WPE] = {"wpe", 1, config->max_seq_len * C, NULL},
        [LN1W] = {"ln1w", L, C, NULL},
        [LN1B] = {"ln1b", L, C, NULL},
        [QKVW] = {"qkvw", L, 3 * C * C, NULL},
        [QKVB] = {"qkvb", L, 3 * C, NULL},
        [ATTPROJW] = {"attprojw", L, C * C, NULL},
        [ATTPROJB] = {"attprojb", L, C, NULL},
        [LN2W] = {"ln2w", L, C, NULL},
        [LN2B] = {"ln2b", L, C, NULL},
        [FCW] = {"fcw", L, 4 * C * C, NULL},
        [FCB] = {"fcb", L, 4 * C, NULL},
        [FCPROJW] = {"fcprojw", L, 4 * C * C, NULL},
        [FCPROJB] = {"fcprojb", L, C, NULL},
        [LNFW] = {"lnfw", 1, C, NULL},
        [LNFB] = {"lnfb", 1, C, NULL},
    };
    memcpy(params, described, sizeof described);
    size_t total = 0;
    for (int kind = 0; kind < PARAMETERS; kind++) {
        total += params[kind].layers * params[kind].size;
    }
    return total;
}

static void describe_activations(Model *model) {
    const Config *c = &model->config;
    size_t R = (size_t)model->B * model->T, C = c->channels, L = model->training ? c->num_layers : 1;
    size_t scores = R * c->num_heads * model->T;
    size_t outputs = model->training ? R : 1; /* to generate, only the last position's logits count */
    size_t once = model->training ? R : 0;
    const Tensor acts[ACTIVATIONS] = {
        [ENCODED] = {"encoded", 1, R * C, NULL},
        [LN1] = {"ln1", L, R * C, NULL},
        [LN1_MEAN] = {"ln1_mean", L, R, NULL},
        [LN1_RSTD] = {"ln1_rstd", L, R, NULL},
        [QKV] = {"qkv", c->num_layers, R * 3 * C, NULL},
        [ATT] = {"att", L, scores, NULL},
        [ATTY] = {"atty", L, R * C, NULL},
        [RESIDUAL2] = {"residual2", L, R * C, NULL},
        [LN2] = {"ln2", L, R * C, NULL},
        [LN2_MEAN] = {"ln2_mean", L, R, NULL},
        [LN2_RSTD] = {"ln2_rstd", L, R, NULL},
        [FCH] = {"fch", L, R * 4 * C, NULL},
        [FCH_GELU] = {"fch_gelu", L, R * 4 * C, NULL},
        [RESIDUAL3] = {"residual3", L, R * C, NULL},
        [LNF] = {"lnf", 1, R * C, NULL},
        [LNF_MEAN] = {"lnf_mean", 1, R, NULL},
        [LNF_RSTD] = {"lnf_rstd", 1, R, NULL},
        [LOGITS] = {"logits", 1, outputs * c->padded_vocab_size, NULL},
        [PROBS] = {"probs", 1, once * c->padded_vocab_size, NULL},
        [LOSSES] = {"losses", 1, once, NULL},
        [BRANCH] = {"branch", 1, R * C, NULL}, /* what is about to be added to the residual stream */
        [PREATT] = {"preatt", 1, KEEPS_SCORES * scores, NULL},
    };
    const Tensor dacts[GRADIENTS] = {
        [DRESIDUAL] = {"dresidual", 1, once * C, NULL},
        [DNORM] = {"dnorm", 1, once * C, NULL},
        [DLOSSES] = {"dlosses", 1, once, NULL},
        [DQKV] = {"dqkv", 1, once * 3 * C, NULL},
        [DPREATT] = {"dpreatt", 1, model->training ? scores : 0, NULL},
        [DATT] = {"datt", 1, model->training ? KEEPS_SCORES * scores : 0, NULL},
        [DATTY] = {"datty", 1, once * C, NULL},
        [DFCH] = {"dfch", 1, once * 4 * C, NULL},
        [DFCH_GELU] = {"dfch_gelu", 1, once * 4 * C, NULL},
        [DLOGITS] = {"dlogits", 1, once * c->padded_vocab_size, NULL},
    };
    memcpy(model->acts, acts, sizeof acts);
    memcpy(model->dacts, dacts, sizeof dacts);
}

/* Give each of some kinds of tensors its memory, the first one `used` numbers after the start, or NULL if it has no
 * size. Returns where the next one may begin. Without memory it only counts. */
static size_t assign_memory(Tensor *kinds, int first, int end, float *memory, size_t used) {
    for (int kind = first; kind < end; kind++) {
        size_t numbers = kinds[kind].layers * kinds[kind].size;
        kinds[kind].data = memory == NULL || numbers == 0 ? NULL : memory + used;
        used += numbers;
    }
    return used;
}

static size_t assign_all_memory(Model *model, float *memory) {
    size_t used = assign_memory(model->params, 0, PARAMETERS, memory, 0);
    if (model->training) {
        used = assign_memory(model->grads, 0, PARAMETERS, memory, used);
        used = assign_memory(model->m, 0, PARAMETERS, memory, used);
        used = assign_memory(model->v, 0, PARAMETERS, memory, used);
    }
    used = assign_memory(model->acts, 0, ACTIVATIONS, memory, used);
    used = assign_memory(model->dacts, 0, DQKV, memory, used);
    size_t of_attention = assign_memory(model->dacts, DQKV, DFCH, memory, used);
    size_t of_feed_forward = assign_memory(model->dacts, DFCH, DLOGITS, memory, used);
    model->dacts[DLOGITS].data = model->acts[LOGITS].data;
    return of_attention > of_feed_forward ? of_attention : of_feed_forward;
}

Model *model_describe(const Config *config, int B, int T, int training) {
    const char *problem = config_problem(config);
    if (problem != NULL) {
        fail("there is no such model: %s.", problem);
    }
    if (T > config->max_seq_len) {
        fail("a sequence of %d tokens is too long: the model's max_seq_len is %d.", T, config->max_seq_len);
    }
    double widest = (double)B * T * 4 * config->channels, scores = (double)B * T * config->num_heads * T;
    if (widest > INT_MAX || scores > 1e13) {
        fail("a batch of %d sequences of %d tokens is too large: choose fewer or shorter ones.", B, T);
    }
    Model *model = allocate(sizeof *model, "a model");
    *model = (Model){.config = *config, .B = B, .T = T, .training = training};
    model->num_parameters = describe_parameters(model->params, config);
    memcpy(model->grads, model->params, sizeof model->params);
    memcpy(model->m, model->params, sizeof model->params);
    memcpy(model->v, model->params, sizeof model->params);
    describe_activations(model);
    model->memory_floats = assign_all_memory(model, NULL);
    return model;
}

Model *model_new(const Config *config, int B, int T, int training) {
    Model *model = model_describe(config, B, T, training);
    model->memory = allocate(model->memory_floats * sizeof(float), "the model with its activations");
    assign_all_memory(model, model->memory);
    if (training) {
        memset(model->m[0].data, 0, 2 * model->num_parameters * sizeof(float)); /* v follows m */
    }
    return model;
}

void model_free(Model *model) {
    free(model->memory);
    free(model);
}

const Tensor *model_tensor(const Model *model, const char *group, const char *name) {
    const struct {
        const char *name;
        const Tensor *kinds;
        int count;
    } groups[] = {
        {"params", model->params, PARAMETERS}, {"grads", model->grads, PARAMETERS}, {"m", model->m, PARAMETERS},
        {"v", model->v, PARAMETERS}, {"acts", model->acts, ACTIVATIONS}, {"dacts", model->dacts, GRADIENTS},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        for (int kind = 0; strcmp(groups[i].name, group) == 0 && kind < groups[i].count; kind++) {
            if (strcmp(groups[i].kinds[kind].name, name) == 0) {
                return &groups[i].kinds[kind];
            }
        }
    }
    return NULL;
}

void model_initialise(Model *model, uint64_t seed) {
    const Config *c = &model->config;
    float into_residual = 0.02f / sqrtf(2.0f * (float)c->num_layers);
    uint64_t n = 0;
    for (int kind = 0; kind < PARAMETERS; kind++) {
        Tensor *tensor = &model->params[kind];
        size_t size = tensor->layers * tensor->size;
        size_t used = kind == WTE ? (size_t)c->vocab_size * c->channels : size; /* rows of padding are 0 */
        for (size_t i = 0; i < size; i++) {
            float value = 0.0f;
            switch (kind) {
                case WTE: case WPE: case QKVW: case FCW:
                    value = i < used ? 0.02f * random_normal(seed, n++) : 0.0f;
                    break;
                case ATTPROJW: case FCPROJW:
                    value = into_residual * random_normal(seed, n++);
                    break;
                case LN1W: case LN2W: case LNFW:
                    value = 1.0f;
                    break;
                default:
                    break;
            }
            tensor->data[i] = value;
        }
    }
}

/* All layers and the final norm, for positions from `start` on. A start other than 0 is for B = 1. */
static void forward_layers(Model *model, const int *tokens, int B, int T, int start) {
    const Tensor *p = model->params, *a = model->acts;
    int C = model->config.channels, NH = model->config.num_heads;
    int n = T - start; /* new positions of each sequence */
    int N = B * n * C;
    size_t from = (size_t)start * C; /* where the new positions begin, in an array (1, T, C) */

    float *residual = a[ENCODED].data;
    encoder_forward(residual + from, tokens + start, p[WTE].data, p[WPE].data + from, B, n, C);
    for (int l = 0; l < model->config.num_layers; l++) {
        float *ln1 = layer_data(&a[LN1], l) + from, *ln2 = layer_data(&a[LN2], l) + from;
        float *qkv = layer_data(&a[QKV], l), *atty = layer_data(&a[ATTY], l), *branch = a[BRANCH].data + from;
        float *residual2 = layer_data(&a[RESIDUAL2], l), *residual3 = layer_data(&a[RESIDUAL3], l);
        float *fch = layer_data(&a[FCH], l) + 4 * from, *fch_gelu = layer_data(&a[FCH_GELU], l) + 4 * from;

        layernorm_forward(ln1, layer_data(&a[LN1_MEAN], l) + start, layer_data(&a[LN1_RSTD], l) + start,
                          residual + from, layer_data(&p[LN1W], l), layer_data(&p[LN1B], l), B, n, C);
        matmul_forward(qkv + 3 * from, ln1, layer_data(&p[QKVW], l), layer_data(&p[QKVB], l), B, n, C, 3 * C);
#ifdef PLAIN_KERNELS
        attention_forward(atty, a[PREATT].data, layer_data(&a[ATT], l), qkv, B, T, C, NH);
#else
        attention_forward_from(atty, NULL, layer_data(&a[ATT], l), qkv, B, T, C, NH, start);
#endif
        matmul_forward(branch, atty + from, layer_data(&p[ATTPROJW], l), layer_data(&p[ATTPROJB], l), B, n, C, C);
        residual_forward(residual2 + from, residual + from, branch, N);

        layernorm_forward(ln2, layer_data(&a[LN2_MEAN], l) + start, layer_data(&a[LN2_RSTD], l) + start,
                          residual2 + from, layer_data(&p[LN2W], l), layer_data(&p[LN2B], l), B, n, C);
        matmul_forward(fch, ln2, layer_data(&p[FCW], l), layer_data(&p[FCB], l), B, n, C, 4 * C);
        gelu_forward(fch_gelu, fch, 4 * N);
        matmul_forward(branch, fch_gelu, layer_data(&p[FCPROJW], l), layer_data(&p[FCPROJB], l), B, n, 4 * C, C);
        residual_forward(residual3 + from, residual2 + from, branch, N);
        residual = residual3;
    }
    layernorm_forward(a[LNF].data + from, a[LNF_MEAN].data + start, a[LNF_RSTD].data + start, residual + from,
                      p[LNFW].data, p[LNFB].data, B, n, C);
}

float model_forward(Model *model, const int *tokens, const int *targets, int B, int T) {
    const Tensor *a = model->acts;
    int V = model->config.vocab_size, Vp = model->config.padded_vocab_size;
    forward_layers(model, tokens, B, T, 0);
    matmul_forward(a[LOGITS].data, a[LNF].data, model->params[WTE].data, NULL, B, T, model->config.channels, Vp);
    softmax_forward(a[PROBS].data, a[LOGITS].data, B, T, V, Vp);
    crossentropy_forward(a[LOSSES].data, a[PROBS].data, targets, B, T, Vp);
    double sum = 0.0;
    for (size_t row = 0; row < (size_t)B * T; row++) {
        sum += a[LOSSES].data[row];
    }
    return (float)(sum / ((double)B * T));
}

/* Gradients add up, so what they are added to starts at 0. */
static float *zeroed(const Tensor *tensor) {
    return memset(tensor->data, 0, tensor->size * sizeof(float));
}

void model_backward(Model *model, const int *tokens, const int *targets, int B, int T) {
    const Tensor *p = model->params, *g = model->grads, *a = model->acts, *d = model->dacts;
    int C = model->config.channels, NH = model->config.num_heads, L = model->config.num_layers;
    int V = model->config.vocab_size, Vp = model->config.padded_vocab_size;
    memset(g[0].data, 0, model->num_parameters * sizeof(float));

    for (size_t row = 0; row < (size_t)B * T; row++) {
        d[DLOSSES].data[row] = 1.0f / ((float)B * (float)T); /* the loss is their mean */
    }
    crossentropy_softmax_backward(zeroed(&d[DLOGITS]), d[DLOSSES].data, a[PROBS].data, targets, B, T, V, Vp);
    matmul_backward(zeroed(&d[DNORM]), g[WTE].data, NULL, d[DLOGITS].data, a[LNF].data, p[WTE].data, B, T, C, Vp);

    /* The residual stream's gradient. Along the stream it passes every layer as it is, and what comes back out of a
     * layer's two branches is added: that is residual_backward, without a copy. */
    float *stream = zeroed(&d[DRESIDUAL]);
    layernorm_backward(stream, g[LNFW].data, g[LNFB].data, d[DNORM].data, layer_data(&a[RESIDUAL3], L - 1),
                       p[LNFW].data, a[LNF_MEAN].data, a[LNF_RSTD].data, B, T, C);
    for (int l = L - 1; l >= 0; l--) {
        const float *residual = l == 0 ? a[ENCODED].data : layer_data(&a[RESIDUAL3], l - 1);

        matmul_backward(zeroed(&d[DFCH_GELU]), layer_data(&g[FCPROJW], l), layer_data(&g[FCPROJB], l), stream,
                        layer_data(&a[FCH_GELU], l), layer_data(&p[FCPROJW], l), B, T, 4 * C, C);
        gelu_backward(zeroed(&d[DFCH]), layer_data(&a[FCH], l), d[DFCH_GELU].data, B * T * 4 * C);
        matmul_backward(zeroed(&d[DNORM]), layer_data(&g[FCW], l), layer_data(&g[FCB], l), d[DFCH].data,
                        layer_data(&a[LN2], l), layer_data(&p[FCW], l), B, T, C, 4 * C);
        layernorm_backward(stream, layer_data(&g[LN2W], l), layer_data(&g[LN2B], l), d[DNORM].data,
                           layer_data(&a[RESIDUAL2], l), layer_data(&p[LN2W], l), layer_data(&a[LN2_MEAN], l),
                           layer_data(&a[LN2_RSTD], l), B, T, C);

        matmul_backward(zeroed(&d[DATTY]), layer_data(&g[ATTPROJW], l), layer_data(&g[ATTPROJB], l), stream,
                        layer_data(&a[ATTY], l), layer_data(&p[ATTPROJW], l), B, T, C, C);
        if (KEEPS_SCORES) {
            zeroed(&d[DPREATT]);
            zeroed(&d[DATT]);
        }
        attention_backward(zeroed(&d[DQKV]), d[DPREATT].data, d[DATT].data, d[DATTY].data, layer_data(&a[QKV], l),
                           layer_data(&a[ATT], l), B, T, C, NH);
        matmul_backward(zeroed(&d[DNORM]), layer_data(&g[QKVW], l), layer_data(&g[QKVB], l), d[DQKV].data,
                        layer_data(&a[LN1], l), layer_data(&p[QKVW], l), B, T, C, 3 * C);
        layernorm_backward(stream, layer_data(&g[LN1W], l), layer_data(&g[LN1B], l), d[DNORM].data, residual,
                           layer_data(&p[LN1W], l), layer_data(&a[LN1_MEAN], l), layer_data(&a[LN1_RSTD], l), B, T, C);
    }
    encoder_backward(g[WTE].data, g[WPE].data, stream, tokens, B, T, C);
}

static int is_matrix(int kind) {
    return kind == WTE || kind == WPE || kind == QKVW || kind == ATTPROJW || kind == FCW || kind == FCPROJW;
}

void model_update(Model *model, int step, float lr, float beta1, float beta2, float eps, float weight_decay) {
    for (int kind = 0; kind < PARAMETERS; kind++) {
        adamw_update(model->params[kind].data, model->grads[kind].data, model->m[kind].data, model->v[kind].data,
                     (long)(model->params[kind].layers * model->params[kind].size), lr, beta1, beta2, eps,
                     is_matrix(kind) ? weight_decay : 0.0f, step);
    }
}

const float *model_next(Model *model, const int *tokens, int known, int length) {
    const Tensor *a = model->acts;
    int C = model->config.channels;
#ifdef PLAIN_KERNELS
    known = 0; /* the plain attention_forward always starts at position 0 */
#endif
    forward_layers(model, tokens, 1, length, known);
    matmul_forward(a[LOGITS].data, a[LNF].data + (size_t)(length - 1) * C, model->params[WTE].data, NULL, 1, 1, C,
                   model->config.padded_vocab_size);
    return a[LOGITS].data;
}
