/* Files of tokens, vocabularies, and text to tokens. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

static void read_magic(Input *input, int32_t *header, int magic, int version, const char *what) {
    read_input(input, header, HEADER * sizeof *header);
    if (header[0] != magic || header[1] != version) {
        fail("%s is not %s: it starts with %d, %d in place of %d, %d.", input->path, what, header[0], header[1], magic,
             version);
    }
}

Tokens load_tokens(const char *path, int vocab_size) {
    int32_t header[HEADER];
    Input input = open_input(path);
    read_magic(&input, header, TOKENS_MAGIC, TOKENS_VERSION, "a file of tokens");
    if (header[2] < 2 || input.size != HEADER * 4 + 2 * (uint64_t)header[2]) {
        fail("%s is %s: its header announces %d tokens, two bytes each, and %lld bytes follow.", path,
             header[2] < 2 ? "too short" : input.size < HEADER * 4 + 2 * (uint64_t)header[2] ? "truncated" : "too long",
             header[2], (long long)input.size - HEADER * 4);
    }
    Tokens tokens = {.count = (size_t)header[2]};
    tokens.ids = allocate(tokens.count * sizeof *tokens.ids, path);
    read_input(&input, tokens.ids, tokens.count * sizeof *tokens.ids);
    close_input(&input);
    for (size_t i = 0; i < tokens.count; i++) {
        if (tokens.ids[i] >= vocab_size) {
            fail("token %zu of %s is %d, but the model's vocab_size is %d.", i, path, tokens.ids[i], vocab_size);
        }
    }
    return tokens;
}

static Vocabulary allocate_vocabulary(int size, size_t bytes) {
    size_t slot_count = 1;
    while (slot_count < 2 * (size_t)size) {
        slot_count *= 2;
    }
    return (Vocabulary){
        .size = size,
        .end = -1,
        .all = allocate(bytes, "the vocabulary"),
        .bytes = allocate((size_t)size * sizeof(unsigned char *), "the vocabulary"),
        .lengths = allocate((size_t)size * sizeof(int), "the vocabulary"),
        .slots = allocate(slot_count * sizeof(int), "the vocabulary"),
        .slot_count = slot_count,
    };
}

/* The slot that holds some bytes' token, or the free one where it belongs. */
static int *slot_of(const Vocabulary *vocabulary, const unsigned char *bytes, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a (Fowler, Noll and Vo 1991) */
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    for (size_t slot = (size_t)hash;; slot++) {
        int *found = &vocabulary->slots[slot & (vocabulary->slot_count - 1)];
        if (*found < 0 || ((size_t)vocabulary->lengths[*found] == length &&
                           memcmp(vocabulary->bytes[*found], bytes, length) == 0)) {
            return found;
        }
    }
}

/* Fills the slots. Of two tokens with the same bytes the first one counts. */
static void index_tokens(Vocabulary *vocabulary) {
    for (size_t slot = 0; slot < vocabulary->slot_count; slot++) {
        vocabulary->slots[slot] = -1;
    }
    for (int id = 0; id < vocabulary->size; id++) {
        int *slot = slot_of(vocabulary, vocabulary->bytes[id], (size_t)vocabulary->lengths[id]);
        *slot = *slot < 0 ? id : *slot;
    }
}

Vocabulary load_vocabulary(const char *path) {
    int32_t header[HEADER];
    Input input = open_input(path);
    read_magic(&input, header, VOCABULARY_MAGIC, VOCABULARY_VERSION, "a vocabulary");
    size_t left = (size_t)input.size - sizeof header;
    if (header[2] < 1 || (size_t)header[2] > left) {
        fail("%s is truncated: its header announces %d tokens, and %zu bytes follow.", path, header[2], left);
    }
    Vocabulary vocabulary = allocate_vocabulary(header[2], left);
    vocabulary.end = header[3];
    const unsigned char *entry = vocabulary.all; /* one byte with the number of bytes, and these bytes */
    read_input(&input, vocabulary.all, left);
    close_input(&input);
    for (int id = 0; id < vocabulary.size; id++) {
        if (left < 1 || left - 1 < entry[0]) {
            fail("%s is truncated: it ends in token %d of %d.", path, id, vocabulary.size);
        }
        vocabulary.lengths[id] = entry[0];
        vocabulary.bytes[id] = entry + 1;
        left -= 1 + (size_t)entry[0];
        entry += 1 + entry[0];
    }
    index_tokens(&vocabulary);
    return vocabulary;
}

Vocabulary bytes_vocabulary(void) {
    Vocabulary vocabulary = allocate_vocabulary(256, 256);
    for (int id = 0; id < 256; id++) {
        vocabulary.all[id] = (unsigned char)id;
        vocabulary.bytes[id] = &vocabulary.all[id];
        vocabulary.lengths[id] = 1;
    }
    index_tokens(&vocabulary);
    return vocabulary;
}

void free_vocabulary(Vocabulary *vocabulary) {
    free(vocabulary->all);
    free(vocabulary->bytes);
    free(vocabulary->lengths);
    free(vocabulary->slots);
}

static int is_letter(unsigned char c) {
    return isalpha(c) || c >= 0x80; /* what is not ASCII counts as letters */
}

