/* gpt2 train */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "files.h"
#include "options.h"

static volatile sig_atomic_t interrupted;

static void note_interruption(int number) {
    (void)number;
    interrupted = 1;
}

/* Where sequence b of a step's batch starts. Both ways follow from the step alone. */
static size_t batch_start(const Settings *s, const Tokens *tokens, int step, int b) {
    size_t T = (size_t)s->T, batch = (size_t)s->B * T;
    if (s->sequential) {
        size_t batches = (tokens->count - 1) / batch;
        return (size_t)step % batches * batch + (size_t)b * T;
    }
    uint64_t starts = tokens->count - T; /* 0 .. count - T - 1: the targets end one token further on */
    return (size_t)(random_bits((uint64_t)s->seed, (uint64_t)step * (uint64_t)s->B + (uint64_t)b) % starts);
}

/* The step's batch: (B, T) tokens, and for each the one that follows it. */
static void take_batch(const Settings *s, const Tokens *tokens, int step, int *inputs, int *targets) {
    for (int b = 0; b < s->B; b++) {
        size_t start = batch_start(s, tokens, step, b);
        for (int t = 0; t < s->T; t++) {
            inputs[b * s->T + t] = tokens->ids[start + (size_t)t];
            targets[b * s->T + t] = tokens->ids[start + (size_t)t + 1];
        }
    }
}

static void check_enough(const Settings *s, const Tokens *tokens, const char *path) {
    size_t needed = (s->sequential ? (size_t)s->B : 1) * (size_t)s->T + 1;
    if (tokens->count < needed) {
        fail("%s has %zu tokens, and a batch needs %zu: choose a smaller --batch or --length.", path, tokens->count,
             needed);
    }
}

static float learning_rate(const Settings *s, int step) {
    float warm = s->warmup > 0 && step < s->warmup ? (float)(step + 1) / (float)s->warmup : 1.0f;
    float progress = s->steps > s->warmup ? (float)(step - s->warmup) / (float)(s->steps - s->warmup) : 0.0f;
    float fallen = progress > 0.0f ? 0.5f - 0.5f * cosf(3.14159265f * fminf(progress, 1.0f)) : 0.0f;
    return s->lr * warm * (1.0f - fallen * (1.0f - s->last_lr));
}

/* The mean loss of the first batches of held-out tokens, taken one after the other. */
static float validation_loss(Model *model, const Settings *s, const Tokens *tokens, int *inputs, int *targets) {
    Settings in_order = *s;
    in_order.sequential = 1;
    size_t batches = (tokens->count - 1) / ((size_t)s->B * (size_t)s->T);
    int count = batches < 20 ? (int)batches : 20;
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        take_batch(&in_order, tokens, i, inputs, targets);
        sum += model_forward(model, inputs, targets, s->B, s->T);
    }
    return (float)(sum / count);
}

