/* The files of the program: checkpoints, training states, tokens and vocabularies. All numbers are little-endian. */
#ifndef FILES_H
#define FILES_H

#include "common.h"
#include "model.h"

/* Checkpoint, version 3, float32: a header of 256 int32
 *     20240326, 3, max_seq_len, vocab_size, num_layers, num_heads, channels, padded_vocab_size, 0, ...
 * and then all parameters as float32, by kind in the order of model.h, each kind for all layers.
 *
 * Training state: a header of 256 int32 that starts with 20240327, 1 and the same six sizes, then holds Settings from
 * index 8 on; and then three times as many float32: the parameters, AdamW's m, AdamW's v.
 *
 * Tokens: a header of 256 int32: 20240520, 1, number of tokens, 0, ...; and then one uint16 for each token.
 *
 * Vocabulary: a header of 256 int32: 20240328, 2, vocab_size, id of the token that ends a text or -1, 0, ...; and then
 * for each token one byte, the number of its bytes, and these bytes. */
enum { MODEL_MAGIC = 20240326, STATE_MAGIC = 20240327, VOCABULARY_MAGIC = 20240328, TOKENS_MAGIC = 20240520 };
enum { MODEL_VERSION = 3, STATE_VERSION = 1, VOCABULARY_VERSION = 2, TOKENS_VERSION = 1 };

/* How a training is done, and how far it is: everything that its next step depends on, apart from the tensors. */
typedef struct {
    int step;       /* steps done */
    int steps;      /* steps to do in all */
    int B, T;       /* sequences in a batch, tokens in a sequence */
    int seed;       /* draws the batches */
    int sequential; /* batches one after the other from the start of the file, in place of random ones */
    int warmup;     /* steps in which the rate rises to lr */
    float lr, last_lr; /* the rate falls towards lr * last_lr at the end, along half a cosine */
    float weight_decay, beta1, beta2, eps;
} Settings;

/* The header of a checkpoint or a state. If the header or the file's size is wrong, the program ends with a message. */
Config read_header(Input *input, int32_t *header, int magic);

/* A model from a checkpoint, with room for B sequences of T tokens; T = 0 stands for max_seq_len. */
Model *load_model(const char *path, int B, int T, int training);
void save_model(const char *path, const Model *model);

/* The same with m, v and the settings: a training resumed from there goes on exactly as if it had never stopped. */
Model *load_state(const char *path, Settings *settings);
void save_state(const char *path, const Model *model, const Settings *settings);

typedef struct {
    uint16_t *ids;
    size_t count;
} Tokens;

/* The tokens of a file. An id that is not below vocab_size ends the program. */
Tokens load_tokens(const char *path, int vocab_size);

typedef struct {
    int size, end; /* `end`: the token that ends a text, or -1 */
    unsigned char *all;
    const unsigned char **bytes; /* of each token, within `all` */
    int *lengths;
    int *slots; /* ids by the hash of their bytes, or -1; at least twice as many as tokens, a power of 2 */
    size_t slot_count;
} Vocabulary;

Vocabulary load_vocabulary(const char *path);
Vocabulary bytes_vocabulary(void); /* 256 tokens, one for each byte */
void free_vocabulary(Vocabulary *vocabulary);

/* The ids of a text, by byte-pair merges: the rank of a merge is the id of the token that it makes, as in GPT-2's
 * vocabulary. Writes at most `most` ids. Returns how many there are, but stops counting soon after `most`. */
int encode_text(const Vocabulary *vocabulary, const char *text, int *ids, int most);

#endif