static int is_other(unsigned char c) {
    return c != '\0' && !isspace(c) && !isdigit(c) && !is_letter(c);
}

static size_t run_length(const unsigned char *text, int (*belongs)(unsigned char)) {
    size_t length = 0;
    while (text[length] != '\0' && belongs(text[length])) {
        length++;
    }
    return length;
}

static int is_digit(unsigned char c) {
    return isdigit(c) != 0;
}

static int is_space(unsigned char c) {
    return isspace(c) != 0;
}

/* Bytes of the next piece, as GPT-2 cuts a text before it merges: 's and the like; letters, digits or other signs, with
 * one space before them; else white space, of which the last stays with the word that follows. */
static size_t piece_length(const unsigned char *text) {
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (strncmp((const char *)text, endings[i], length) == 0) {
            return length;
        }
    }
    size_t space = text[0] == ' ';
    int (*const kinds[])(unsigned char) = {is_letter, is_digit, is_other};
    for (int kind = 0; kind < 3; kind++) {
        size_t length = run_length(text + space, kinds[kind]);
        if (length > 0) {
            return space + length;
        }
    }
    size_t white = run_length(text, is_space);
    return white > 1 && text[white] != '\0' ? white - 1 : white;
}

/* A piece of a text while its bytes are merged: parts that know their neighbours, and a heap of the merges that may
 * come next. A merge is one number, (id << 32 | where its left part starts): the smallest is next. A merge whose parts
 * have grown since stays in the heap, and is passed over when its turn comes. */
typedef struct {
    const Vocabulary *vocabulary;
    const unsigned char *text;
    size_t length;
    size_t *next, *before; /* of the part that starts here: where the next one starts, and the one before */
    int *merged;           /* of the part that starts here: the id that it makes with the next one, or -1 */
    uint64_t *heap;
    size_t waiting;
} Piece;

static void push(Piece *piece, uint64_t merge) {
    size_t at = piece->waiting++;
    for (; at > 0 && piece->heap[(at - 1) / 2] > merge; at = (at - 1) / 2) {
        piece->heap[at] = piece->heap[(at - 1) / 2];
    }
    piece->heap[at] = merge;
}

static uint64_t pop(Piece *piece) {
    uint64_t first = piece->heap[0], last = piece->heap[--piece->waiting];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < piece->waiting; at = child) {
        child += child + 1 < piece->waiting && piece->heap[child + 1] < piece->heap[child];
        if (piece->heap[child] >= last) {
            break;
        }
        piece->heap[at] = piece->heap[child];
    }
    piece->heap[at] = last;
    return first;
}

/* Looks up what the part at `left` makes with the next one, and puts that merge into the heap. */
static void look_up(Piece *piece, size_t left) {
    size_t right = piece->next[left];
    piece->merged[left] = -1;
    if (right < piece->length) {
        piece->merged[left] = *slot_of(piece->vocabulary, piece->text + left, piece->next[right] - left);
    }
    if (piece->merged[left] >= 0) {
        push(piece, (uint64_t)piece->merged[left] << 32 | left);
    }
}

/* Merge neighbours, the merge with the lowest id first, until no two make a token. */
static void merge_bytes(Piece *piece) {
    piece->waiting = 0;
    for (size_t i = 0; i < piece->length; i++) {
        piece->next[i] = i + 1;
        piece->before[i] = i - 1; /* never read where i is 0 */
    }
    for (size_t i = 0; i < piece->length; i++) {
        look_up(piece, i);
    }
    while (piece->waiting > 0) {
        uint64_t merge = pop(piece);
        size_t left = (size_t)(merge & 0xffffffffu);
        if (piece->merged[left] != (int)(merge >> 32)) {
            continue;
        }
        size_t right = piece->next[left];
        piece->merged[right] = -1;
        piece->next[left] = piece->next[right];
        if (piece->next[left] < piece->length) {
            piece->before[piece->next[left]] = left;
        }
        look_up(piece, left);
        if (left > 0) {
            look_up(piece, piece->before[left]);
        }
    }
}

int encode_text(const Vocabulary *vocabulary, const char *string, int *ids, int most) {
    const unsigned char *text = (const unsigned char *)string;
    size_t size = strlen(string) + 1;
    Piece piece = {
        .vocabulary = vocabulary,
        .next = allocate(size * sizeof *piece.next, "a text"),
        .before = allocate(size * sizeof *piece.before, "a text"),
        .merged = allocate(size * sizeof *piece.merged, "a text"),
        .heap = allocate(3 * size * sizeof *piece.heap, "a text"), /* each merge, and there are < size, adds two */
    };
    int count = 0;
    while (*text != '\0' && count <= most) {
        piece.text = text;
        piece.length = piece_length(text);
        merge_bytes(&piece);
        for (size_t i = 0; i < piece.length; i = piece.next[i], count++) {
            int id = *slot_of(vocabulary, text + i, piece.next[i] - i);
            if (id < 0) {
                fail("the vocabulary has no token for the byte 0x%02x.", text[i]);
            }
            if (count < most) {
                ids[count] = id;
            }
        }
        text += piece.length;
    }
    free(piece.next);
    free(piece.before);
    free(piece.merged);
    free(piece.heap);
    return count;
}