static void show_progress(const Settings *s, float loss, double started, int first) {
    static double last;
    double now = seconds(), each = (now - started) / (s->step - first);
    int in_place = isatty(STDERR_FILENO), at_end = s->step == s->steps;
    if (!at_end && now - last < (in_place ? 0.1 : 5.0)) {
        return;
    }
    last = now;
    int left = (int)(each * (s->steps - s->step) + 0.5);
    fprintf(stderr, "%sstep %d of %d   loss %.4f   %.0f tokens/s   %d:%02d left %s", in_place ? "\r" : "", s->step,
            s->steps, loss, s->B * (double)s->T / each, left / 60, left % 60, in_place && !at_end ? "" : "\n");
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* What was asked for on the command line. */
typedef struct {
    const char *text, *held_out, *from, *out, *log;
    char *state; /* OUT.state */
    int resume, overwrite, threads, save_every, validate_every, stop_at;
    Config config; /* of a new model */
    Settings settings;
} Plan;

static Plan read_plan(int argc, char **argv) {
    Plan plan = {
        .validate_every = 100,
        .config = {.max_seq_len = 256, .num_layers = 4, .num_heads = 4, .channels = 128},
        .settings = {.B = 8, .seed = 1, .lr = 1e-3f, .last_lr = 0.1f, .warmup = 20, .weight_decay = 0.1f,
                     .beta1 = 0.9f, .beta2 = 0.95f, .eps = 1e-8f},
    };
    Config *c = &plan.config;
    Settings *s = &plan.settings;
    const Option options[] = {
        {"tokens", TEXT, &plan.text, "the file of tokens to learn from", 0, 0},
        {"validation", TEXT, &plan.held_out, "a file of tokens that are only measured", 0, 0},
        {"out", TEXT, &plan.out, "where the checkpoint goes; beside it OUT.state, to go on from", 0, 0},
        {"from", TEXT, &plan.from, "start from this checkpoint; else from random numbers", 0, 0},
        {"resume", FLAG, &plan.resume, "go on from OUT.state, which knows all settings but --steps", 0, 0},
        {"overwrite", FLAG, &plan.overwrite, "replace OUT and OUT.state if they exist", 0, 0},
        {"vocab-size", WHOLE, &c->vocab_size, "of a new model; 0: the largest token + 1", 0, 65536},
        {"layers", WHOLE, &c->num_layers, "of a new model", 1, 1 << 20},
        {"heads", WHOLE, &c->num_heads, "of a new model", 1, 1 << 20},
        {"channels", WHOLE, &c->channels, "of a new model", 1, 1 << 20},
        {"max-seq-len", WHOLE, &c->max_seq_len, "of a new model", 1, 1 << 20},
        {"steps", WHOLE, &s->steps, "how many in all; 0: 1000, or what OUT.state has", 0, 1e9},
        {"stop-at", WHOLE, &plan.stop_at, "stop after this step for now; 0: after the last", 0, 1e9},
        {"batch", WHOLE, &s->B, "sequences in a batch", 1, 1 << 20},
        {"length", WHOLE, &s->T, "tokens in a sequence; 0: the model's max_seq_len", 0, 1 << 30},
        {"sequential", FLAG, &s->sequential, "batches in the order of the file, not at random", 0, 0},
        {"seed", WHOLE, &s->seed, "of the random start and batches", 0, 2147483647.0},
        {"lr", NUMBER, &s->lr, "the learning rate at its peak", 0, 1e3},
        {"warmup", WHOLE, &s->warmup, "steps in which it rises", 0, 1e9},
        {"last-lr", NUMBER, &s->last_lr, "the rate at the end, as a share of the peak", 0, 1},
        {"weight-decay", NUMBER, &s->weight_decay, "for matrices; biases and norms have none", 0, 1e3},
        {"beta1", NUMBER, &s->beta1, "of AdamW", 0, 0.9999999},
        {"beta2", NUMBER, &s->beta2, "of AdamW", 0, 0.9999999},
        {"eps", NUMBER, &s->eps, "of AdamW", 0, 1},
        {"save-every", WHOLE, &plan.save_every, "steps; 0: at the end and at Ctrl-C", 0, 1e9},
        {"validate-every", WHOLE, &plan.validate_every, "steps, with --validation", 1, 1e9},
        {"log", TEXT, &plan.log, "write step and loss of every step to this file", 0, 0},
        {"threads", WHOLE, &plan.threads, "0: as many as OpenMP chooses", 0, 4096},
    };
    const Command command = {"train", "Train a GPT-2 on a file of tokens.",
                             "gpt2 train --tokens FILE --out FILE [options]", NULL, options,
                             sizeof options / sizeof *options};
    read_options(&command, argc, argv);
    if (plan.text == NULL || plan.out == NULL) {
        fail("%s is missing. Usage: %s", plan.text == NULL ? "--tokens" : "--out", command.usage);
    }
    if (plan.resume) {
        refuse_options("from overwrite vocab-size layers heads channels max-seq-len batch length sequential seed lr "
                       "warmup last-lr weight-decay beta1 beta2 eps",
                       "with --resume, since OUT.state has all settings but --steps");
    }
    if (plan.from != NULL) {
        refuse_options("vocab-size layers heads channels max-seq-len", "with --from, whose checkpoint has these sizes");
        refuse_options(s->sequential ? "seed" : "", "with --from and --sequential, where nothing is random");
    }
    if (plan.held_out == NULL) {
        refuse_options("validate-every", "without --validation");
    }
    plan.state = allocate(strlen(plan.out) + 8, "a file name");
    sprintf(plan.state, "%s.state", plan.out);
    if (!plan.resume && !plan.overwrite && (exists(plan.out) || exists(plan.state))) {
        fail("%s exists. Go on with --resume, or replace it with --overwrite.",
             exists(plan.out) ? plan.out : plan.state);
    }
    try_output(plan.state);
    try_output(plan.out);
    return plan;
}

/* The model to train and the tokens to train on. Completes the plan's settings. */
static Model *load_or_create(Plan *plan, Tokens *tokens) {
    Settings *s = &plan->settings;
    Model *model;
    if (plan->resume) {
        int steps = s->steps;
        model = load_state(plan->state, s);
        s->steps = steps > 0 ? steps : s->steps;
        *tokens = load_tokens(plan->text, model->config.vocab_size);
    } else if (plan->from != NULL) {
        model = load_model(plan->from, s->B, s->T, 1);
        *tokens = load_tokens(plan->text, model->config.vocab_size);
    } else {
        Config *c = &plan->config;
        int given = c->vocab_size > 0;
        *tokens = load_tokens(plan->text, given ? c->vocab_size : 65536);
        for (size_t i = 0; !given && i < tokens->count; i++) {
            c->vocab_size = tokens->ids[i] >= c->vocab_size ? tokens->ids[i] + 1 : c->vocab_size;
        }
        c->padded_vocab_size = (c->vocab_size + 63) / 64 * 64; /* whole tiles */
        model = model_new(c, s->B, s->T == 0 ? c->max_seq_len : s->T, 1);
        model_initialise(model, (uint64_t)s->seed);
    }
    s->T = model->T;
    s->steps = s->steps > 0 ? s->steps : 1000;
    check_enough(s, tokens, plan->text);
    return model;
}

static void save(const Plan *plan, const Model *model) {
    save_state(plan->state, model, &plan->settings);
    save_model(plan->out, model);
}

static float train_step(Model *model, const Settings *s, const int *inputs, const int *targets) {
    float loss = model_forward(model, inputs, targets, s->B, s->T);
    if (!isfinite(loss)) {
        fail("the loss of step %d is not a finite number: choose a smaller --lr. The last checkpoint is unchanged.",
             s->step + 1);
    }
    model_backward(model, inputs, targets, s->B, s->T);
    model_update(model, s->step + 1, learning_rate(s, s->step), s->beta1, s->beta2, s->eps, s->weight_decay);
    return loss;
}

int train(int argc, char **argv) {
    Plan plan = read_plan(argc, argv);
    Settings *s = &plan.settings;
    use_threads(plan.threads);
    Tokens tokens, validation = {0};
    Model *model = load_or_create(&plan, &tokens);
    if (plan.held_out != NULL) {
        Settings in_order = *s;
        in_order.sequential = 1;
        validation = load_tokens(plan.held_out, model->config.vocab_size);
        check_enough(&in_order, &validation, plan.held_out);
    }
    FILE *log = plan.log == NULL ? NULL : fopen(plan.log, plan.resume ? "a" : "w");
    if (plan.log != NULL && log == NULL) {
        fail("cannot write %s: %s.", plan.log, strerror(errno));
    }
    fprintf(stderr, "%zu parameters, %.0f MB in all, %d threads, built for %s\n", model->num_parameters,
            (double)model->memory_floats * 4e-6, threads_used(), built_for);

    size_t batch = (size_t)s->B * (size_t)s->T;
    int *inputs = allocate(batch * sizeof(int), "a batch"), *targets = allocate(batch * sizeof(int), "a batch");
    const struct sigaction once = {.sa_handler = note_interruption, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
    double started = seconds();
    int first = s->step, last = plan.stop_at > 0 && plan.stop_at < s->steps ? plan.stop_at : s->steps;
    while (s->step < last && !interrupted) {
        take_batch(s, &tokens, s->step, inputs, targets);
        float loss = train_step(model, s, inputs, targets);
        s->step++;
        if (log != NULL) {
            fprintf(log, "%d,%.9g\n", s->step, (double)loss);
        }
        show_progress(s, loss, started, first);
        if (plan.held_out != NULL && (s->step % plan.validate_every == 0 || s->step == last)) {
            fprintf(stderr, "%sstep %d   validation loss %.4f\n", isatty(STDERR_FILENO) ? "\r" : "", s->step,
                    validation_loss(model, s, &validation, inputs, targets));
        }
        if (plan.save_every > 0 && s->step % plan.save_every == 0 && s->step < last) {
            save(&plan, model);
        }
    }
    save(&plan, model);
    if (log != NULL && fclose(log) != 0) {
        fail("cannot write %s: %s.", plan.log, strerror(errno));
    }
    fprintf(stderr, "%s after step %d of %d. Written: %s, and %s for --resume.\n",
            interrupted ? "\nInterrupted" : "Stopped", s->step, s->steps, plan.out, plan.state);
    free(plan.state);
    free(inputs);
    free(targets);
    free(tokens.ids);
    free(validation.ids);
    model_free(model);
    return interrupted ? 130 : 0;
}
