/* GPT-2: its tensors, named, in one allocation, and what is done with them. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int max_seq_len;       /* the longest sequence: rows of wpe */
    int vocab_size;        /* V */
    int num_layers;        /* L */
    int num_heads;         /* NH */
    int channels;          /* C */
    int padded_vocab_size; /* Vp >= V: rows of wte */
} Config;

/* One kind of tensor: `layers` of them, one after the other, each of `size` numbers. */
typedef struct {
    const char *name;
    size_t layers, size;
    float *data;
} Tensor;

/* The parameters, in the order of a checkpoint: by kind, and each kind for all layers. */
typedef enum {
    WTE, WPE, LN1W, LN1B, QKVW, QKVB, ATTPROJW, ATTPROJB, LN2W, LN2B, FCW, FCB, FCPROJW, FCPROJB, LNFW, LNFB,
    PARAMETERS
} Parameter;

/* What the forward pass computes. To train, all layers keep it for the backward pass. To generate, layers take
 * turns in the same memory, except for QKV: keys and values of all earlier tokens are needed again with every new
 * one. */
typedef enum {
    ENCODED, LN1, LN1_MEAN, LN1_RSTD, QKV, ATT, ATTY, RESIDUAL2, LN2, LN2_MEAN, LN2_RSTD, FCH, FCH_GELU, RESIDUAL3,
    LNF, LNF_MEAN, LNF_RSTD, LOGITS, PROBS, LOSSES, BRANCH, PREATT,
    ACTIVATIONS
} Activation;

/* Their gradients, one layer's at a time. Those of attention and those of the feed-forward network are never needed at
 * once, and share their memory; DLOGITS takes that of the logits, which only softmax reads. */
typedef enum {
    DRESIDUAL, DNORM, DLOSSES,
    DQKV, DPREATT, DATT, DATTY,
    DFCH, DFCH_GELU,
    DLOGITS,
    GRADIENTS
} Gradient;

typedef struct {
    Config config;
    int B, T;     /* the largest batch that there is room for */
    int training; /* or only to generate */
    float *memory;
    size_t memory_floats;
    size_t num_parameters;
    /* Parameters, their gradients, and AdamW's m and v: four copies of the same layout. */
    Tensor params[PARAMETERS], grads[PARAMETERS], m[PARAMETERS], v[PARAMETERS];
    Tensor acts[ACTIVATIONS], dacts[GRADIENTS];
} Model;

/* A layer's tensor of a kind. */
static inline float *layer_data(const Tensor *kind, int layer) {
    return kind->layers == 1 ? kind->data : kind->data + (size_t)layer * kind->size;
}

/* Names and sizes of the parameters of a configuration, without memory (`data` is NULL). Returns their total number. */
size_t describe_parameters(Tensor *params, const Config *config);

/* NULL if a model of this configuration can exist; else what is wrong, as half a sentence. */
const char *config_problem(const Config *config);

/* What a model for batches of up to B sequences of T tokens needs: all tensors, none of them with memory yet. */
Model *model_describe(const Config *config, int B, int T, int training);

/* The same with memory. Parameters are not set; m and v are 0. */
Model *model_new(const Config *config, int B, int T, int training);
void model_free(Model *model);

/* A kind of tensor by its name, such as "qkvw", in "params", "grads", "m", "v", "acts" or "dacts"; NULL if there is
 * none. */
const Tensor *model_tensor(const Model *model, const char *group, const char *name);

/* GPT-2's start, as in llm.c: N(0, 0.02), into the residual stream 0.02 / sqrt(2 L); biases 0, norms 1. */
void model_initialise(Model *model, uint64_t seed);

/* The mean loss of B sequences of T tokens; `targets` are the tokens that should follow. */
float model_forward(Model *model, const int *tokens, const int *targets, int B, int T);

/* The gradients of that loss with respect to all parameters, right after model_forward with the same arguments. */
void model_backward(Model *model, const int *tokens, const int *targets, int B, int T);

/* One step of AdamW; `step` is 1 for the first. Weight decay is for matrices, not for biases and norms. */
void model_update(Model *model, int step, float lr, float beta1, float beta2, float eps, float weight_decay);

/* Logits (V) of what may follow the last of `length` tokens, in a model that is not for training, B = 1. The first
 * `known` tokens are the same as in the last call, and are not computed again. */
const float *model_next(Model *model, const int *tokens, int known, int length);

#endif
