/* gpt2 generate */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "files.h"
#include "options.h"

static int descending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* A token drawn with probability proportional to e^(logit / temperature), from the top_k highest logits (0: from all);
 * temperature 0 takes the highest. `u` is uniform in [0, 1). `scratch` has V numbers. */
static int draw_token(const float *logits, int V, float temperature, int top_k, float u, float *scratch) {
    int best = 0;
    for (int v = 1; v < V; v++) {
        best = logits[v] > logits[best] ? v : best;
    }
    if (temperature == 0.0f) {
        return best;
    }
    float least = -INFINITY, total = 0.0f;
    if (top_k > 0 && top_k < V) {
        memcpy(scratch, logits, (size_t)V * sizeof *scratch);
        qsort(scratch, (size_t)V, sizeof *scratch, descending);
        least = scratch[top_k - 1];
    }
    for (int v = 0; v < V; v++) {
        scratch[v] = logits[v] >= least ? expf((logits[v] - logits[best]) / temperature) : 0.0f;
        total += scratch[v];
    }
    float left = u * total;
    for (int v = 0; v < V; v++) {
        left -= scratch[v];
        if (left < 0.0f) {
            return v;
        }
    }
    return best; /* rounding left a little over */
}

/* Numbers between commas or spaces. */
static int read_ids(const char *text, int *ids, int most) {
    int count = 0;
    for (char *end; *text != '\0'; text = end) {
        errno = 0;
        long id = strtol(text, &end, 10);
        if (end == text || errno != 0 || id < INT_MIN || id > INT_MAX) {
            fail("--ids takes whole numbers with commas between them, not '%s'.", text);
        }
        if (count < most) {
            ids[count] = (int)id;
        }
        count++;
        end += strspn(end, ", ");
    }
    return count;
}

/* Writes text to a terminal. A '?' replaces every byte that could control the terminal: control characters, and bytes
 * that are not UTF-8. New lines and tabs stay. A character may begin in one token and end in the next. */
