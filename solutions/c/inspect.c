/* gpt2 inspect */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "files.h"
#include "options.h"

/* The first bytes of a file, 16 to a line: offset, hexadecimal, and the four int32 or float32 that they are. */
static void print_hexadecimal(const char *path, int lines) {
    Input input = open_input(path);
    for (int line = 0; line < lines; line++) {
        unsigned char bytes[16];
        if (fread(bytes, 1, sizeof bytes, input.file) != sizeof bytes) {
            break;
        }
        printf("%08x ", line * 16);
        for (int i = 0; i < 16; i++) {
            printf("%s%02x", i % 4 == 0 ? " " : "", bytes[i]);
        }
        for (int i = 0; i < 4; i++) {
            int32_t whole;
            float number;
            memcpy(&whole, bytes + 4 * i, 4);
            memcpy(&number, bytes + 4 * i, 4);
            if (line * 16 < HEADER * 4) {
                printf(" %11d", (int)whole);
            } else {
                printf(" %11.5f", (double)number);
            }
        }
        putchar('\n');
    }
    close_input(&input);
}

/* Name, layers, offset in the file, mean and standard deviation of every kind of tensor, read in one pass. */
static void print_parameters(Input *input, const Config *c) {
    Tensor kinds[PARAMETERS];
    size_t total = describe_parameters(kinds, c);
    printf("%zu parameters, %.1f MB\n\n", total, (double)total * 4e-6);
    printf("%-10s %6s %12s %12s %14s %10s %10s\n", "tensor", "layers", "each", "numbers", "from byte", "mean", "std");
    uint64_t offset = HEADER * 4;
    for (int kind = 0; kind < PARAMETERS; kind++) {
        size_t numbers = kinds[kind].layers * kinds[kind].size;
        double sum = 0.0, squares = 0.0;
        size_t strange = 0;
        for (size_t done = 0; done < numbers;) {
            float part[4096];
            size_t now = numbers - done < 4096 ? numbers - done : 4096;
            read_input(input, part, now * sizeof *part);
            for (size_t i = 0; i < now; i++) {
                strange += !isfinite(part[i]);
                sum += (double)part[i];
                squares += (double)part[i] * (double)part[i];
            }
            done += now;
        }
        double mean = sum / (double)numbers;
        printf("%-10s %6zu %12zu %12zu %14llu %10.5f %10.5f", kinds[kind].name, kinds[kind].layers, kinds[kind].size,
               numbers, (unsigned long long)offset, mean, sqrt(fmax(0.0, squares / (double)numbers - mean * mean)));
        if (strange > 0) {
            printf("   %zu are not finite", strange);
        }
        putchar('\n');
        offset += 4 * (uint64_t)numbers;
    }
}

/* What a training step needs, all of it in one allocation. */
static void print_training_memory(const Config *config, int B, int T) {
    Model *model = model_describe(config, B, T, 1);
    double parameters = (double)model->num_parameters, activations = 0.0, all = (double)model->memory_floats;
    for (int kind = 0; kind < ACTIVATIONS; kind++) {
        activations += (double)(model->acts[kind].layers * model->acts[kind].size);
    }
    const struct {
        const char *name;
        double numbers;
    } lines[] = {
        {"parameters", parameters}, {"gradients", parameters}, {"AdamW's m and v", 2 * parameters},
        {"activations", activations}, {"their gradients", all - 4 * parameters - activations}, {"all", all},
    };
    printf("\nTo train on batches of %d sequences of %d tokens, in MB:\n\n", B, T);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        printf("%-18s %10.1f\n", lines[i].name, lines[i].numbers * 4e-6);
    }
    model_free(model);
}

int inspect(int argc, char **argv) {
    const char *path = NULL;
    int lines = 0, B = 0, T = 0;
    const Option options[] = {
        {"hex", WHOLE, &lines, "also show so many lines of 16 bytes", 0, 1 << 20},
        {"batch", WHOLE, &B, "also show the memory to train on so many sequences", 0, 1 << 20},
        {"length", WHOLE, &T, "tokens in each of them; 0: max_seq_len", 0, 1 << 20},
    };
    const Command command = {"inspect", "Show what is in a checkpoint, a training state, a file of tokens or a "
                             "vocabulary.", "gpt2 inspect FILE [options]", &path, options,
                             sizeof options / sizeof *options};
    read_options(&command, argc, argv);
    if (B == 0) {
        refuse_options("length", "without --batch");
    }

    int32_t header[HEADER];
    Input input = open_input(path);
    read_input(&input, header, sizeof header);
    rewind(input.file);
    if (header[0] == TOKENS_MAGIC || header[0] == VOCABULARY_MAGIC) {
        refuse_options("batch", "for a file that is no checkpoint");
    }
    if (header[0] == TOKENS_MAGIC) {
        Tokens tokens = load_tokens(path, 65536);
        printf("%s: %zu tokens, the first of them", path, tokens.count);
        for (size_t i = 0; i < tokens.count && i < 12; i++) {
            printf(" %d", tokens.ids[i]);
        }
        printf("\n");
        free(tokens.ids);
    } else if (header[0] == VOCABULARY_MAGIC) {
        Vocabulary vocabulary = load_vocabulary(path);
        printf("%s: a vocabulary of %d tokens\n", path, vocabulary.size);
        free_vocabulary(&vocabulary);
    } else {
        int magic = header[0] == STATE_MAGIC ? STATE_MAGIC : MODEL_MAGIC;
        Config c = read_header(&input, header, magic);
        printf("%s: %s\n", path, magic == MODEL_MAGIC ? "a checkpoint, version 3, float32" : "a training state");
        if (magic == STATE_MAGIC) {
            Settings s;
            memcpy(&s, header + 8, sizeof s);
            printf("step %d of %d, batches of %d sequences of %d tokens, learning rate %g at its peak\n", s.step,
                   s.steps, s.B, s.T, (double)s.lr);
        }
        printf("max_seq_len %d, vocab_size %d, num_layers %d, num_heads %d, channels %d, padded_vocab_size %d\n",
               c.max_seq_len, c.vocab_size, c.num_layers, c.num_heads, c.channels, c.padded_vocab_size);
        print_parameters(&input, &c);
        if (B > 0) {
            print_training_memory(&c, B, T == 0 ? c.max_seq_len : T);
        }
    }
    if (lines > 0) {
        putchar('\n');
        print_hexadecimal(path, lines);
    }
    close_input(&input);
    if (fflush(stdout) != 0) {
        fail("cannot write: %s.", strerror(errno));
    }
    return 0;
}
