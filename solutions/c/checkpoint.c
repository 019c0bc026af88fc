/* Checkpoints and training states. */
#include <string.h>

#include "files.h"

static const char *name_of_magic(int magic) {
    switch (magic) {
        case MODEL_MAGIC: return "a checkpoint";
        case STATE_MAGIC: return "a training state";
        case TOKENS_MAGIC: return "a file of tokens";
        case VOCABULARY_MAGIC: return "a vocabulary";
        default: return "no file of this program";
    }
}

Config read_header(Input *input, int32_t *header, int magic) {
    int version = magic == MODEL_MAGIC ? MODEL_VERSION : STATE_VERSION;
    read_input(input, header, HEADER * sizeof *header);
    if (header[0] != magic) {
        fail("%s has the magic number %d: it is %s, not %s (%d).", input->path, header[0], name_of_magic(header[0]),
             name_of_magic(magic), magic);
    }
    if (header[1] != version) {
        fail("%s is %s of version %d; this program reads version %d.", input->path, name_of_magic(magic), header[1],
             version);
    }
    Config config = {header[2], header[3], header[4], header[5], header[6], header[7]};
    const char *problem = config_problem(&config);
    if (problem != NULL) {
        fail("%s cannot be right: %s (max_seq_len %d, vocab_size %d, num_layers %d, num_heads %d, channels %d, "
             "padded_vocab_size %d).", input->path, problem, config.max_seq_len, config.vocab_size, config.num_layers,
             config.num_heads, config.channels, config.padded_vocab_size);
    }
    Tensor described[PARAMETERS];
    uint64_t copies = magic == MODEL_MAGIC ? 1 : 3;
    uint64_t expected = HEADER * 4 + copies * 4 * (uint64_t)describe_parameters(described, &config);
    if (input->size != expected) {
        fail("%s is %s: it has %llu bytes, and the sizes in its header make %llu.", input->path,
             input->size < expected ? "truncated" : "too long", (unsigned long long)input->size,
             (unsigned long long)expected);
    }
    return config;
}

static void fill_header(int32_t *header, int magic, int version, const Config *c) {
    const int32_t start[] = {magic, version, c->max_seq_len, c->vocab_size, c->num_layers, c->num_heads, c->channels,
                             c->padded_vocab_size};
    memset(header, 0, HEADER * sizeof *header);
    memcpy(header, start, sizeof start);
}

Model *load_model(const char *path, int B, int T, int training) {
    int32_t header[HEADER];
    Input input = open_input(path);
    Config config = read_header(&input, header, MODEL_MAGIC);
    Model *model = model_new(&config, B, T == 0 ? config.max_seq_len : T, training);
    read_input(&input, model->params[0].data, model->num_parameters * sizeof(float));
    close_input(&input);
    return model;
}

void save_model(const char *path, const Model *model) {
    int32_t header[HEADER];
    fill_header(header, MODEL_MAGIC, MODEL_VERSION, &model->config);
    Output output = open_output(path);
    write_output(&output, header, sizeof header);
    write_output(&output, model->params[0].data, model->num_parameters * sizeof(float));
    close_output(&output);
}

_Static_assert(sizeof(Settings) <= (HEADER - 8) * 4, "the settings fit into the header");

Model *load_state(const char *path, Settings *settings) {
    int32_t header[HEADER];
    Input input = open_input(path);
    Config config = read_header(&input, header, STATE_MAGIC);
    memcpy(settings, header + 8, sizeof *settings);
    if (settings->B < 1 || settings->T < 1 || settings->step < 0) {
        fail("%s cannot be right: it is at step %d with %d sequences of %d tokens.", path, settings->step, settings->B,
             settings->T);
    }
    Model *model = model_new(&config, settings->B, settings->T, 1);
    size_t bytes = model->num_parameters * sizeof(float);
    read_input(&input, model->params[0].data, bytes);
    read_input(&input, model->m[0].data, bytes);
    read_input(&input, model->v[0].data, bytes);
    close_input(&input);
    return model;
}

void save_state(const char *path, const Model *model, const Settings *settings) {
    int32_t header[HEADER];
    size_t bytes = model->num_parameters * sizeof(float);
    fill_header(header, STATE_MAGIC, STATE_VERSION, &model->config);
    memcpy(header + 8, settings, sizeof *settings);
    Output output = open_output(path);
    write_output(&output, header, sizeof header);
    write_output(&output, model->params[0].data, bytes);
    write_output(&output, model->m[0].data, bytes);
    write_output(&output, model->v[0].data, bytes);
    close_output(&output);
}