static void print_for_terminal(const unsigned char *bytes, int length) {
    static int open = 0;        /* bytes of the character that are still to come */
    static unsigned char before; /* the last byte */
    for (int i = 0; i < length; i++) {
        unsigned char c = bytes[i];
        if (open > 0 && c >= 0x80 && c < 0xc0) {
            open--;
            c = before == 0xc2 && c < 0xa0 ? '?' : c; /* U+0080 to U+009F are control characters, too */
        } else {
            open = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
            if (c < 0xc2 || c > 0xf4) {
                open = 0;
                c = (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t' ? c : '?';
            }
        }
        before = c;
        putchar(c);
    }
}

static void print_token(const Vocabulary *vocabulary, int id, int as_ids) {
    if (as_ids) {
        printf("%d ", id);
    } else if (id == vocabulary->end) {
        return;
    } else if (isatty(STDOUT_FILENO)) {
        print_for_terminal(vocabulary->bytes[id], vocabulary->lengths[id]);
    } else {
        fwrite(vocabulary->bytes[id], 1, (size_t)vocabulary->lengths[id], stdout);
    }
    fflush(stdout);
}

/* Logits of the next token. Logits that are not finite end the program. */
static const float *finite_logits(Model *model, const int *ids, int known, int length, const char *path) {
    const float *logits = model_next(model, ids, known, length);
    for (int v = 0; v < model->config.vocab_size; v++) {
        if (!isfinite(logits[v])) {
            printf("\n");
            fail("the logits of token %d are not finite numbers: %s is damaged, or its training has diverged. "
                 "gpt2 inspect shows which tensors.", length, path);
        }
    }
    return logits;
}

/* The vocabulary that turns text into tokens and back. A model of bytes needs no file. */
static Vocabulary vocabulary_for(const char *path, const Model *model) {
    Vocabulary vocabulary = {0};
    if (path != NULL) {
        vocabulary = load_vocabulary(path);
    } else if (model->config.vocab_size == 256) {
        vocabulary = bytes_vocabulary();
    }
    if (vocabulary.size != 0 && vocabulary.size != model->config.vocab_size) {
        fail("%s has %d tokens, but the model's vocab_size is %d.", path, vocabulary.size, model->config.vocab_size);
    }
    return vocabulary;
}

int generate(int argc, char **argv) {
    const char *path = NULL, *vocabulary_path = NULL, *prompt = NULL, *ids_text = NULL;
    int new_tokens = 0, top_k = 0, seed = 1, threads = 0, as_ids = 0;
    float temperature = 0.8f;
    const Option options[] = {
        {"vocabulary", TEXT, &vocabulary_path, "the file that says what each token is; not needed for bytes", 0, 0},
        {"prompt", TEXT, &prompt, "the text to go on with; else a new line", 0, 0},
        {"ids", TEXT, &ids_text, "the tokens to go on with, as numbers, in place of a text", 0, 0},
        {"print-ids", FLAG, &as_ids, "write numbers in place of text", 0, 0},
        {"new", WHOLE, &new_tokens, "how many tokens to add; 0: until max_seq_len", 0, 1e9},
        {"temperature", NUMBER, &temperature, "below 1 the likely becomes likelier; 0: always the likeliest", 0, 1e6},
        {"top-k", WHOLE, &top_k, "draw from so many likeliest tokens; 0: from all", 0, 1e9},
        {"seed", WHOLE, &seed, "another seed, another text", 0, 2147483647.0},
        {"threads", WHOLE, &threads, "0: as many as OpenMP chooses", 0, 4096},
    };
    const Command command = {"generate", "Let a model go on with a text. On a terminal, ? stands for "
                             "control characters.", "gpt2 generate CHECKPOINT [options]", &path,
                             options, sizeof options / sizeof *options};
    read_options(&command, argc, argv);
    if (ids_text != NULL) {
        refuse_options("prompt", "beside --ids");
    }
    if (temperature == 0.0f) {
        refuse_options("top-k seed", "with --temperature 0, which takes the likeliest token");
    }
    use_threads(threads);

    Model *model = load_model(path, 1, 0, 0);
    int V = model->config.vocab_size, most = model->config.max_seq_len;
    Vocabulary vocabulary = vocabulary_for(vocabulary_path, model);
    if (vocabulary.size == 0 && ids_text == NULL) {
        fail("a text needs --vocabulary FILE, which says what each of the %d tokens is. (Or give --ids.)", V);
    }
    as_ids |= vocabulary.size == 0;

    int *ids = allocate((size_t)most * sizeof *ids, "the tokens");
    int length = ids_text != NULL ? read_ids(ids_text, ids, most)
                                  : encode_text(&vocabulary, prompt == NULL ? "\n" : prompt, ids, most);
    if (length < 1) {
        fail("there is nothing to go on with: the prompt is empty.");
    }
    if (length > most) {
        fail("the prompt has more tokens than the model's max_seq_len, %d.", most);
    }
    int end = new_tokens > 0 ? length + new_tokens : most;
    if (end > most) {
        fail("%d tokens and %d new ones are more than the model's max_seq_len, %d.", length, new_tokens, most);
    }
    for (int t = 0; t < length; t++) {
        if (ids[t] < 0 || ids[t] >= V) {
            fail("token %d is %d, but the model's vocab_size is %d.", t, ids[t], V);
        }
        print_token(&vocabulary, ids[t], as_ids);
    }

    float *scratch = allocate((size_t)V * sizeof *scratch, "the probabilities");
    double started = seconds();
    for (int known = 0, t = length; t < end; known = t++) {
        const float *logits = finite_logits(model, ids, known, t, path);
        ids[t] = draw_token(logits, V, temperature, top_k, random_uniform((uint64_t)seed, (uint64_t)t), scratch);
        if (ids[t] == vocabulary.end && vocabulary.size != 0) {
            end = t;
        } else {
            print_token(&vocabulary, ids[t], as_ids);
        }
    }
    printf("\n");
    if (fflush(stdout) != 0) {
        fail("cannot write the text: %s.", strerror(errno));
    }
    fprintf(stderr, "%d new tokens, %.0f tokens/s\n", end - length, (end - length) / (seconds() - started));
    free(scratch);
    free(ids);
    if (vocabulary.size != 0) {
        free_vocabulary(&vocabulary);
    }
    model_free(model);
    return 0;
}
