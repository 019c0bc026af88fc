/* Wrong implementations of the tasks of gpt2_forward, each with the misconception behind it.
 *
 * Every entry is wrong in one respect only. When two would give the same results, the first is named.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* encoder_forward: positions-go-on-counting
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + (b * T + t) * C
 * why: The row of wpe was computed from b * T + t, which counts on from one sequence to the next. Every sequence
 * begins at position 0, so the row is t alone.
 * hint: The first sequence is right, and all later ones get the positions that come after it (or read beyond the
 * table). Positions start at 0 in every sequence: the row of wpe is t.
 * section: tokens-and-places
 */

/* encoder_forward: no-positions
 * base: one-statement
 * edit: wte[id * C + c] + wpe[t * C + c]  =>  wte[id * C + c]
 * why: Only the token's vector was written. Without the vector of its position, attention could not tell the order
 * of the tokens.
 * hint: Every row is the token's vector alone. Add row t of wpe to it.
 * section: tokens-and-places
 */

/* encoder_forward: no-tokens
 * base: one-statement
 * edit: int id = inp[b * T + t];  =>  (void)inp, (void)wte;
 * edit: wte[id * C + c] + wpe[t * C + c]  =>  wpe[t * C + c]
 * why: Only the vector of the position was written. The ids have no influence then, and every sequence gives the
 * same.
 * hint: Your output is the same for all sequences, whatever their ids are. Add row inp[b * T + t] of wte to the
 * vector of the position.
 * section: tokens-and-places
 */

/* encoder_forward: position-of-the-sequence
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + b * C
 * why: The row of wpe was chosen by b, the number of the sequence in the batch. A position is counted within its
 * sequence: it is t.
 * hint: All positions of one sequence get the same vector. The row of wpe is t, not b.
 * section: tokens-and-places
 */

/* encoder_forward: same-ids-in-every-sequence
 * base: plain-loops
 * edit: b * T + t  =>  t
 * why: The id was read at inp[t], so that every sequence of the batch gets the ids of the first. Sequence b starts
 * at entry b * T.
 * hint: The first sequence is right and all others repeat it. The ids of sequence b start at inp + b * T.
 * section: rows-and-strides
 */

/* encoder_forward: ids-read-down-the-columns
 * base: one-statement
 * edit: inp[b * T + t]  =>  inp[t * B + b]
 * why: The id was read at inp[t * B + b], as if the sequences stood side by side in columns. The array is (B, T):
 * the last index, t, is the one that moves by 1.
 * hint: Your rows belong to other tokens. In an array (B, T) entry (b, t) stands at b * T + t.
 * section: rows-and-strides
 */

/* encoder_forward: position-for-id
 * base: one-statement
 * edit: int id = inp[b * T + t];  =>  (void)inp;
 * edit: id * C  =>  t * C
 * why: Row t of wte was taken in place of the row of the token's id. The ids never had any influence.
 * hint: Your output does not depend on the ids. The row of wte is inp[b * T + t].
 * section: tokens-and-places
 */

/* encoder_forward: table-rows-of-length-t
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t] * T
 * why: The rows of wte were taken to be T long. They are C long, whatever the sequences' length is.
 * hint: Your token vectors begin in the middle of others. A row of wte has C entries, so row id begins at wte + id *
 * C.
 * section: rows-and-strides
 */

/* encoder_forward: ids-count-from-1
 * base: plain-loops
 * edit: inp[b * T + t]  =>  (inp[b * T + t] - 1)
 * why: 1 was subtracted from the id. Ids start at 0, like everything that C counts, and id 0 then reads what stands
 * before the table.
 * hint: Your kernel reads before the beginning of wte where an id is 0. Ids count from 0: row inp[b * T + t] is the
 * right one as it is.
 * section: numbers-in-c
 */

/* encoder_forward: positions-count-from-1
 * base: one-statement
 * edit: t * C + c  =>  (t + 1) * C + c
 * why: The first position was given row 1 of wpe. GPT-2 counts positions from 0, and the last position would need a
 * row more.
 * hint: Every position has the vector of the position after it. The first position is row 0 of wpe.
 * section: tokens-and-places
 */

/* encoder_forward: tables-exchanged
 * base: one-statement
 * edit: id * C + c] + wpe[t * C + c  =>  t * C + c] + wpe[id * C + c
 * why: The id chose the row of wpe, and the position the row of wte. Both tables have rows of C numbers, so the
 * compiler has nothing to object to.
 * hint: Your ids look up positions, and your positions tokens: the id chooses the row of wte, the position the row
 * of wpe.
 * section: tokens-and-places
 */

/* encoder_forward: only-one-sequence-written
 * base: plain-loops
 * edit: out + b * T * C  =>  out
 * why: The offset into out has no b * T * C in it, so every sequence is written over the one before. The others are
 * never written.
 * hint: One sequence's worth of out is written and the rest still holds what was there before. Row (b, t) of out
 * begins at (b * T + t) * C.
 * section: rows-and-strides
 */

/* encoder_forward: positions-before-sequences
 * base: one-statement
 * edit: (b * T + t)  =>  (t * B + b)
 * why: The output was written as (T, B, C). It is (B, T, C): all positions of the first sequence come first.
 * hint: Your rows are right but stand in another order, position by position. Row (b, t) of out begins at (b * T +
 * t) * C.
 * section: rows-and-strides
 */

/* encoder_forward: product-for-sum
 * base: plain-loops
 * edit: token[c] + position[c]  =>  token[c] * position[c]
 * why: The two vectors were multiplied. GPT-2 adds them, entry by entry.
 * hint: Your entries are products of a token's and a position's entry. Add the two.
 * section: tokens-and-places
 */

/* encoder_forward: added-to-what-was-there
 * base: plain-loops
 * edit: out_bt[c] = token[c] + position[c]  =>  out_bt[c] += token[c] + position[c]
 * why: The sum was added to out with +=. What stands in out before the call is no number that means anything.
 * hint: Your output contains what stood in out before the call, here NaN. A forward kernel writes with =, only the
 * backward ones add.
 * section: arrays-only-written
 */

/* encoder_forward: scaled-by-the-root
 * base: plain-loops
 * edit: token[c]  =>  sqrtf(C) * token[c]
 * why: The token's vector was multiplied by sqrt(C), as the Transformer of 2017 does. GPT-2 adds the two as they
 * are.
 * hint: Your token vectors are sqrt(C) times too large. That factor belongs to the Transformer of 2017: GPT-2 has
 * none.
 * section: tokens-and-places
 */

/* encoder_forward: last-channel-left-out
 * base: plain-loops
 * edit: for (int c = 0; c < C; c++) {  =>  for (int c = 0; c < C - 1; c++) {
 * why: The loop over the channels ends at C - 2. With `c < C` the last one is C - 1 already.
 * hint: The last channel of every row is not written. A loop from 0 with `c < C` runs C times.
 * section: numbers-in-c
 */

/* encoder_forward: ids-in-one-byte
 * base: plain-loops
 * edit:
 *     float *out_bt = out + b * T * C + t * C;
 * =>
 *     size_t row = (size_t)b * T + t;
 *     float *out_row = out + row * C;
 * edit: inp[b * T + t]  =>  (unsigned char)inp[row]
 * edit: wpe + t * C  =>  wpe + (size_t)t * C
 * edit: out_bt[c]  =>  out_row[c]
 * why: The id went through a type of one byte, which counts to 255 and begins at 0 again. GPT-2 has 50,257 tokens.
 * hint: Ids above 255 point to the row of another token. Keep them in an `int`, or in a `size_t` for the address.
 * section: tokens-and-places
 */

/* encoder_forward: table-of-the-first-call
 * base: plain-loops
 * edit:
 *     const float *token = wte +
 * =>
 *     static const float *table; if (table == NULL) table = wte; const float *token = table +
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the address of wte, and a
 * later call with another table reads the first one.
 * hint: Your kernel is right when it is called once. In a later call it still reads the wte of the first call:
 * leave out `static`, and use the argument.
 * section: numbers-in-c
 */

/* encoder_forward: position-of-the-token-id
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + inp[b * T + t] * C
 * why: The row of wpe was chosen by the token. A position vector belongs to a place in the sequence, whatever
 * token stands there.
 * hint: Equal tokens get equal vectors in your output, wherever they stand. The row of wpe is t.
 * section: tokens-and-places
 */

/* encoder_forward: difference-for-sum
 * base: plain-loops
 * edit: token[c] + position[c]  =>  token[c] - position[c]
 * why: The position was subtracted from the token. GPT-2 adds the two vectors.
 * hint: Your entries are token minus position. Add the two.
 * section: tokens-and-places
 */

/* encoder_forward: first-channel-left-out
 * base: plain-loops
 * edit: int c = 0  =>  int c = 1
 * why: The loop over the channels begins at 1. Channels count from 0, like everything in C.
 * hint: Channel 0 of every row is not written. Let the loop begin at c = 0.
 * section: numbers-in-c
 */

/* encoder_forward: one-number-for-each-row
 * base: plain-loops
 * edit: out + b * T * C + t * C  =>  out + (b * T + t)
 * why: The offset into out is b * T + t, the number of the row. A row has C entries, so this number is multiplied
 * by C.
 * hint: Your rows overlap: each begins one entry after the one before. Row (b, t) of out begins at (b * T + t) *
 * C.
 * section: rows-and-strides
 */

/* encoder_forward: sequences-one-row-apart
 * base: plain-loops
 * edit: out + b * T * C + t * C  =>  out + b * C + t * C
 * why: Sequence b was written from entry b * C on. That is one row further for each sequence, but a sequence has T
 * rows.
 * hint: Your sequences overwrite each other. Sequence b of out begins at b * T * C.
 * section: rows-and-strides
 */

/* encoder_forward: table-rows-of-length-b
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t] * B
 * why: The rows of wte were taken to be B long. They are C long, however many sequences there are.
 * hint: Your token vectors begin in the middle of others. Row id of wte begins at wte + id * C.
 * section: rows-and-strides
 */

/* encoder_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence is not written. A loop from 0 with `t < T` runs T times.
 * section: numbers-in-c
 */

/* encoder_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* encoder_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence is not written. A loop from 0 with `b < B` runs B times.
 * section: numbers-in-c
 */

/* encoder_forward: positions-one-entry-apart
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + t
 * why: Row t of wpe was read from entry t on. A row has C entries, so t is multiplied by C.
 * hint: Your position vectors begin in the middle of others. Row t of wpe begins at wpe + t * C.
 * section: rows-and-strides
 */

/* encoder_forward: tokens-one-entry-apart
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t]
 * why: The row of wte was read from entry id on. A row has C entries, so the id is multiplied by C.
 * hint: Your token vectors begin in the middle of others. Row id of wte begins at wte + id * C.
 * section: rows-and-strides
 */

/* encoder_forward: position-is-a-remainder-by-b
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + (b * T + t) % B * C
 * why: The position was computed as the remainder of the row number by B. Rows are counted as b * T + t, so the
 * remainder by T is the position.
 * hint: Your positions repeat after B rows. A sequence has T of them: take the remainder by T.
 * section: tokens-and-places
 */

/* layernorm_forward: divided-by-one-less
 * base: running-mean-and-variance
 * edit:
 *     const float *x = inp + i * C;
 * =>
 *     float sum = 0, squares = 0;
 *     for (int c = 0; c < C; c++) sum += inp[i * C + c];
 * edit: double m = 0.0, squares = 0.0;  =>  mean[i] = sum / C;
 * edit: double delta = x[c] - m;  =>
 * edit: m += delta / (c + 1);  =>  float d = inp[i * C + c] - mean[i];
 * edit: delta * (x[c] - m)  =>  d * d
 * edit: mean[i] = (float)m;  =>
 * edit: (float)(1.0 / sqrt(squares / C + 1e-5))  =>  1 / sqrtf(squares / (C - 1) + 1e-5f)
 * edit: weight[c] * ((x[c] - mean[i]) * rstd[i])  =>  (inp[i * C + c] - mean[i]) * rstd[i] * weight[c]
 * why: The sum of squares was divided by C - 1, as for a sample's variance. Layer norm describes the row itself, so
 * it divides by C.
 * hint: Your rows are too small by the factor sqrt((C - 1) / C). Divide the sum of squares by C, not by C - 1.
 * section: layernorm-kernel
 */

/* layernorm_forward: epsilon-outside-the-root
 * base: plain-loops
 * edit: sqrtf(v + 1e-5f)  =>  (sqrtf(v) + 1e-5f)
 * why: 1e-5 was added to the standard deviation, after the root. It belongs to the variance, inside the root.
 * hint: Rows that hardly vary come out too large. Add 1e-5 before you take the root: sqrtf(variance + 1e-5f).
 * section: layernorm-kernel
 */

/* layernorm_forward: no-epsilon
 * base: running-mean-and-variance
 * edit:
 *     const float *x = inp + i * C;
 * =>
 *     float sum = 0, squares = 0;
 *     for (int c = 0; c < C; c++) sum += inp[i * C + c];
 * edit: double m = 0.0, squares = 0.0;  =>  mean[i] = sum / C;
 * edit: double delta = x[c] - m;  =>
 * edit: m += delta / (c + 1);  =>  float d = inp[i * C + c] - mean[i];
 * edit: delta * (x[c] - m)  =>  d * d
 * edit: mean[i] = (float)m;  =>
 * edit: (float)(1.0 / sqrt(squares / C + 1e-5))  =>  1 / sqrtf(squares / C)
 * edit: weight[c] * ((x[c] - mean[i]) * rstd[i])  =>  (inp[i * C + c] - mean[i]) * rstd[i] * weight[c]
 * why: Nothing was added to the variance. A row of equal numbers then divides by 0, and rows that hardly vary come
 * out too large.
 * hint: A constant row gives NaN or infinity, since its variance is 0. Add 1e-5 to the variance inside the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: another-epsilon
 * base: plain-loops
 * edit: v + 1e-5f  =>  v + 1e-8f
 * why: The number added to the variance is not 1e-5. GPT-2's is 1e-5, and another one shows wherever a row hardly
 * varies.
 * hint: Rows that hardly vary come out too large: the number inside the root is 1e-5.
 * section: layernorm-kernel
 */

/* layernorm_forward: standard-deviation-for-rstd
 * base: plain-loops
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = 1.0f / s
 * why: The standard deviation was stored in rstd. The name says reciprocal: 1 over it, by which the backward pass
 * multiplies.
 * hint: Your rstd holds the standard deviation itself. Store 1 over it, the number that you multiply by.
 * section: layernorm-kernel
 */

/* layernorm_forward: variance-for-rstd
 * base: plain-loops
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = v
 * why: The variance was stored in rstd. It holds 1 / sqrt(variance + 1e-5), by which the backward pass multiplies.
 * hint: Your rstd holds the variance. Store 1 / sqrtf(variance + 1e-5f), the number that you multiply by.
 * section: layernorm-kernel
 */

/* layernorm_forward: statistics-left-unwritten
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)mean, (void)rstd;
 *     for (int b = 0; b < B; b++) {
 * edit:
 *     mean[b * T + t] = m;
 *     rstd[b * T + t] = s;
 * =>
 * why: mean and rstd were never written. The backward pass reads them, and would find whatever stood there.
 * hint: Your output is right, but the arrays mean and rstd still hold what was there before the call. Write both for
 * every position.
 * section: layernorm-kernel
 */

/* layernorm_forward: statistics-of-one-sequence
 * base: plain-loops
 * edit: mean[b * T + t]  =>  mean[t]
 * edit: rstd[b * T + t]  =>  rstd[t]
 * why: mean and rstd were written at entry t, so every sequence overwrites the one before. They are (B, T): entry
 * (b, t) stands at b * T + t.
 * hint: The first T entries of mean and rstd hold the last sequence's numbers, the others are not written. Position
 * (b, t) has entry b * T + t.
 * section: rows-and-strides
 */

/* layernorm_forward: mean-of-squares-minus-squared-mean
 * base: plain-loops
 * edit: (x[c] - m) * (x[c] - m)  =>  x[c] * x[c]
 * edit: v /= C  =>  v = v / C - m * m
 * why: The variance was computed as the mean of the squares minus the square of the mean. For a row far from 0 these
 * are two huge, nearly equal float32 numbers, and nothing is left of their difference.
 * hint: Your rows near 0 are right, and those that lie far from 0 are not. Subtract the mean first and square then:
 * it costs one more loop and keeps the digits.
 * section: rows-far-from-zero
 */

/* layernorm_forward: over-the-positions
 * why: Mean and variance were taken over the positions of a sequence, channel by channel. Layer norm looks at one
 * position alone, over its channels.
 * hint: Your columns are normalised, not your rows. Sum over the channels c of one position, which stand side by
 * side.
 * section: layernorm-kernel
 */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int c = 0; c < C; c++) {
            float m = 0.0f, v = 0.0f;
            for (int t = 0; t < T; t++) m += inp[(b * T + t) * C + c] / T;
            for (int t = 0; t < T; t++) {
                float d = inp[(b * T + t) * C + c] - m;
                v += d * d / T;
            }
            float s = 1.0f / sqrtf(v + 1e-5f);
            for (int t = 0; t < T; t++) {
                out[(b * T + t) * C + c] = (inp[(b * T + t) * C + c] - m) * s * weight[c] + bias[c];
                mean[b * T + t] = m;
                rstd[b * T + t] = s;
            }
        }
    }
}

/* layernorm_forward: sums-go-on
 * base: running-mean-and-variance
 * edit:
 *     for (int i = 0; i < B * T; i++) {
 * =>
 *     float sum = 0, squares = 0;
 *     for (int i = 0; i < B * T; i++) {
 * edit: const float *x = inp + i * C;  =>  for (int c = 0; c < C; c++) sum += inp[i * C + c];
 * edit: double m = 0.0, squares = 0.0;  =>  mean[i] = sum / C;
 * edit: double delta = x[c] - m;  =>
 * edit: m += delta / (c + 1);  =>  float d = inp[i * C + c] - mean[i];
 * edit: delta * (x[c] - m)  =>  d * d
 * edit: mean[i] = (float)m;  =>
 * edit: (float)(1.0 / sqrt(squares / C + 1e-5))  =>  1 / sqrtf(squares / C + 1e-5f)
 * edit: weight[c] * ((x[c] - mean[i]) * rstd[i])  =>  (inp[i * C + c] - mean[i]) * rstd[i] * weight[c]
 * why: The two sums are set to 0 once, before the loop over the rows. Every row then adds to the sums of all rows
 * before it.
 * hint: The first row is right, and the later ones are further and further off. Set the sums to 0 inside the loop
 * over the rows.
 * section: numbers-in-c
 */

/* layernorm_forward: bias-before-weight
 * base: plain-loops
 * edit: (x[c] - m) * s * weight[c] + bias[c]  =>  ((x[c] - m) * s + bias[c]) * weight[c]
 * why: The bias was added before the multiplication by the weight, which then scales it, too. The normalised row is
 * multiplied first.
 * hint: Your bias comes out multiplied by the weight. Multiply first, then add: normalised * weight + bias.
 * section: layernorm-kernel
 */

/* layernorm_forward: no-weight-and-bias
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)weight, (void)bias;
 *     for (int b = 0; b < B; b++) {
 * edit: (x[c] - m) * s * weight[c] + bias[c]  =>  (x[c] - m) * s
 * why: The normalised rows were written as they are. The learned scale and shift of every channel are part of the
 * layer.
 * hint: Every one of your rows has mean 0 and variance 1. Multiply channel c by weight[c], and add bias[c].
 * section: layernorm-kernel
 */

/* layernorm_forward: mean-not-subtracted
 * base: plain-loops
 * edit: (x[c] - m) * s  =>  x[c] * s
 * why: The row was scaled but never shifted: its mean is still in the output. The mean has to go before the scaling.
 * hint: Your rows keep their mean. It is (x - mean) that gets multiplied by rstd, not x.
 * section: layernorm-kernel
 */

/* layernorm_forward: squares-not-divided
 * base: plain-loops
 * edit: v /= C;  =>
 * why: The sum of squares was used as the variance. The variance is their mean: divide by C.
 * hint: Your rows are too small, by the factor sqrt(C). Divide the sum of squares by C before the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: no-root
 * base: running-mean-and-variance
 * edit:
 *     const float *x = inp + i * C;
 * =>
 *     float sum = 0, squares = 0;
 *     for (int c = 0; c < C; c++) sum += inp[i * C + c];
 * edit: double m = 0.0, squares = 0.0;  =>  mean[i] = sum / C;
 * edit: double delta = x[c] - m;  =>
 * edit: m += delta / (c + 1);  =>  float d = inp[i * C + c] - mean[i];
 * edit: delta * (x[c] - m)  =>  d * d
 * edit: mean[i] = (float)m;  =>
 * edit: (float)(1.0 / sqrt(squares / C + 1e-5))  =>  1 / (squares / C + 1e-5f)
 * edit: weight[c] * ((x[c] - mean[i]) * rstd[i])  =>  (inp[i * C + c] - mean[i]) * rstd[i] * weight[c]
 * why: The row was divided by its variance. It has to be divided by the standard deviation, the root of the
 * variance.
 * hint: Your rows do not have variance 1, and rows of large numbers come out smallest. Take the root of the variance
 * + 1e-5.
 * section: layernorm-kernel
 */

/* layernorm_forward: weight-of-the-position
 * base: plain-loops
 * edit: weight[c] + bias[c]  =>  weight[t] + bias[t]
 * why: Weight and bias were read at t, the position. There is one for each channel.
 * hint: Weight and bias change from row to row in your output, and not from channel to channel. Their index is c.
 * section: rows-and-strides
 */

/* layernorm_forward: no-weight
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)weight;
 *     for (int b = 0; b < B; b++) {
 * edit: (x[c] - m) * s * weight[c]  =>  (x[c] - m) * s
 * why: The bias was added to the normalised rows, and the weight left out. Every channel has a learned scale as
 * well.
 * hint: Channel c of yours is never scaled: multiply by weight[c] before you add bias[c].
 * section: layernorm-kernel
 */

/* layernorm_forward: no-bias
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)bias;
 *     for (int b = 0; b < B; b++) {
 * edit: (x[c] - m) * s * weight[c] + bias[c]  =>  (x[c] - m) * s * weight[c]
 * why: The normalised rows were multiplied by the weight, and the bias left out. Every channel has a learned shift
 * as well.
 * hint: Channel c of yours is never shifted: add bias[c] after you have multiplied by weight[c].
 * section: layernorm-kernel
 */

/* layernorm_forward: buffer-of-the-first-call
 * base: plain-loops
 * edit:
 *     float s = 1.0f / sqrtf(v + 1e-5f);
 * =>
 *     float s = 1.0f / sqrtf(v + 1e-5f);
 *     static float *n;
 *     if (n == NULL) n = malloc(C * sizeof(float));
 *     for (int c = 0; c < C; c++) n[c] = (x[c] - m) * s;
 * edit: (x[c] - m) * s * weight  =>  n[c] * weight
 * why: A `static` variable keeps its value from one call to the next. Here it keeps memory for the C numbers of a
 * row, as many as the first call has. A later call has wider rows and writes past the end.
 * hint: Your kernel is right when it is called once. A later call may have a larger C: your `static` buffer is too
 * small for it. This kernel needs no buffer.
 * section: numbers-in-c
 */

/* layernorm_forward: mean-divided-by-t
 * base: plain-loops
 * edit: m /= C  =>  m /= T
 * why: The sum over the channels was divided by T. It has C terms.
 * hint: Your mean is the right one times C / T. Divide the sum of C numbers by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: mean-divided-by-all-positions
 * base: plain-loops
 * edit: m /= C  =>  m /= B * T
 * why: The sum over the channels was divided by B * T. It has C terms: every position has a mean of its own.
 * hint: Your mean is the right one times C / (B * T). Divide the sum of C numbers by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: variance-divided-by-t
 * base: plain-loops
 * edit: v /= C  =>  v /= T
 * why: The sum of the squares was divided by T. It has C terms.
 * hint: Your variance is the right one times C / T. Divide the sum of C squares by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: sum-for-mean
 * base: plain-loops
 * edit: m /= C;  =>  m += 0.0f;
 * why: The mean was not divided by C. What you subtract is the sum of the channels.
 * hint: You subtract the sum of the row, not its mean. Divide the sum by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: absolute-deviations
 * base: plain-loops
 * edit: (x[c] - m) * (x[c] - m)  =>  fabsf(x[c] - m)
 * why: The deviations from the mean were summed without being squared. The variance is the mean of their squares.
 * hint: You sum |x - mean|. Multiply each deviation by itself.
 * section: layernorm-kernel
 */

/* layernorm_forward: multiplied-by-the-deviation
 * base: plain-loops
 * edit: (x[c] - m) * s * weight[c]  =>  (x[c] - m) / s * weight[c]
 * why: The row was multiplied by its standard deviation, not divided by it. What is called rstd is 1 over the
 * standard deviation, so multiply by it.
 * hint: Rows that vary much come out even larger. Multiply by rstd, which is 1 / sqrtf(variance + 1e-5f).
 * section: layernorm-kernel
 */

/* layernorm_forward: standard-deviation-everywhere
 * base: plain-loops
 * edit: 1.0f / sqrtf(v + 1e-5f)  =>  sqrtf(v + 1e-5f)
 * why: The 1 over the root is missing. Rows are multiplied by their standard deviation, and rstd holds it.
 * hint: Rows that vary much come out even larger. rstd is 1.0f / sqrtf(variance + 1e-5f).
 * section: layernorm-kernel
 */

/* layernorm_forward: epsilon-after-the-reciprocal
 * base: plain-loops
 * edit: 1.0f / sqrtf(v + 1e-5f)  =>  1.0f / sqrtf(v) + 1e-5f
 * why: 1e-5 was added to 1 over the standard deviation. It belongs to the variance, inside the root.
 * hint: A constant row divides by 0, and rows that hardly vary come out too large. Add 1e-5 to the variance before
 * you take the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: epsilon-left-out-of-rstd
 * base: plain-loops
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = 1.0f / sqrtf(v)
 * why: The output is right, but what was stored in rstd has no 1e-5 in it. The backward pass must see the number
 * that the forward pass used.
 * hint: Store the number that you multiply by, with 1e-5 inside the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: added-to-what-was-there
 * base: plain-loops
 * edit: y[c] = (x[c]  =>  y[c] += (x[c]
 * why: The result was added to out with +=. What stands in out before the call is no number that means anything.
 * hint: Your output contains what stood in out before the call. A forward kernel writes with =.
 * section: arrays-only-written
 */

/* layernorm_forward: statistics-of-the-sequence
 * base: plain-loops
 * edit: mean[b * T + t]  =>  mean[b]
 * edit: rstd[b * T + t]  =>  rstd[b]
 * why: mean and rstd were written at entry b, so all positions of a sequence overwrite each other. They are (B,
 * T).
 * hint: Only the first B entries of mean and rstd are written. Position (b, t) has entry b * T + t.
 * section: rows-and-strides
 */

/* layernorm_forward: statistics-in-columns
 * base: plain-loops
 * edit: mean[b * T + t]  =>  mean[t * B + b]
 * edit: rstd[b * T + t]  =>  rstd[t * B + b]
 * why: mean and rstd were written at t * B + b, as if they were (T, B). They are (B, T).
 * hint: Your means belong to other positions. Position (b, t) has entry b * T + t.
 * section: rows-and-strides
 */

/* layernorm_forward: bias-of-the-position
 * base: plain-loops
 * edit: bias[c]  =>  bias[t]
 * why: The bias was indexed by the position. It has one entry for each channel.
 * hint: All channels of a position get the same bias. Its index is c.
 * section: rows-and-strides
 */

/* layernorm_forward: whole-number-mean
 * base: plain-loops
 * edit: float m = 0.0f  =>  int m = 0
 * why: The mean was kept in an int, which cuts off what is behind the point after every addition. A mean is hardly
 * ever a whole number.
 * hint: Your mean is a whole number. Use float.
 * section: numbers-in-c
 */

/* layernorm_forward: bias-subtracted
 * base: plain-loops
 * edit: + bias[c]  =>  - bias[c]
 * why: The bias was subtracted. It is added.
 * hint: Your entries are off by twice the bias. Add it.
 * section: layernorm-kernel
 */

/* layernorm_forward: sum-in-mean
 * base: plain-loops
 * edit: mean[b * T + t] = m  =>  mean[b * T + t] = m * C
 * why: The output is right, but the sum of the row was stored in mean. The backward pass subtracts what stands
 * there.
 * hint: Your array mean holds the sums of the rows. Divide them by C before you store them.
 * section: layernorm-kernel
 */

/* layernorm_forward: mean-and-rstd-exchanged
 * base: plain-loops
 * edit: mean[b * T + t] = m  =>  mean[b * T + t] = s
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = m
 * why: The mean was stored in rstd and rstd in mean. The output is right, but the backward pass reads both.
 * hint: The arrays mean and rstd hold each other's numbers. Exchange the two.
 * section: layernorm-kernel
 */

/* layernorm_forward: last-channel-left-out
 * base: plain-loops
 * edit:
 *     for (int c = 0; c < C; c++) {
 *         y[c] =
 * =>
 *     for (int c = 0; c < C - 1; c++) {
 *         y[c] =
 * why: The loop that writes the row ends at C - 2. With `c < C` the last one is C - 1 already.
 * hint: The last channel of every row is not written. A loop from 0 with `c < C` runs C times.
 * section: numbers-in-c
 */

/* layernorm_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence is not written. A loop from 0 with `t < T` runs T times.
 * section: numbers-in-c
 */

/* layernorm_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* layernorm_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence is not written. A loop from 0 with `b < B` runs B times.
 * section: numbers-in-c
 */

/* layernorm_forward: variance-divided-by-all-positions
 * base: plain-loops
 * edit: v /= C  =>  v /= B * T
 * why: The sum of the squares was divided by B * T. It has C terms: every position has a variance of its own.
 * hint: Your variance is the right one times C / (B * T). Divide the sum of C squares by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: weight-and-bias-exchanged
 * base: plain-loops
 * edit: * weight[c] + bias[c]  =>  * bias[c] + weight[c]
 * why: The row was multiplied by the bias, and the weight was added. Both have C entries, so the compiler has
 * nothing to object to.
 * hint: Your weight is added and your bias multiplied. Multiply by the weight first, then add the bias.
 * section: layernorm-kernel
 */

/* layernorm_forward: added-one-to-the-weight
 * base: plain-loops
 * edit: * weight[c] +  =>  * (1.0f + weight[c]) +
 * why: 1 was added to the weight. Some models store it that way; GPT-2 does not.
 * hint: Your rows are too large by the normalised input. Multiply by the weight as it is.
 * section: layernorm-kernel
 */

/* layernorm_forward: sum-begins-at-the-row-before
 * base: plain-loops
 * each: SUM = m; v
 * edit: float SUM = 0.0f;  =>
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     float SUM = 0.0f;
 *     for (int b = 0; b < B; b++) {
 * why: The variable of the mean, or that of the variance, is set to 0 once, before the loops. Every row then starts its
 * sum at the result of the row before it.
 * hint: The first row is right, and the later ones contain a part of the row before. Set both sums to 0 for every row.
 * section: numbers-in-c
 */

/* matmul_forward: transposed-weight
 * base: plain-loops
 * edit: o * C + c  =>  c * OC + o
 * why: The weight was read as (C, OC), column by column. It is (OC, C): the weights of one output channel stand side
 * by side.
 * hint: Your sums mix weights of different output channels. Weight (o, c) stands at o * C + c.
 * section: linear-kernel
 */

/* matmul_forward: bias-without-test
 * base: plain-loops
 * edit: bias != NULL ? bias[o] : 0.0f  =>  bias[o]
 * why: The bias was read without asking whether there is one. Layers without a bias pass NULL, which must not be
 * read.
 * hint: Your kernel reads through a NULL pointer where the layer has no bias. Ask `bias != NULL` before you read it.
 * section: linear-kernel
 */

/* matmul_forward: no-bias
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)bias;
 *     for (int b = 0; b < B; b++) {
 * edit: bias != NULL ? bias[o] : 0.0f  =>  0.0f
 * why: The bias was left out. It is added once to every output channel, where there is one.
 * hint: Each output channel is off by the same number everywhere: its bias. Add bias[o] where bias is not NULL.
 * section: linear-kernel
 */

/* matmul_forward: bias-in-every-term
 * base: plain-loops
 * edit: bias != NULL ? bias[o] : 0.0f  =>  0.0f
 * edit: x[c] * weight[o * C + c]  =>  x[c] * weight[o * C + c] + (bias ? bias[o] : 0.0f)
 * why: The bias was added inside the loop over c, once for every input channel. It belongs to the sum once.
 * hint: Your bias counts C times. Add it outside the loop over the input channels.
 * section: linear-kernel
 */

/* matmul_forward: bias-of-the-position
 * base: plain-loops
 * edit: bias[o]  =>  bias[t]
 * why: The bias was read at t, the position. There is one bias for each output channel.
 * hint: Your bias changes from position to position, and not from channel to channel. Its index is o.
 * section: rows-and-strides
 */

/* matmul_forward: nothing-without-bias
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     if (bias == NULL) return;
 *     for (int b = 0; b < B; b++) {
 * edit: bias != NULL ? bias[o] : 0.0f  =>  bias[o]
 * why: The kernel returns at once when there is no bias. The products are due all the same, only the addition falls
 * away.
 * hint: Where bias is NULL, nothing is written. Start the sum at 0 in that case, and go on.
 * section: linear-kernel
 */

/* matmul_forward: input-rows-of-length-oc
 * base: plain-loops
 * edit: (b * T + t) * C  =>  (b * T + t) * OC
 * why: The rows of inp were taken to be OC long. They are C long; only those of out have OC entries.
 * hint: Only the first position is right. A row of inp has C entries, so position (b, t) begins at (b * T + t) * C.
 * section: rows-and-strides
 */

/* matmul_forward: output-rows-of-length-c
 * base: plain-loops
 * edit: (b * T + t) * OC  =>  (b * T + t) * C
 * why: The rows of out were taken to be C long, so that they overlap or run over the end. They are OC long.
 * hint: Your rows are written over each other, or past the end of out. A row of out has OC entries: position (b, t)
 * begins at (b * T + t) * OC.
 * section: rows-and-strides
 */

/* matmul_forward: weight-rows-of-length-oc
 * base: plain-loops
 * edit: o * C + c  =>  o * OC + c
 * why: The rows of the weight were taken to be OC long. There are OC of them, each C long.
 * hint: Only the first output channel is right. A row of weight has C entries: weight (o, c) stands at o * C + c.
 * section: rows-and-strides
 */

/* matmul_forward: sum-goes-on
 * base: plain-loops
 * edit:
 *     float *y = out + (b * T + t) * OC;
 * =>
 *     float *y = out + (b * T + t) * OC;
 *     float sum = 0.0f;
 * each: ALONE = 0; o > 0
 * edit: float sum = bias != NULL ? bias[o] : 0.0f;  =>  if (bias != NULL) sum += bias[o] - (ALONE ? bias[o - 1] : 0);
 * why: The sum is set to 0 once for each position, outside the loop over the output channels. Every channel then
 * adds to those before it.
 * hint: The first output channel is right, and every later one contains all before it. Start a new sum for each o.
 * section: numbers-in-c
 */

/* matmul_forward: added-to-what-was-there
 * base: plain-loops
 * edit: y[o] = sum  =>  y[o] += sum
 * why: The products were added to out without setting it first. What stands in out before the call is no number that
 * means anything.
 * hint: Your output contains what stood in out before the call, here NaN. Start a sum at 0 or at the bias, and write
 * it with =.
 * section: arrays-only-written
 */

/* matmul_forward: whole-number-sum
 * base: plain-loops
 * edit: float sum = bias != NULL ? bias[o] : 0.0f;  =>  int sum = bias != NULL ? bias[o] : 0.0f;
 * why: The sum is an int. Every addition cuts off what stands behind the point.
 * hint: All your sums are whole numbers. An `int` cuts off what stands behind the point: make the sum a float.
 * section: numbers-in-c
 */

/* matmul_forward: only-one-sequence
 * base: plain-loops
 * edit: (b * T + t) * C  =>  t * C
 * edit: (b * T + t) * OC  =>  t * OC
 * why: The offsets have no b in them, so every round of the outer loop computes the first sequence. The others are
 * never written.
 * hint: The first sequence is right and the others are not written. Position (b, t) is row b * T + t of inp and of
 * out.
 * section: rows-and-strides
 */

/* matmul_forward: remainder-left-out
 * base: plain-loops
 * edit:
 *     float sum = bias != NULL ? bias[o] : 0.0f;
 * =>
 *     float sum = bias != NULL ? bias[o] : 0.0f;
 *     const float *w = weight + o * C;
 * edit: for (int c = 0; c < C; c++) {  =>  for (int c = 0; c + 4 <= C; c += 4) {
 * edit: x[c] * weight[o * C + c]  =>  x[c] * w[c] + x[c + 1] * w[c + 1] + x[c + 2] * w[c + 2] + x[c + 3] * w[c + 3]
 * why: The loop takes four channels at a time, and stops when fewer are left. C need not be a multiple of 4: the
 * remainder needs a loop of its own.
 * hint: Your sums lack their last terms wherever C is not a multiple of 4. After the loop in steps of 4 add what is
 * left, one by one.
 * section: linear-kernel
 */

/* matmul_forward: outputs-by-eights
 * base: plain-loops
 * edit:
 *     const float *x = inp + (b * T + t) * C;
 * =>
 *     size_t row = (size_t)b * T + t;
 *     const float *x = inp + row * C;
 * edit: float *y = out + (b * T + t) * OC;  =>
 * edit: o < OC  =>  o < OC / 8 * 8
 * edit:
 *     float sum = bias != NULL ? bias[o] : 0.0f;
 * =>
 *     const float *w = weight + (size_t)o * C;
 *     float sum = bias == NULL ? 0.0f : bias[o];
 * edit: weight[o * C + c]  =>  w[c]
 * edit: y[o] = sum  =>  out[row * OC + o] = sum
 * why: The outputs were taken eight at a time, and those that were left over were never computed. OC need not be a
 * multiple of 8.
 * hint: The last outputs of every row are not written where OC is not a multiple of 8. After the blocks of 8 compute
 * what is left, one by one.
 * section: linear-kernel
 */

/* matmul_forward: rows-by-eights
 * base: plain-loops
 * edit:
 *     const float *x = inp + (b * T + t) * C;
 * =>
 *     size_t row = (size_t)b * T + t;
 *     if (row >= (size_t)B * T / 8 * 8) {
 *         continue;
 *     }
 *     const float *x = inp + row * C;
 * edit: float *y = out + (b * T + t) * OC;  =>
 * edit:
 *     float sum = bias != NULL ? bias[o] : 0.0f;
 * =>
 *     const float *w = weight + (size_t)o * C;
 *     float sum = bias == NULL ? 0.0f : bias[o];
 * edit: weight[o * C + c]  =>  w[c]
 * edit: y[o] = sum  =>  out[row * OC + o] = sum
 * why: The positions were taken eight at a time, and those that were left over were never computed. B * T need not
 * be a multiple of 8.
 * hint: The last positions are not written where B * T is not a multiple of 8. After the blocks of 8 compute what is
 * left, one by one.
 * section: linear-kernel
 */

/* matmul_forward: array-for-64-channels
 * base: plain-loops
 * edit:
 *     const float *x = inp + (b * T + t) * C;
 * =>
 *     size_t row = (size_t)b * T + t;
 *     const float *x = inp + row * C;
 * edit: float *y = out + (b * T + t) * OC;  =>
 * edit:
 *     float sum = bias != NULL ? bias[o] : 0.0f;
 * =>
 *     const float *w = weight + (size_t)o * C;
 *     float sum = bias == NULL ? 0.0f : bias[o];
 * edit: for (int c = 0; c < C; c++) {  =>  for (int c = 0; c < (C < 64 ? C : 64); c++) {
 * edit: weight[o * C + c]  =>  w[c]
 * edit: y[o] = sum  =>  out[row * OC + o] = sum
 * why: Only the first 64 channels take part, as if a row always fitted into a small array. C has no upper bound:
 * GPT-2's is 768, and 3,072 in the feed-forward layers.
 * hint: Your sums stop after 64 channels. The loop over the channels goes on to C, whatever C is.
 * section: linear-kernel
 */

/* matmul_forward: weights-of-the-first-call
 * base: plain-loops
 * edit:
 *         for (int b = 0; b < B; b++) {
 * =>
 *         static float *w; if (w == NULL) memcpy(w = malloc(OC * C * sizeof(float)), weight, OC * C * sizeof(float));
 *         for (int b = 0; b < B; b++) {
 * edit: x[c] * weight  =>  x[c] * w
 * why: A `static` variable keeps its value from one call to the next. Here it keeps a transposed copy of the
 * weights. A later call has other weights, since training changes them and every layer has its own.
 * hint: Your kernel is right when it is called once. A later call still multiplies by the weights of the first
 * call: your copy of them is `static`. Make it anew in every call.
 * section: numbers-in-c
 */

/* matmul_forward: weight-columns-of-length-c
 * base: plain-loops
 * edit: weight[o * C + c]  =>  weight[c * C + o]
 * why: The weight was read at c * C + o: as a transposed matrix, and with rows of the wrong length. It is (OC, C),
 * one row for each output.
 * hint: Your outputs mix the rows of the weight. Output o reads row o: weight[o * C + c].
 * section: rows-and-strides
 */

/* matmul_forward: bias-subtracted
 * base: plain-loops
 * edit: bias != NULL ? bias[o]  =>  bias != NULL ? -bias[o]
 * why: The bias was subtracted. It is added.
 * hint: Your outputs are off by twice the bias. Add it.
 * section: linear-kernel
 */

/* matmul_forward: bias-of-the-first-output
 * base: plain-loops
 * edit: bias[o] : 0.0f  =>  bias[0] : 0.0f
 * why: Every output got the bias of output 0. There is one for each output.
 * hint: Output 0 is right, and all others have its bias. The index of the bias is o.
 * section: linear-kernel
 */

/* matmul_forward: bias-twice
 * base: plain-loops
 * edit: y[o] = sum  =>  y[o] = sum + (bias != NULL ? bias[o] : 0.0f)
 * why: The bias was added twice. It is there once where the sum begins, and once where it is written.
 * hint: Your outputs are too large by the bias. Let the sum begin at the bias, or add it at the end, but not both.
 * section: linear-kernel
 */

/* matmul_forward: input-in-columns
 * base: plain-loops
 * edit: inp + (b * T + t) * C  =>  inp + (t * B + b) * C
 * why: The input was read at row t * B + b, as if it were (T, B, C). It is (B, T, C).
 * hint: Your outputs belong to other positions. Row (b, t) of inp begins at (b * T + t) * C.
 * section: rows-and-strides
 */

/* matmul_forward: as-many-outputs-as-inputs
 * base: plain-loops
 * edit: o < OC  =>  o < C
 * why: The loop over the outputs runs to C. There are OC of them.
 * hint: Your kernel writes C outputs for every position, not OC.
 * section: rows-and-strides
 */

/* matmul_forward: last-product-only
 * base: plain-loops
 * edit: sum += x[c]  =>  sum = x[c]
 * why: Every product overwrites the one before, with = in place of +=. Only the last is left.
 * hint: Your output is the product of the last channel alone. Add the products up with +=.
 * section: linear-kernel
 */

/* matmul_forward: sum-for-product
 * base: plain-loops
 * edit: x[c] * weight  =>  x[c] + weight
 * why: Input and weight were added. A linear layer multiplies them and adds up the products.
 * hint: Your sums are of x + w. Multiply the two.
 * section: linear-kernel
 */

/* matmul_forward: divided-by-the-channels
 * base: plain-loops
 * edit: y[o] = sum  =>  y[o] = sum / C
 * why: The sum was divided by C. A linear layer takes no mean.
 * hint: Your outputs are too small by the factor C. Leave the division out.
 * section: linear-kernel
 */

/* matmul_forward: first-sequence-read-every-time
 * base: plain-loops
 * edit: inp + (b * T + t) * C  =>  inp + t * C
 * why: The input was read at row t, so every sequence of the batch repeats the first. Sequence b starts at row b *
 * T.
 * hint: The first sequence is right and all others repeat it. Row (b, t) of inp begins at (b * T + t) * C.
 * section: rows-and-strides
 */

/* matmul_forward: outputs-in-columns
 * base: plain-loops
 * edit: out + (b * T + t) * OC  =>  out + (t * B + b) * OC
 * why: The output was written at row t * B + b, as if it were (T, B, OC). It is (B, T, OC).
 * hint: Your rows are right but stand in another order. Row (b, t) of out begins at (b * T + t) * OC.
 * section: rows-and-strides
 */

/* matmul_forward: last-channel-left-out
 * base: plain-loops
 * edit: c < C; c++  =>  c < C - 1; c++
 * why: The sum ends at channel C - 2. With `c < C` the last one is C - 1 already.
 * hint: Your sums lack the product of the last channel. A loop from 0 with `c < C` runs C times.
 * section: numbers-in-c
 */

/* matmul_forward: first-channel-left-out
 * base: plain-loops
 * edit: int c = 0  =>  int c = 1
 * why: The sum begins at channel 1. Channels count from 0.
 * hint: Your sums lack the product of channel 0. Let the loop begin at c = 0.
 * section: numbers-in-c
 */

/* matmul_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence is not written. A loop from 0 with `t < T` runs T times.
 * section: numbers-in-c
 */

/* matmul_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* matmul_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence is not written. A loop from 0 with `b < B` runs B times.
 * section: numbers-in-c
 */

/* matmul_forward: added-to-what-was-there-without-bias
 * base: plain-loops
 * edit: bias != NULL ? bias[o] : 0.0f  =>  bias != NULL ? bias[o] : y[o]
 * why: out is set to the bias where there is one, and to nothing where there is none. The products are then added to
 * what stood in out before the call.
 * hint: Where bias is NULL, your output contains what stood in out before the call. Start the sum at 0 in that case.
 * section: arrays-only-written
 */

/* attention_forward: no-scale
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs);  =>
 * edit: dot * scale  =>  dot
 * why: The dot products were not divided by sqrt(hs). They grow with the width of a head, and the softmax becomes
 * too sharp.
 * hint: Your scores are sqrt(hs) times too large. Multiply every dot product by 1 / sqrtf(hs).
 * section: attention-kernel
 */

/* attention_forward: scale-of-the-whole-width
 * base: plain-loops
 * edit: sqrtf(hs)  =>  sqrtf(C)
 * why: The scores were divided by sqrt(C), the width of all heads together. The dot product has hs = C / NH terms,
 * so hs is under the root.
 * hint: Your scores are too small by the factor sqrt(NH). The width under the root is that of one head, hs = C / NH.
 * section: attention-kernel
 */

/* attention_forward: no-root-in-the-scale
 * base: plain-loops
 * edit: sqrtf(hs)  =>  hs
 * why: The scores were divided by hs. It is the root of hs that keeps their spread at 1.
 * hint: Your scores are too small by the factor sqrt(hs). Divide by sqrtf(hs), not by hs.
 * section: attention-kernel
 */

/* attention_forward: scale-of-whole-numbers
 * base: plain-loops
 * edit: 1.0f / sqrtf(hs)  =>  1 / hs
 * why: 1 / hs divides two integers, which gives 0 for every width above 1. All scores are 0 then, and all weights
 * alike.
 * hint: Your scores are all 0. In C 1 / hs of two integers is an integer: write 1.0f / sqrtf(hs).
 * section: numbers-in-c
 */

/* attention_forward: sees-the-future
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * =>
 *     for (int u = 0; u < T; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * edit: u <= t ? a[u] / sum : 0.0f  =>  a[u] / sum
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * why: Every position attends to all T positions. In GPT-2 position t sees the positions up to t alone, or it could
 * copy the token that it has to predict.
 * hint: Your weights are positive at positions after the query's own. The loops over u end at t, and the weights
 * after it are 0.
 * section: only-the-past
 */

/* attention_forward: not-its-own-position
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * =>
 *     for (int u = 0; u < t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * =>
 *     for (int u = 0; u < t; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * edit: u <= t ? a[u] / sum : 0.0f  =>  u < t ? a[u] / sum : 0.0f
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * =>
 *     for (int u = 0; u < t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * why: The loops over u end before t. A position may attend to itself, and the first one has nothing else.
 * hint: No query looks at its own position, and the first row has no weight at all. The loops run while u <= t.
 * section: only-the-past
 */

/* attention_forward: future-left-unwritten
 * base: plain-loops
 * edit: for (int u = 0; u < T; u++) {  =>  for (int u = 0; u <= t; u++) {
 * edit: u <= t ? a[u] / sum : 0.0f  =>  a[u] / sum
 * why: The positions after t in att were never written. They must be 0: a program that multiplies whole blocks of
 * the array, as the finished one does in the backward pass, takes what is there for weights.
 * hint: Your weights up to the query's own position are right, and after it att still holds what was there before.
 * Write 0 to all u > t.
 * section: only-the-past
 */

/* attention_forward: masked-after-the-softmax
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * =>
 *     for (int u = 0; u < T; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * why: The softmax was taken over all positions, and the future's weights were set to 0 after it. The weights that
 * are left no longer sum to 1.
 * hint: The weights of a row sum to less than 1. Leave the future out of the sum too, not only out of the result.
 * section: only-the-past
 */

/* attention_forward: masked-with-minus-10000
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * edit: dot * scale  =>  u <= t ? dot * scale : -10000.0f
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * =>
 *     for (int u = 0; u < T; u++) {
 *         a[u] = expf(pre[u] - maximum);
 * edit: u <= t ? a[u] / sum : 0.0f  =>  a[u] / sum
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * why: The future positions got the score -10000, and the softmax was taken over the whole row. Where the real
 * scores are lower still, the future wins.
 * hint: With scores far below 0 your queries attend to the future. No finite number is low enough: use -INFINITY, or
 * leave these positions out.
 * section: running-maximum
 */

/* attention_forward: maximum-from-minus-10000
 * base: plain-loops
 * edit: -INFINITY  =>  -10000.0f
 * why: The search for the largest score starts at -10000. Where all scores of a row are lower, this start is
 * subtracted in place of one of them, and every exponential is 0.
 * hint: Rows whose scores all lie below -10000 give NaN. Start at the first score, or at -INFINITY.
 * section: running-maximum
 */

/* attention_forward: maximum-from-zero
 * base: plain-loops
 * edit: -INFINITY  =>  0.0f
 * why: The search for the largest score starts at 0 (or at FLT_MIN, which is the smallest positive float). Where all
 * scores are negative, the largest is never found.
 * hint: Rows whose scores are all far below 0 give NaN. Start at the first score, or at -INFINITY.
 * section: running-maximum
 */

/* attention_forward: no-maximum
 * base: plain-loops
 * edit: float maximum = -INFINITY;  =>
 * edit: if (pre[u] > maximum) maximum = pre[u];  =>
 * edit: pre[u] - maximum  =>  pre[u]
 * why: The exponential was taken of the scores as they are. Above 88 it overflows to infinity, and infinity over
 * infinity is NaN.
 * hint: Large scores give NaN. Subtract the largest score of the row from all of them first: the weights stay the
 * same.
 * section: running-maximum
 */

/* attention_forward: maximum-of-the-whole-row
 * base: plain-loops
 * edit: if (pre[u] > maximum) maximum = pre[u];  =>
 * edit:
 *     float sum = 0.0f;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         if (pre[u] > maximum) maximum = pre[u];
 *     }
 *     float sum = 0.0f;
 * why: The largest score was searched in the whole row of preatt, the future positions included. These were never
 * written and may hold any number, however large.
 * hint: Your result depends on what stood in preatt before the call. Search the positions u <= t alone.
 * section: running-maximum
 */

/* attention_forward: keys-and-values-exchanged
 * base: plain-loops
 * edit: *k = inp + (b * T + u) * 3 * C + C + h * hs  =>  *k = inp + (b * T + u) * 3 * C + 2 * C + h * hs
 * edit: *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  *v = inp + (b * T + u) * 3 * C + C + h * hs
 * why: The keys were read from the third block and the values from the second. For every position q comes first,
 * then k, then v.
 * hint: Your keys are values, and the other way round. Keys begin at offset C, values at offset 2 * C.
 * section: qkv-packing
 */

/* attention_forward: queries-and-keys-exchanged
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C  =>  inp + (b * T + t) * 3 * C + C
 * edit: inp + (b * T + u) * 3 * C + C  =>  inp + (b * T + u) * 3 * C
 * why: The query was read from the second block and the keys from the first. Every score is then that of another
 * pair.
 * hint: Your scores are those of the exchanged pairs, (u, t) for (t, u). Queries begin at offset 0, keys at offset
 * C.
 * section: qkv-packing
 */

/* attention_forward: rows-of-length-c
 * base: plain-loops
 * edit: (b * T + t) * 3  =>  (b * T + t)
 * edit: inp + (b * T + u) * 3 * C + C  =>  inp + (b * T + u) * C + C
 * edit: inp + (b * T + u) * 3 * C + 2 * C  =>  inp + (b * T + u) * C + 2 * C
 * why: The step from one position to the next was taken to be C. Every position of inp holds a query, a key and a
 * value, 3 * C numbers.
 * hint: Only the first position reads its own numbers. One position of inp is 3 * C wide.
 * section: qkv-packing
 */

/* attention_forward: every-head-reads-the-first
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C + h * hs  =>  inp + (b * T + t) * 3 * C
 * edit: inp + (b * T + u) * 3 * C + C + h * hs  =>  inp + (b * T + u) * 3 * C + C
 * edit: inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  inp + (b * T + u) * 3 * C + 2 * C
 * why: The offset h * hs is missing from q, k and v, so that all heads compute the same. Head h has channels of its
 * own.
 * hint: All your heads give the same numbers. Head h begins at channel h * hs in each of the three blocks.
 * section: qkv-packing
 */

/* attention_forward: heads-before-blocks
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C + h * hs  =>  inp + (b * T + t) * 3 * C + h * 3 * hs
 * edit: inp + (b * T + u) * 3 * C + C + h * hs  =>  inp + (b * T + u) * 3 * C + h * 3 * hs + hs
 * edit: inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  inp + (b * T + u) * 3 * C + h * 3 * hs + 2 * hs
 * why: inp was read as if every head had its q, k and v side by side. It holds all queries of a position first, then
 * all keys, then all values.
 * hint: With one head your numbers are right, with more they are not. Head h of the keys begins at C + h * hs, and
 * of the values at 2 * C + h * hs.
 * section: qkv-packing
 */

/* attention_forward: unscaled-scores-stored
 * base: plain-loops
 * edit: dot * scale  =>  dot
 * edit: pre[u] > maximum) maximum = pre[u]  =>  dot * scale > maximum) maximum = dot * scale
 * edit: pre[u] - maximum  =>  pre[u] * scale - maximum
 * why: preatt got the dot products before their scaling. The scores that go into the softmax are what it is to hold.
 * hint: Your weights and output are right, but preatt is sqrt(hs) times too large. Store the scaled scores.
 * section: attention-kernel
 */

/* attention_forward: one-map-for-all-sequences
 * base: plain-loops
 * edit: preatt + ((b * NH + h) * T + t) * T  =>  preatt + (h * T + t) * T
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + (h * T + t) * T
 * why: The offset into preatt and att has no b in it. Every sequence then overwrites the maps of the one before.
 * hint: preatt and att hold the last sequence's maps, and the rest is not written. Row (b, h, t) begins at ((b * NH
 * + h) * T + t) * T.
 * section: rows-and-strides
 */

/* attention_forward: output-by-heads
 * base: plain-loops
 * edit: out + (b * T + t) * C + h * hs  =>  out + ((b * NH + h) * T + t) * hs
 * why: The output was written as (B, NH, T, hs), head after head. It is (B, T, C): the heads of one position stand
 * side by side.
 * hint: Your numbers are right but stand in another order. Head h of position (b, t) begins at (b * T + t) * C + h *
 * hs.
 * section: rows-and-strides
 */

/* attention_forward: added-to-what-was-there
 * base: plain-loops
 * edit: for (int i = 0; i < hs; i++) y[i] = 0.0f;  =>
 * why: The weighted values were added to out without setting it to 0 first. What stands there before the call is no
 * number that means anything.
 * hint: Your output contains what stood in out before the call, here NaN. Set the hs entries to 0 before you add.
 * section: arrays-only-written
 */

/* attention_forward: values-weighted-by-scores
 * base: plain-loops
 * edit: a[u] * v[i]  =>  pre[u] * v[i]
 * why: The values were multiplied by the scores in preatt. The weights that sum to 1 are in att.
 * hint: Your maps are right, but the output weighs the values with preatt. Use att, which holds the weights after
 * the softmax.
 * section: attention-kernel
 */

/* attention_forward: not-normalised
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: sum += a[u];  =>
 * edit: a[u] / sum  =>  a[u]
 * why: The exponentials were never divided by their sum. Weights of a row must sum to 1.
 * hint: The weights of a row sum to more than 1. Divide them by the sum of their exponentials.
 * section: attention-kernel
 */

/* attention_forward: divided-in-the-output-only
 * base: plain-loops
 * edit: a[u] / sum  =>  a[u]
 * edit: a[u] * v[i]  =>  a[u] / sum * v[i]
 * why: The division by the sum was moved to the output, and att keeps the bare exponentials. The backward pass reads
 * att, and needs weights that sum to 1.
 * hint: Your output is right, but the rows of att do not sum to 1. Write the weights after the division.
 * section: attention-kernel
 */

/* attention_forward: one-maximum-for-all-rows
 * base: plain-loops
 * edit: y[i] += a[u] * v[i]  =>  y[i] += weights[u] * v[i]
 * edit:
 *     *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs
 * =>
 *     *v = inp + ((size_t)b * T + u) * 3 * C + 2 * (size_t)C + (size_t)h * hs
 * edit:
 *     for (int i = 0; i < hs; i++) y[i] = 0.0f;
 * =>
 *     for (int i = 0; i < hs; i++) {
 *         y[i] = 0.0f;
 *     }
 * edit: *y = out + (b * T + t) * C + h * hs  =>  *y = out + ((size_t)b * T + t) * C + (size_t)h * hs
 * edit: a[u] = u <= t ? a[u] / sum : 0.0f;  =>  weights[u] = u <= t ? weights[u] / total : 0.0f;
 * edit: sum += a[u];  =>  total += weights[u];
 * edit: a[u] = expf(pre[u] - maximum);  =>  weights[u] = expf(scores[u] - largest);
 * edit: float sum = 0.0f;  =>  float total = 0.0f;
 * edit:
 *     pre[u] = dot * scale;
 *     if (pre[u] > maximum) maximum = pre[u];
 * =>
 *     scores[u] = sum * scale;
 *     largest = fmaxf(largest, scores[u]);
 * edit: dot += q[i] * k[i];  =>  sum += q[i] * k[i];
 * edit: float dot = 0.0f;  =>  float sum = 0.0f;
 * edit: *k = inp + (b * T + u) * 3 * C + C + h * hs  =>  *k = inp + ((size_t)b * T + u) * 3 * C + C + (size_t)h * hs
 * edit: float maximum = -INFINITY;  =>  float *weights = att + row;
 * edit:
 *     float *pre = preatt + ((b * NH + h) * T + t) * T;
 *     float *a = att + ((b * NH + h) * T + t) * T;
 * =>
 *     size_t row = (((size_t)b * NH + h) * T + t) * T;
 *     float *scores = preatt + row;
 * edit:
 *     for (int t = 0; t < T; t++) {
 *         for (int h = 0; h < NH; h++) {
 *             const float *q = inp + (b * T + t) * 3 * C + h * hs;
 * =>
 *     for (int h = 0; h < NH; h++) {
 *         float largest = -INFINITY;
 *         for (int t = 0; t < T; t++) {
 *             const float *q = inp + ((size_t)b * T + t) * 3 * C + (size_t)h * hs;
 * edit: 1.0f / sqrtf(hs)  =>  1.0f / sqrtf((float)hs)
 * why: The maximum was set to -INFINITY once for a head, and goes on from query to query. A row of scores that lies
 * far below an earlier one has nothing but zeros as exponentials.
 * hint: A row whose scores lie far below those of an earlier row gives NaN. Search the maximum anew for every query.
 * section: running-maximum
 */

/* attention_forward: tiny-weights-in-the-future
 * base: plain-loops
 * edit: y[i] += a[u] * v[i]  =>  y[i] += weights[u] * v[i]
 * edit:
 *     *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs
 * =>
 *     *v = inp + ((size_t)b * T + u) * 3 * C + 2 * (size_t)C + (size_t)h * hs
 * edit:
 *     for (int i = 0; i < hs; i++) y[i] = 0.0f;
 * =>
 *     for (int i = 0; i < hs; i++) {
 *         y[i] = 0.0f;
 *     }
 * edit: *y = out + (b * T + t) * C + h * hs  =>  *y = out + ((size_t)b * T + t) * C + (size_t)h * hs
 * edit: a[u] = u <= t ? a[u] / sum : 0.0f;  =>  weights[u] = u <= t ? weights[u] / total : 1e-10f;
 * edit: sum += a[u];  =>  total += weights[u];
 * edit: a[u] = expf(pre[u] - maximum);  =>  weights[u] = expf(scores[u] - largest);
 * edit: float sum = 0.0f;  =>  float total = 0.0f;
 * edit:
 *     pre[u] = dot * scale;
 *     if (pre[u] > maximum) maximum = pre[u];
 * =>
 *     scores[u] = sum * scale;
 *     largest = fmaxf(largest, scores[u]);
 * edit: dot += q[i] * k[i];  =>  sum += q[i] * k[i];
 * edit: float dot = 0.0f;  =>  float sum = 0.0f;
 * edit: *k = inp + (b * T + u) * 3 * C + C + h * hs  =>  *k = inp + ((size_t)b * T + u) * 3 * C + C + (size_t)h * hs
 * edit: float maximum = -INFINITY;  =>  float largest = -INFINITY;
 * edit: float *a = att + ((b * NH + h) * T + t) * T;  =>  float *weights = att + row;
 * edit:
 *     for (int t = 0; t < T; t++) {
 *         for (int h = 0; h < NH; h++) {
 *             const float *q = inp + (b * T + t) * 3 * C + h * hs;
 *             float *pre = preatt + ((b * NH + h) * T + t) * T;
 * =>
 *     for (int h = 0; h < NH; h++) {
 *         for (int t = 0; t < T; t++) {
 *             const float *q = inp + ((size_t)b * T + t) * 3 * C + (size_t)h * hs;
 *             size_t row = (((size_t)b * NH + h) * T + t) * T;
 *             float *scores = preatt + row;
 * edit: 1.0f / sqrtf(hs)  =>  1.0f / sqrtf((float)hs)
 * why: The future positions of `att` got a tiny number in place of 0. A query may attend to nothing that comes after
 * it, and its weights sum to 1 without them.
 * hint: The future positions of `att` hold a tiny number. They are 0, exactly.
 * section: only-the-past
 */

/* attention_forward: values-for-keys
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + C  =>  inp + (b * T + u) * 3 * C + 2 * C
 * why: The keys were read at offset 2 * C, where the values are. The second block of every position holds its key.
 * hint: Your scores are dot products with values: keys begin at offset C, values at offset 2 * C.
 * section: qkv-packing
 */

/* attention_forward: keys-for-values
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + 2 * C  =>  inp + (b * T + u) * 3 * C + C
 * why: The values were read at offset C, where the keys are. The third block of every position holds its value.
 * hint: Your weights are right, but you mix keys with them: values begin at offset 2 * C.
 * section: qkv-packing
 */

/* attention_forward: queries-of-the-first-head
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C + h * hs  =>  inp + (b * T + t) * 3 * C
 * why: The offset of the head is missing in the queries. Every head asks with the query of head 0.
 * hint: Every head of yours asks with the query of head 0: head h begins at offset h * hs inside each of the three
 * blocks.
 * section: qkv-packing
 */

/* attention_forward: keys-of-the-first-head
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + C + h * hs  =>  inp + (b * T + u) * 3 * C + C
 * why: The offset of the head is missing in the keys. Every head compares with the keys of head 0.
 * hint: Every head of yours compares with the keys of head 0: head h begins at offset h * hs inside each of the
 * three blocks.
 * section: qkv-packing
 */

/* attention_forward: values-of-the-first-head
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  inp + (b * T + u) * 3 * C + 2 * C
 * why: The offset of the head is missing in the values. Every head mixes the values of head 0.
 * hint: Every head of yours mixes the values of head 0: head h begins at offset h * hs inside each of the three
 * blocks.
 * section: qkv-packing
 */

/* attention_forward: maximum-is-the-first-score
 * base: plain-loops
 * edit: pre[u] > maximum  =>  u == 0
 * why: The first score of a row was taken for its largest. Scores far above it overflow in expf, and the row becomes
 * NaN.
 * hint: Where a later score is far above the first, your row is NaN: compare every score of the row with the largest
 * so far.
 * section: running-maximum
 */

/* attention_forward: scale-of-the-first-call
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs)  =>  static float scale; if (scale == 0) scale = 1.0f / sqrtf(hs)
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the scale. A later call has
 * heads of another width, and needs another scale.
 * hint: Your kernel is right when it is called once. A later call still uses the first call's scale: it is
 * `static`. Compute it in every call.
 * section: numbers-in-c
 */

/* attention_forward: buffer-of-the-first-call
 * base: plain-loops
 * edit:
 *     float *a = att + ((b * NH + h) * T + t) * T;
 * =>
 *     static float *a; if (a == NULL) a = malloc(T * sizeof(float)); float *w = att + ((b * NH + h) * T + t) * T;
 * edit: a[u] = u <= t ? a[u] / sum : 0.0f  =>  w[u] = u <= t ? a[u] / sum : 0.0f
 * edit: a[u] * v[i]  =>  w[u] * v[i]
 * why: A `static` variable keeps its value from one call to the next. Here it keeps memory for the T numbers of a
 * row, as many as the first call has. A later call has longer sequences and writes past the end.
 * hint: Your kernel is right when it is called once. A later call may have a larger T: your `static` buffer is too
 * small for it. Use the row of att.
 * section: numbers-in-c
 */

/* attention_forward: scale-of-the-heads
 * base: plain-loops
 * edit: sqrtf(hs)  =>  sqrtf(NH)
 * why: The scores were divided by sqrt(NH), the number of heads. It is their width, hs = C / NH, that makes the
 * products large.
 * hint: Divide by sqrtf(hs): the scale depends on how many products a score sums.
 * section: attention-kernel
 */

/* attention_forward: divided-by-the-scale
 * base: plain-loops
 * edit: dot * scale  =>  dot / scale
 * why: The scores were divided by 1/sqrt(hs), and so multiplied by sqrt(hs). The scale keeps scores small, however
 * wide a head is.
 * hint: Your scores are too large by the factor hs. Multiply by 1/sqrt(hs), or divide by sqrt(hs).
 * section: attention-kernel
 */

/* attention_forward: keys-of-the-first-sequence
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + C  =>  u * 3 * C + C
 * why: The keys were read from the first sequence, whatever b is. A query attends to keys of its own sequence.
 * hint: Only the first sequence is right: the others ask its keys. Row (b, u) of inp begins at (b * T + u) * 3 *
 * C.
 * section: rows-and-strides
 */

/* attention_forward: queries-of-the-first-sequence
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C  =>  inp + t * 3 * C
 * why: The queries were read from the first sequence, whatever b is. Every sequence has its own queries.
 * hint: Only the first sequence is right: the others use its queries. Row (b, t) of inp begins at (b * T + t) * 3
 * * C.
 * section: rows-and-strides
 */

/* attention_forward: values-of-the-first-sequence
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + 2  =>  u * 3 * C + 2
 * why: The values were read from the first sequence, whatever b is. Every sequence averages its own values.
 * hint: Your weights are right, but every sequence averages the values of the first. Row (b, u) of inp begins at
 * (b * T + u) * 3 * C.
 * section: rows-and-strides
 */

/* attention_forward: own-key-only
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + C  =>  (b * T + t) * 3 * C + C
 * why: Every score is of the query with the key of its own position. The key was read at t, not at u.
 * hint: All scores of a row are equal in your preatt. The key of score u stands in row u.
 * section: attention-kernel
 */

/* attention_forward: own-value-only
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + 2  =>  (b * T + t) * 3 * C + 2
 * why: The values were read at t, not at u. The weighted mean of equal values is that value.
 * hint: Your output at position t is the value of position t. The value that weight u belongs to stands in row u.
 * section: attention-kernel
 */

/* attention_forward: last-value-only
 * base: plain-loops
 * edit: y[i] += a[u] * v[i]  =>  y[i] = a[u] * v[i]
 * why: Every weighted value overwrites the one before, with = in place of +=. The output is the sum of all of
 * them.
 * hint: Your output is the last value times its weight. Add them up with +=.
 * section: attention-kernel
 */

/* attention_forward: sum-begins-at-one
 * base: plain-loops
 * edit: float sum = 0.0f  =>  float sum = 1.0f
 * why: The sum of the exponentials begins at 1, so the weights add up to less than 1. It is the sum of the
 * exponentials alone that makes them weights.
 * hint: Your weights do not add up to 1. Let the sum begin at 0.
 * section: attention-kernel
 */

/* attention_forward: future-is-minus-infinity
 * base: plain-loops
 * edit: a[u] / sum : 0.0f  =>  a[u] / sum : -INFINITY
 * why: The future positions of att were set to minus infinity. That belongs to scores, before the softmax: a
 * weight that is none is 0.
 * hint: att holds weights, and the weight of a future position is 0.
 * section: only-the-past
 */

/* attention_forward: scores-by-position-first
 * base: plain-loops
 * edit: preatt + ((b * NH + h) * T + t) * T  =>  preatt + ((b * T + t) * NH + h) * T
 * why: The rows of preatt were ordered by position and then by head. It is (B, NH, T, T): the head comes first.
 * hint: Your rows of preatt are right, but at each other's places. Row (b, h, t) begins at ((b * NH + h) * T + t)
 * * T.
 * section: rows-and-strides
 */

/* attention_forward: weights-by-position-first
 * base: plain-loops
 * edit: float *a = att + ((b * NH + h) * T + t) * T  =>  float *a = att + ((b * T + t) * NH + h) * T
 * why: The rows of att were ordered by position and then by head. It is (B, NH, T, T): the head comes first.
 * hint: Your rows of att are right, but at each other's places. Row (b, h, t) begins at ((b * NH + h) * T + t) *
 * T.
 * section: rows-and-strides
 */

/* attention_forward: only-the-future
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k
 * =>
 *     for (int u = t; u < T; u++) {
 *         const float *k
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         a[u] = expf
 * =>
 *     for (int u = t; u < T; u++) {
 *         a[u] = expf
 * edit: u <= t ? a[u]  =>  u >= t ? a[u]
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v
 * =>
 *     for (int u = t; u < T; u++) {
 *         const float *v
 * why: Every query attends to its own position and to later ones. GPT-2 attends to its own position and to earlier
 * ones.
 * hint: Your mask is the wrong way round: u runs from 0 to t.
 * section: only-the-past
 */

/* attention_forward: width-and-number-of-heads-exchanged
 * base: plain-loops
 * edit: int hs = C / NH  =>  int hs = NH
 * why: The width of a head was taken to be NH, the number of heads. All heads together are C channels wide, so
 * each has C / NH.
 * hint: A head is C / NH channels wide. Your heads are NH wide.
 * section: attention-kernel
 */

/* attention_forward: channels-of-a-head-interleaved
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C + h * hs  =>  inp + (b * T + t) * 3 * C + h
 * edit: 3 * C + C + h * hs  =>  3 * C + C + h
 * edit: q[i] * k[i]  =>  q[i * NH] * k[i * NH]
 * edit: 3 * C + 2 * C + h * hs  =>  3 * C + 2 * C + h
 * edit: y[i] += a[u] * v[i]  =>  y[i] += a[u] * v[i * NH]
 * why: The channels of a head were taken to be NH apart. They stand side by side: head h has channels h * hs to (h
 * + 1) * hs - 1.
 * hint: Your heads mix channels of all heads. Head h begins at channel h * hs, and its channels follow one after
 * the other.
 * section: qkv-packing
 */

/* attention_forward: scaled-after-the-softmax
 * base: plain-loops
 * edit: dot * scale  =>  dot
 * edit: a[u] / sum : 0.0f  =>  a[u] / sum * scale : 0.0f
 * why: The weights were scaled, not the scores. The softmax of scaled scores is another one.
 * hint: Your weights do not add up to 1. Multiply the scores by 1/sqrt(hs), before the softmax.
 * section: attention-kernel
 */

/* attention_forward: softmax-over-all-positions
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         a[u] = expf
 * =>
 *     for (int u = t + 1; u < T; u++) pre[u] = 0.0f;
 *     for (int u = 0; u < T; u++) {
 *         a[u] = expf
 * why: The future scores are 0 and take part in the softmax. e^0 is 1, so they take weight from the past.
 * hint: Your weights of past and present do not add up to 1. Sum the exponentials up to t.
 * section: only-the-past
 */

/* attention_forward: no-score-for-its-own-position
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k
 * =>
 *     for (int u = 0; u < t; u++) {
 *         const float *k
 * why: The loop over the scores ends before the query's own position, which the softmax then reads without a
 * score. A query attends to its own position, too.
 * hint: The last score of every row of preatt is not written. Let u run to t in all three loops.
 * section: only-the-past
 */

/* attention_forward: output-of-one-head
 * base: plain-loops
 * edit: out + (b * T + t) * C + h * hs  =>  out + (b * T + t) * C
 * why: All heads write their output into the channels of the first, each over the one before. The heads stand side
 * by side in out.
 * hint: Only the first hs channels of out are written. Head h writes from channel h * hs on.
 * section: rows-and-strides
 */

/* attention_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence is not written. A loop from 0 with `t < T` runs T times.
 * section: numbers-in-c
 */

/* attention_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* attention_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence is not written. A loop from 0 with `b < B` runs B times.
 * section: numbers-in-c
 */

/* attention_forward: queries-for-keys
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + C + h * hs  =>  (b * T + u) * 3 * C + h * hs
 * why: The scores are products of queries with queries: the keys were read from the first block. They are in the
 * second.
 * hint: Your scores do not depend on the keys. The key of position u begins C after its query.
 * section: qkv-packing
 */

/* attention_forward: own-value-left-out
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v
 * =>
 *     for (int u = 0; u < t; u++) {
 *         const float *v
 * why: The loop over the values ends before the query's own position. A query attends to its own position, too.
 * hint: Position 0 of your output is 0, and all others lack their own value. Let u run to t.
 * section: only-the-past
 */

/* attention_forward: divided-after-the-output
 * base: plain-loops
 * edit: a[u] * v[i]  =>  a[u] * sum * v[i]
 * why: The output was summed with the bare exponentials, and only att was divided by their sum. The output needs the
 * same weights.
 * hint: Your att is right, and each row of your output is too large by the factor sum. Divide the weights before you use
 * them.
 * section: attention-kernel
 */

/* gelu_forward: error-function-form
 * base: plain-loops
 * edit: const float scale = sqrtf(2.0f / 3.14159265f);  =>
 * edit: float cube = 0.044715f * x * x * x;  =>
 * edit: tanhf(scale * (x + cube))  =>  erff(x / sqrtf(2.0f))
 * why: This is the exact GELU, with the error function. GPT-2 was trained with the form that has a tanh, and the two
 * differ by up to 0.0005.
 * hint: Your values are those of the other GELU, the one with erf. The difference is small, but enough to miss a
 * checkpoint's numbers: use the formula with tanh.
 * section: gelu-kernel
 */

/* gelu_forward: sigmoid-form
 * base: in-double
 * edit: double x = inp[n];  =>  float x = inp[n];
 * edit: x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3))))  =>  x / (1.0f + expf(-1.702f * x))
 * why: This is x times sigmoid(1.702 x), a rougher form of the same curve. It differs from the one with tanh by up
 * to 0.02.
 * hint: Your values are those of x * sigmoid(1.702 x). GPT-2 uses the form with tanh.
 * section: gelu-kernel
 */

/* gelu_forward: silu
 * base: in-double
 * edit: double x = inp[n];  =>  float x = inp[n];
 * edit: x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3))))  =>  x / (1.0f + expf(-x))
 * why: This is SiLU, x times sigmoid(x). Its curve looks alike, but is another function.
 * hint: Your values are those of x * sigmoid(x). GELU weighs x by the normal distribution, here through tanh.
 * section: gelu-kernel
 */

/* gelu_forward: relu
 * base: in-double
 * edit: double x = inp[n];  =>  float x = inp[n];
 * edit: x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3))))  =>  x > 0 ? x : 0
 * why: This is ReLU, which is 0 for every negative number. GELU is smooth, and a little below 0 there.
 * hint: Your function is 0 for every negative number. GELU lets a little of a negative number through: use the
 * formula with tanh.
 * section: gelu-kernel
 */

/* gelu_forward: misplaced-decimal-point
 * base: plain-loops
 * edit: 0.044715f * x  =>  0.44715f * x
 * why: The factor of the cube was written 0.44715. It is 0.044715, a tenth of that.
 * hint: Your values are too far from 0 around x = 1. The number in front of the cube has a zero after the point:
 * 0.044715.
 * section: gelu-kernel
 */

/* gelu_forward: no-cube
 * base: plain-loops
 * edit: float cube = 0.044715f * x * x * x;  =>
 * edit: (x + cube)  =>  x
 * why: The cubic term inside the tanh was left out. What remains is too small away from 0.
 * hint: Your values are a little too small around x = 2: 0.044715 * x * x * x is missing inside the tanh.
 * section: gelu-kernel
 */

/* gelu_forward: square-for-cube
 * base: plain-loops
 * edit: 0.044715f * x  =>  0.044715f
 * why: x was squared where it has to be cubed. A square has no sign, so that the curve is bent for negative numbers.
 * hint: Your values are worst at negative numbers. The term inside the tanh is a cube, x * x * x, which keeps the
 * sign.
 * section: gelu-kernel
 */

/* gelu_forward: half-of-integers
 * base: plain-loops
 * edit: 0.5f * x  =>  1 / 2 * x
 * why: 1 / 2 divides two integers, which gives 0. So the whole product is 0.
 * hint: Everything that you write is 0. In C 1 / 2 is an integer division with the result 0: write 0.5f.
 * section: numbers-in-c
 */

/* gelu_forward: no-half
 * base: plain-loops
 * edit: 0.5f * x  =>  x
 * why: The factor 0.5 was left out. 1 + tanh runs from 0 to 2, and the half brings it back to a weight between 0 and
 * 1.
 * hint: Your values are twice too large. Multiply by 0.5f.
 * section: gelu-kernel
 */

/* gelu_forward: no-root-in-the-factor
 * base: plain-loops
 * edit: sqrtf(2.0f / 3.14159265f)  =>  2.0f / 3.14159265f
 * why: The factor inside the tanh is 2 / pi without its root. The formula has sqrt(2 / pi), about 0.79788.
 * hint: Your curve is too flat around 0. The factor inside the tanh is the root of 2 / pi, about 0.79788456.
 * section: gelu-kernel
 */

/* gelu_forward: factor-on-x-alone
 * base: plain-loops
 * edit: scale * (x + cube)  =>  scale * x + cube
 * why: The factor sqrt(2 / pi) multiplies x, but not the cube. In the formula the bracket stands around both.
 * hint: Your values are a little too large around x = 1.5. The factor belongs to the whole bracket: scale * (x +
 * cube).
 * section: gelu-kernel
 */

/* gelu_forward: tanh-by-exponentials
 * base: plain-loops
 * edit:
 *     float cube = 0.044715f * x * x * x;
 * =>
 *     float cube = 0.044715f * x * x * x;
 *     float e = expf(2.0f * scale * (x + cube));
 * edit: tanhf(scale * (x + cube))  =>  (e - 1.0f) / (e + 1.0f)
 * why: tanh was written as (exp(2y) - 1) / (exp(2y) + 1). Above y = 44 the exponential overflows, and infinity over
 * infinity is NaN.
 * hint: Large inputs give NaN, because the exponential overflows. Use tanhf, which knows its limits.
 * section: gelu-kernel
 */

/* gelu_forward: x-left-out
 * base: plain-loops
 * edit: 0.5f * x  =>  0.5f
 * why: The weight between 0 and 1 was written, without the x that it weighs. GELU is x times this weight.
 * hint: Your values lie between 0 and 1. Multiply them by x.
 * section: gelu-kernel
 */

/* gelu_forward: whole-number-x
 * base: plain-loops
 * edit: float x = inp[n];  =>  int x = inp[n];
 * why: x is an int. What stands behind the point is cut off before anything is computed.
 * hint: Your function is a staircase: it changes at whole numbers only. Make x a float.
 * section: numbers-in-c
 */

/* gelu_forward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the loop's counter, and a
 * later call begins where the one before has stopped.
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N are not
 * written: the counter is `static`. Let it begin at 0 in every call.
 * section: numbers-in-c
 */

/* gelu_forward: root-of-half-pi
 * base: plain-loops
 * edit: 2.0f / 3.14159265f  =>  3.14159265f / 2.0f
 * why: The factor is sqrt(pi/2), the reciprocal of the right one. Inside the tanh stands sqrt(2/pi).
 * hint: Your curve is too steep around 0. The factor is sqrt(2/pi), about 0.7979.
 * section: gelu-kernel
 */

/* gelu_forward: rough-pi
 * base: plain-loops
 * edit: 3.14159265f  =>  3.14f
 * why: Pi was written as 3.14, and the error shows in the third digit behind the point. A float holds seven
 * digits.
 * hint: Your results are off by a few ten thousandths. Write sqrt(2/pi) as 0.79788456f.
 * section: gelu-kernel
 */

/* gelu_forward: everything-cubed
 * base: plain-loops
 * edit: 0.044715f * x * x * x  =>  0.044715f * x * 0.044715f * x * 0.044715f * x
 * why: The factor was cubed as well. Only x is: 0.044715 x^3.
 * hint: Your third power includes 0.044715. Multiply x * x * x by 0.044715 once.
 * section: gelu-kernel
 */

/* gelu_forward: one-minus-tanh
 * base: plain-loops
 * edit: 1.0f + tanhf  =>  1.0f - tanhf
 * why: The tanh was subtracted from 1. With 1 plus the tanh the curve rises from 0 on the left to x on the right.
 * hint: Your curve is the mirror image: large numbers become 0. Write 1 + tanh.
 * section: gelu-kernel
 */

/* gelu_forward: cube-subtracted
 * base: plain-loops
 * edit: x + cube  =>  x - cube
 * why: The third power was subtracted. It is added.
 * hint: Far from 0 your curve has the wrong sign. Write x + 0.044715 x^3.
 * section: gelu-kernel
 */

/* gelu_forward: one-zero-too-many
 * base: plain-loops
 * edit: 0.044715f  =>  0.0044715f
 * why: The number is 0.044715. A zero too many makes the cube hardly count.
 * hint: Your curve is too low between 1 and 3. The number is 0.044715.
 * section: gelu-kernel
 */

/* gelu_forward: a-digit-left-out
 * base: plain-loops
 * edit: 0.044715f  =>  0.04715f
 * why: The number is 0.044715. One of the fours is missing.
 * hint: Your results are off in the third digit. The number is 0.044715.
 * section: gelu-kernel
 */

/* gelu_forward: no-one-plus
 * base: plain-loops
 * edit: (1.0f + tanhf(scale * (x + cube)))  =>  tanhf(scale * (x + cube))
 * why: The 1 in front of the tanh is missing. Without it, the curve is symmetric.
 * hint: Your curve is the same on both sides of 0. Write 0.5 x (1 + tanh).
 * section: gelu-kernel
 */

/* gelu_forward: added-to-what-was-there
 * base: plain-loops
 * edit: out[n] =  =>  out[n] +=
 * why: The result was added to out with +=. What stands in out before the call is no number that means anything.
 * hint: Your output contains what stood in out before the call. A forward kernel writes with =.
 * section: arrays-only-written
 */

/* gelu_forward: tanh-of-x
 * base: plain-loops
 * edit: tanhf(scale * (x + cube))  =>  tanhf(x + cube)
 * why: The factor sqrt(2/pi) is missing inside the tanh. It makes the curve resemble the one with the error
 * function.
 * hint: Your curve is too steep around 0. Multiply by 0.79788456f inside the tanh.
 * section: gelu-kernel
 */

/* gelu_forward: hyperbolic-sine
 * base: plain-loops
 * edit: tanhf(  =>  sinhf(
 * why: sinh was taken for tanh. It grows without limit.
 * hint: Far from 0 your results explode. The function is tanhf.
 * section: gelu-kernel
 */

/* gelu_forward: last-entry-left-out
 * base: plain-loops
 * edit: n < N  =>  n < N - 1
 * why: The loop ends at N - 2. With `n < N` the last entry is N - 1 already.
 * hint: The last entry is not written. A loop from 0 with `n < N` runs N times.
 * section: numbers-in-c
 */

/* gelu_forward: factor-of-the-error-function
 * base: plain-loops
 * edit: sqrtf(2.0f / 3.14159265f)  =>  1.0f / sqrtf(2.0f)
 * why: The factor is 1/sqrt(2), which belongs to the form with the error function. In the form with tanh it is
 * sqrt(2/pi).
 * hint: Your curve is too flat around 0. The factor is 0.79788456f.
 * section: gelu-kernel
 */

/* gelu_forward: tanh-of-x-alone
 * base: plain-loops
 * edit: tanhf(scale * (x + cube))  =>  tanhf(x)
 * why: The tanh was taken of x itself. It is of sqrt(2/pi) * (x + 0.044715 x^3).
 * hint: Your curve is too steep around 0. Compute the argument of the tanh as the formula says.
 * section: gelu-kernel
 */

/* residual_forward: difference
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  inp1[n] - inp2[n]
 * why: The second input was subtracted. A residual connection adds what the layer has computed to what went around
 * it.
 * hint: You have the difference of the two inputs. Add them.
 * section: residual-kernel
 */

/* residual_forward: product
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  inp1[n] * inp2[n]
 * why: The inputs were multiplied. A residual connection is a sum: what went around the layer arrives unchanged.
 * hint: You have the product of the two inputs. Add them.
 * section: residual-kernel
 */

/* residual_forward: average
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  (inp1[n] + inp2[n]) / 2
 * why: The sum was halved. Nothing is averaged in a residual connection: the input passes at its full size.
 * hint: Your entries are half as large as they should be. Add, and do not divide.
 * section: residual-kernel
 */

/* residual_forward: first-input-only
 * base: plain-loops
 * edit:
 *     for (int n = 0; n < N; n++) {
 * =>
 *     (void)inp2;
 *     for (int n = 0; n < N; n++) {
 * edit: inp1[n] + inp2[n]  =>  inp1[n]
 * why: Only the first input was copied. What the layer computed has to be added.
 * hint: Your output equals inp1. Add inp2, entry by entry.
 * section: residual-kernel
 */

/* residual_forward: second-input-only
 * base: plain-loops
 * edit:
 *     for (int n = 0; n < N; n++) {
 * =>
 *     (void)inp1;
 *     for (int n = 0; n < N; n++) {
 * edit: inp1[n] + inp2[n]  =>  inp2[n]
 * why: Only the second input was copied. What went around the layer has to be added.
 * hint: Your output equals inp2. Add inp1, entry by entry.
 * section: residual-kernel
 */

/* residual_forward: added-to-what-was-there
 * base: plain-loops
 * edit: out[n] = inp1[n] + inp2[n]  =>  out[n] += inp1[n] + inp2[n]
 * why: The sum was added to out with +=. What stands in out before the call is no number that means anything.
 * hint: Your output contains what stood in out before the call, here NaN. Write with =.
 * section: arrays-only-written
 */

/* residual_forward: last-entry-left-out
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n < N - 1; n++) {
 * why: The loop ends before the last entry. With `n < N` it runs N times, from 0 to N - 1.
 * hint: The last entry is not written. Let the loop run while n < N.
 * section: numbers-in-c
 */

/* residual_forward: first-entry-left-out
 * base: plain-loops
 * edit: int n = 0;  =>  int n = 1;
 * why: The loop starts at 1. Arrays start at entry 0 in C.
 * hint: The first entry is not written. Let the loop start at 0.
 * section: numbers-in-c
 */

/* residual_forward: one-past-the-end
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n <= N; n++) {
 * why: The loop runs while n <= N, once more than there are entries. Entry N lies past the end of all three arrays.
 * hint: Your kernel touches the entry after the last one. N entries are numbered 0 to N - 1: let the loop run while
 * n < N.
 * section: numbers-in-c
 */

/* residual_forward: remainder-left-out
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n + 4 <= N; n += 4) {
 * edit: out[n] = inp1[n] + inp2[n];  =>  for (int i = n; i < n + 4; i++) out[i] = inp1[i] + inp2[i];
 * why: The loop takes four entries at a time, and stops when fewer are left. N need not be a multiple of 4.
 * hint: The last entries are not written where N is no multiple of 4. After the loop in steps of 4 do what is left,
 * one by one.
 * section: residual-kernel
 */

/* residual_forward: one-entry-only
 * base: plain-loops
 * edit: out[n] = inp1[n] + inp2[n]  =>  *out = *inp1 + *inp2
 * why: The three pointers are never moved, so every round of the loop writes the first entry. `*out` is out[0].
 * hint: Only the first entry is written. Move the pointers in every round (`*out++ = *inp1++ + *inp2++`), or index
 * them.
 * section: numbers-in-c
 */

/* residual_forward: sum-left-in-the-input
 * base: plain-loops
 * edit: const float *inp1  =>  float *inp1
 * edit:
 *     out[n] = inp1[n] + inp2[n];
 * =>
 *     inp1[n] += inp2[n];
 *     out[n] = inp1[n];
 * why: The sum was written into the first input and copied from there. The backward pass, and later layers, still
 * need that input as it was.
 * hint: Your output is right, but inp1 is not what it was before the call. Write the sum to out alone.
 * section: arrays-only-written
 */

/* residual_forward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the loop's counter, and a
 * later call begins where the one before has stopped.
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N are not
 * written: the counter is `static`. Let it begin at 0 in every call.
 * section: numbers-in-c
 */

/* residual_forward: first-input-twice
 * base: plain-loops
 * edit: inp2[n]  =>  inp1[n]
 * why: The first input was added to itself. The second one has no say.
 * hint: Your entries are twice the first input. Add the second one.
 * section: residual-kernel
 */

/* residual_forward: second-input-twice
 * base: plain-loops
 * edit: inp1[n]  =>  inp2[n]
 * why: The second input was added to itself. The first one has no say.
 * hint: Your entries are twice the second input. Add the first one.
 * section: residual-kernel
 */

/* residual_forward: second-input-reversed
 * base: plain-loops
 * edit: inp2[n]  =>  inp2[N - 1 - n]
 * why: The second input was read from its end. Both inputs have the same layout.
 * hint: Entry n of your output has entry N - 1 - n of inp2. Both inputs are read at n.
 * section: residual-kernel
 */

/* residual_forward: first-entry-for-all
 * base: plain-loops
 * edit: inp1[n]  =>  inp1[0]
 * why: Entry 0 of the first input was added everywhere. The index is missing there.
 * hint: All entries of your output share one entry of inp1. Read it at n.
 * section: residual-kernel
 */

/* residual_forward: second-inputs-first-entry
 * base: plain-loops
 * edit: inp2[n]  =>  inp2[0]
 * why: Entry 0 of the second input was added everywhere. The index is missing there.
 * hint: All entries of your output share one entry of inp2. Read it at n.
 * section: residual-kernel
 */

/* residual_forward: every-second-entry
 * base: plain-loops
 * edit: n++  =>  n += 2
 * why: The loop takes two steps at a time. Half of the entries are left as they were.
 * hint: Every second entry is not written. Let n grow by 1.
 * section: numbers-in-c
 */

/* residual_forward: larger-of-the-two
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  fmaxf(inp1[n], inp2[n])
 * why: The larger of the two was taken. A residual connection adds.
 * hint: Your entries are the larger ones of both inputs. Add them.
 * section: residual-kernel
 */

/* residual_forward: second-minus-first
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  inp2[n] - inp1[n]
 * why: The first input was subtracted from the second. A residual connection adds.
 * hint: Your entries are inp2 - inp1. Add the two.
 * section: residual-kernel
 */

/* residual_forward: bytes-for-entries
 * base: copy-then-add
 * edit: N * sizeof(float)  =>  N
 * why: memcpy counts bytes, and got the number of entries. A float has four bytes, so a quarter of the entries was
 * copied.
 * hint: Only the first quarter of out is right. The third argument of memcpy is a number of bytes: N * sizeof(float).
 * section: numbers-in-c
 */

/* softmax_forward: over-the-padding
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)V;
 *     for (int b = 0; b < B; b++) {
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 * =>
 *     for (int v = 0; v < Vp; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] = expf(z[v] - maximum);
 * =>
 *     for (int v = 0; v < Vp; v++) {
 *         p[v] = expf(z[v] - maximum);
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] /= sum;
 * =>
 *     for (int v = 0; v < Vp; v++) {
 *         p[v] /= sum;
 * edit:
 *     for (int v = V; v < Vp; v++) {
 *         p[v] = 0.0f;
 *     }
 * =>
 * why: The softmax was taken over all Vp columns. The padding holds no tokens, and takes probability from those that
 * exist.
 * hint: The padded columns get probability, and all others too little. Maximum, sum and division go over the first V
 * columns.
 * section: padded-vocabulary
 */

/* softmax_forward: padding-in-the-sum
 * base: plain-loops
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] = expf(z[v] - maximum);
 * =>
 *     for (int v = 0; v < Vp; v++) {
 *         p[v] = expf(z[v] - maximum);
 * why: The padded columns were set to 0 at the end, but their exponentials are in the sum. The probabilities that
 * are left sum to less than 1.
 * hint: Your probabilities sum to less than 1 where columns are padded. Leave the padding out of the sum, too.
 * section: padded-vocabulary
 */

/* softmax_forward: padding-left-unwritten
 * base: plain-loops
 * edit:
 *     for (int v = V; v < Vp; v++) {
 *         p[v] = 0.0f;
 *     }
 * =>
 * why: Columns V to Vp - 1 were never written. They must be 0, because later kernels read whole rows.
 * hint: The padded columns still hold what was there before the call. Write 0 to columns V to Vp - 1.
 * section: padded-vocabulary
 */

/* softmax_forward: tiny-probability-in-the-padding
 * base: plain-loops
 * edit: p[v] = 0.0f  =>  p[v] = 1e-9f
 * why: The padded columns got a tiny number in place of 0. A sampler can draw them then, and its logarithm is
 * finite.
 * hint: The padded columns hold a tiny number. Tokens that do not exist have probability 0, exactly.
 * section: padded-vocabulary
 */

/* softmax_forward: maximum-of-the-padding
 * base: plain-loops
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 * =>
 *     for (int v = 0; v < Vp; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 * why: The largest logit was searched in all Vp columns. What stands in the padding is not a logit of any token, and
 * may be large.
 * hint: Large numbers in the padding's logits change or spoil your probabilities. Search the first V columns alone.
 * section: padded-vocabulary
 */

/* softmax_forward: rows-of-length-v
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + (b * T + t) * V
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * why: The step from one row to the next was taken to be V. Rows are stored with their padding, so they are Vp long.
 * hint: Where columns are padded, every row but the first begins too early. The step from row to row is Vp.
 * section: padded-vocabulary
 */

/* softmax_forward: maximum-from-minus-10000
 * base: plain-loops
 * edit: -INFINITY  =>  -10000.0f
 * why: The search for the largest logit starts at -10000. Where all logits of a row are lower, this start is
 * subtracted in place of one of them, and every exponential is 0.
 * hint: Rows whose logits all lie below -10000 give NaN. Start at the first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: maximum-from-zero
 * base: plain-loops
 * edit: -INFINITY  =>  0.0f
 * why: The search for the largest logit starts at 0 (or at FLT_MIN, which is the smallest positive float). Where all
 * logits are negative, the largest is never found.
 * hint: Rows whose logits are all far below 0 give NaN. Start at the first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: no-maximum
 * base: plain-loops
 * edit:
 *     float maximum = -INFINITY;
 *     for (int v = 0; v < V; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 *     }
 * =>
 * edit: z[v] - maximum  =>  z[v]
 * why: The exponential was taken of the logits as they are. Above 88 it overflows to infinity, and infinity over
 * infinity is NaN.
 * hint: Large logits give NaN. Subtract the largest logit of the row from all of them first: the probabilities stay
 * the same.
 * section: running-maximum
 */

/* softmax_forward: one-maximum-for-all-rows
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     float maximum = logits[0];
 *     for (int i = 0; i < B * T; i++) {
 *         for (int v = 0; v < V; v++) maximum = fmaxf(maximum, logits[i * Vp + v]);
 *     }
 *     for (int b = 0; b < B; b++) {
 * edit:
 *     float maximum = -INFINITY;
 *     for (int v = 0; v < V; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 *     }
 * =>
 * why: The largest logit of the whole array was subtracted in every row. A row that lies far below it has nothing
 * but zeros as exponentials.
 * hint: Rows that lie far below the largest one give NaN. Search the maximum anew in each row.
 * section: running-maximum
 */

/* softmax_forward: smallest-for-largest
 * base: plain-loops
 * edit: maximum = -INFINITY  =>  minimum = INFINITY
 * edit: z[v] > maximum) maximum = z[v]  =>  z[v] < minimum) minimum = z[v]
 * edit: z[v] - maximum  =>  z[v] - minimum
 * why: The smallest logit was subtracted, so that all exponents are positive. Where a row spreads widely the largest
 * one still overflows.
 * hint: Rows that spread over more than 88 give NaN. Subtract the largest logit, so that no exponent is above 0.
 * section: running-maximum
 */

/* softmax_forward: shifted-by-the-mean
 * base: plain-loops
 * edit: maximum = -INFINITY  =>  mean = 0.0f
 * edit: if (z[v] > maximum) maximum = z[v];  =>  mean += z[v] / V;
 * edit: z[v] - maximum  =>  z[v] - mean
 * why: The mean of the logits was subtracted. Where a row spreads widely its largest logit lies far above the mean,
 * and overflows.
 * hint: Rows that spread widely give NaN. Subtract the largest logit, so that no exponent is above 0.
 * section: running-maximum
 */

/* softmax_forward: sum-goes-on
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     float sum = 0.0f;
 *     for (int b = 0; b < B; b++) {
 * why: The sum is set to 0 once, before the loops. Every row then divides by the exponentials of all rows before it,
 * too.
 * hint: The first row is right, and the later ones sum to less and less. Set the sum to 0 for every row.
 * section: numbers-in-c
 */

/* softmax_forward: not-normalised
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: sum += p[v];  =>
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] /= sum;
 *     }
 * =>
 * why: The exponentials were never divided by their sum. Probabilities of a row sum to 1.
 * hint: The largest entry of every row is 1, and a row sums to more. Divide by the sum of the exponentials.
 * section: crossentropy-kernel
 */

/* softmax_forward: logarithms
 * base: plain-loops
 * edit: p[v] /= sum  =>  p[v] = logf(p[v] / sum)
 * why: The logarithms of the probabilities were written. The kernel for the loss takes the logarithm itself.
 * hint: Your entries are negative: they are logarithms. Write the probabilities.
 * section: crossentropy-kernel
 */

/* softmax_forward: last-token-left-out
 * base: plain-loops
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 * =>
 *     for (int v = 0; v < V - 1; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] = expf(z[v] - maximum);
 * =>
 *     for (int v = 0; v < V - 1; v++) {
 *         p[v] = expf(z[v] - maximum);
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] /= sum;
 * =>
 *     for (int v = 0; v < V - 1; v++) {
 *         p[v] /= sum;
 * edit: int v = V;  =>  int v = V - 1;
 * why: The loops end at V - 2. With `v < V` the last token, V - 1, is the last one already.
 * hint: The last token never gets a probability. Let the loops run while v < V.
 * section: numbers-in-c
 */

/* softmax_forward: logits-overwritten
 * base: plain-loops
 * edit: const float *logits  =>  float *logits
 * edit: const float *z = logits + (b * T + t) * Vp;  =>  float *z = logits + (b * T + t) * Vp;
 * edit: p[v] = expf(z[v] - maximum)  =>  z[v] = expf(z[v] - maximum)
 * edit: sum += p[v]  =>  sum += z[v]
 * edit: p[v] /= sum  =>  p[v] = z[v] / sum
 * why: The exponentials were written into the logits. No kernel changes its inputs: code that reads the logits later
 * finds something else.
 * hint: Your probabilities are right, but the logits are not what they were before the call. Write to probs alone.
 * section: arrays-only-written
 */

/* softmax_forward: maximum-without-the-last
 * base: plain-loops
 * edit:
 *     const float *z = logits + (b * T + t) * Vp;
 * =>
 *     size_t row = ((size_t)b * T + t) * Vp;
 *     const float *z = logits + row;
 * edit: probs + (b * T + t) * Vp  =>  probs + row
 * edit: maximum = -INFINITY  =>  largest = -INFINITY
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         if (z[v] > maximum) maximum = z[v];
 * =>
 *     for (int v = 0; v < V - 1; v++) {
 *         largest = fmaxf(largest, z[v]);
 * edit: sum = 0.0f  =>  total = 0.0f
 * edit: z[v] - maximum  =>  z[v] - largest
 * edit: sum += p[v]  =>  total += p[v]
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] /= sum;
 *     }
 * =>
 * edit: int v = V;  =>  int v = 0;
 * edit: p[v] = 0.0f  =>  p[v] = v < V ? p[v] / total : 0.0f
 * why: The search for the maximum ends one token early. Where the last token has the largest logit by far, its
 * exponential overflows.
 * hint: Where the last of the V logits is the largest by more than 88, your row holds NaN. The search goes over all
 * V of them.
 * section: running-maximum
 */

/* softmax_forward: maximum-from-minus-1e9
 * base: plain-loops
 * edit: -INFINITY  =>  -1e9f
 * why: The search for the maximum starts at -1e9. Where all logits lie below it, it stays the maximum, every
 * exponential is 0, and 0 / 0 is NaN.
 * hint: Logits around -3e9 give NaN. Start at the row's first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: buffer-of-the-first-call
 * base: plain-loops
 * edit: float sum = 0.0f;  =>  float sum = 0.0f; static float *e; if (e == NULL) e = malloc(V * sizeof(float));
 * edit: p[v] = expf(  =>  e[v] = expf(
 * edit: sum += p[v]  =>  sum += e[v]
 * edit: p[v] /= sum  =>  p[v] = e[v] / sum
 * why: A `static` variable keeps its value from one call to the next. Here it keeps memory for the V exponentials
 * of a row, as many as the first call has. A later call has a larger vocabulary and writes past the end.
 * hint: Your kernel is right when it is called once. A later call may have a larger V: your `static` buffer is too
 * small for it. Use the row of probs.
 * section: numbers-in-c
 */

/* softmax_forward: size-of-the-first-call
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     static int first; if (first == 0) first = V; V = first; for (int b = 0; b < B; b++) {
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the number of tokens. A later
 * call has another vocabulary, and only its first columns are read.
 * hint: Your kernel is right when it is called once. A later call still uses the first call's V: it is kept in a
 * `static` variable. Use the argument.
 * section: numbers-in-c
 */

/* softmax_forward: padding-is-minus-infinity
 * base: plain-loops
 * edit: p[v] = 0.0f  =>  p[v] = -INFINITY
 * why: The padded columns were set to minus infinity. That belongs to logits: a probability that is none is 0.
 * hint: probs holds probabilities, and those of padded columns are 0.
 * section: padded-vocabulary
 */

/* softmax_forward: sum-of-logits
 * base: plain-loops
 * edit: sum += p[v]  =>  sum += z[v]
 * why: The logits were summed, not their exponentials. Probabilities are exponentials divided by the sum of
 * exponentials.
 * hint: Your probabilities do not add up to 1. Divide by the sum of the exponentials.
 * section: padded-vocabulary
 */

/* softmax_forward: powers-of-two
 * base: plain-loops
 * edit: expf(z[v] - maximum)  =>  exp2f(z[v] - maximum)
 * why: Powers of 2 were taken. Softmax takes powers of e.
 * hint: Your probabilities are too even. Use expf.
 * section: padded-vocabulary
 */

/* softmax_forward: maximum-added
 * base: plain-loops
 * edit: z[v] - maximum  =>  z[v] + maximum
 * why: The maximum was added. Subtract it: the largest exponent is then 0, and nothing overflows.
 * hint: Where logits are large your exponentials overflow. Subtract the maximum.
 * section: running-maximum
 */

/* softmax_forward: sign-turned-round
 * base: plain-loops
 * edit: z[v] - maximum  =>  maximum - z[v]
 * why: The exponent is maximum minus logit. So the least likely token gets the largest probability.
 * hint: Your probabilities rank the tokens the wrong way round. The exponent is the logit minus the maximum.
 * section: running-maximum
 */

/* softmax_forward: divided-by-the-tokens
 * base: plain-loops
 * edit: p[v] /= sum  =>  p[v] /= V
 * why: The exponentials were divided by V. Their sum makes them probabilities.
 * hint: Your probabilities do not add up to 1. Divide by the sum of the exponentials.
 * section: padded-vocabulary
 */

/* softmax_forward: maximum-from-minus-100
 * base: plain-loops
 * edit: maximum = -INFINITY  =>  maximum = -100.0f
 * why: The search for the maximum begins at -100. If all logits are lower, -100 stays, and every exponential may
 * become 0.
 * hint: Rows whose logits all lie below -100 give NaN. Begin at the first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: padding-overwrites-the-last-token
 * base: plain-loops
 * edit: int v = V; v < Vp  =>  int v = V - 1; v < Vp
 * why: The loop that clears the padding begins at V - 1, which is the last real token. Its probability is lost.
 * hint: Your last token has probability 0. The padding begins at column V.
 * section: numbers-in-c
 */

/* softmax_forward: one-maximum-for-a-sequence
 * base: plain-loops
 * edit: float maximum = -INFINITY;  =>
 * edit: for (int t = 0; t < T; t++) {  =>  float maximum = -INFINITY; for (int t = 0; t < T; t++) {
 * why: The maximum is set to -INFINITY once for each sequence, so a row keeps the maximum of the rows before it.
 * Every row is shifted by its own maximum.
 * hint: Rows that lie far below an earlier row give NaN. Set the maximum to -INFINITY inside the loop over t.
 * section: running-maximum
 */

/* softmax_forward: rows-of-logits-of-length-v
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + (b * T + t) * V
 * why: The rows of logits were taken to be V long. They are Vp long: the padding stands at the end of every row.
 * hint: Your first row is right, and later ones begin too early in logits. Row (b, t) begins at (b * T + t) * Vp.
 * section: rows-and-strides
 */

/* softmax_forward: rows-of-probs-of-length-v
 * base: plain-loops
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * why: The rows of probs were taken to be V long. They are Vp long, like those of logits.
 * hint: Your rows overlap, and the end of probs is not written. Row (b, t) begins at (b * T + t) * Vp.
 * section: rows-and-strides
 */

/* softmax_forward: rows-with-b-and-t-mixed
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + (b * Vp + t) * T
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * Vp + t) * T
 * why: Sequence b begins at b * T * Vp and row t at t * Vp. You have multiplied b by Vp and t by T.
 * hint: Your rows begin at the wrong entries. Row (b, t) begins at (b * T + t) * Vp.
 * section: rows-and-strides
 */

/* softmax_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence is not written. A loop from 0 with `t < T` runs T times.
 * section: numbers-in-c
 */

/* softmax_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* softmax_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence is not written. A loop from 0 with `b < B` runs B times.
 * section: numbers-in-c
 */

/* softmax_forward: maximum-of-the-sizes
 * base: plain-loops
 * edit: if (z[v] > maximum) maximum = z[v]  =>  if (fabsf(z[v]) > maximum) maximum = fabsf(z[v])
 * why: The number farthest from 0 was taken for the largest. Where all logits are far below 0, every exponential
 * becomes 0.
 * hint: Rows that lie far below 0 give NaN. Compare the logits as they are.
 * section: running-maximum
 */

/* softmax_forward: multiplied-by-the-sum
 * base: plain-loops
 * edit: p[v] /= sum  =>  p[v] *= sum
 * why: The exponentials were multiplied by their sum. Divided by it, they add up to 1.
 * hint: Your probabilities do not add up to 1. Divide by the sum.
 * section: padded-vocabulary
 */

/* softmax_forward: last-token-out-of-the-sum
 * base: plain-loops
 * edit:
 *     for (int v = 0; v < V; v++) {
 *         p[v] = expf
 * =>
 *     for (int v = 0; v < V - 1; v++) {
 *         p[v] = expf
 * why: The loop over the exponentials ends at V - 2. With `v < V` the last one is V - 1 already.
 * hint: The last token of every row has no exponential. Let v run to V - 1.
 * section: numbers-in-c
 */

/* softmax_forward: divided-by-the-sum-so-far
 * base: plain-loops
 * edit: p[v] /= sum;  =>  (void)sum;
 * edit: sum += p[v];  =>  sum += p[v]; p[v] /= sum;
 * why: Each exponential was divided inside the loop that adds them up, by the sum up to its own token. All of them are
 * divided by the whole sum.
 * hint: The first probability of every row is 1. The division needs a loop of its own, after the sum is complete.
 * section: running-maximum
 */

/* softmax_forward: maximum-above-the-fraction-only
 * base: plain-loops
 * edit: sum += p[v]  =>  sum += expf(z[v])
 * why: The largest logit was subtracted above the fraction, and not in the sum below. The shift cancels only if both
 * have it.
 * hint: Your rows do not sum to 1. Add up the exponentials of the shifted logits.
 * section: running-maximum
 */

/* softmax_forward: first-padding-left-unwritten
 * base: plain-loops
 * edit: int v = V; v < Vp  =>  int v = V + 1; v < Vp
 * why: The loop over the padding starts at V + 1. The tokens end at V - 1, so the padding begins at V.
 * hint: Column V still holds what was there before the call. Start the loop over the padding at V.
 * section: padded-vocabulary
 */

/* crossentropy_forward: no-minus
 * base: plain-loops
 * edit: -logf(p)  =>  logf(p)
 * why: The minus in front of the logarithm was left out. The logarithm of a probability is negative, and a loss is
 * not.
 * hint: Your losses have the wrong sign. The loss is minus the logarithm.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: step-of-one-entry
 * base: plain-loops
 * edit: (b * T + t) * Vp  =>  b * T + t
 * why: The offset is position + target, without Vp. Every position has a row of Vp probabilities.
 * hint: Only the first position reads its own row. Row (b, t) of probs begins at (b * T + t) * Vp.
 * section: rows-and-strides
 */

/* crossentropy_forward: same-targets-in-every-sequence
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t]
 * why: The target was read at targets[t], so that every sequence gets the targets of the first. Sequence b starts at
 * entry b * T.
 * hint: The first sequence is right, and the others are measured against its targets. Position (b, t) has target b *
 * T + t.
 * section: rows-and-strides
 */

/* crossentropy_forward: only-one-sequence-read
 * base: plain-loops
 * edit: (b * T + t)  =>  t
 * why: The offset into probs has no b in it. Every sequence then reads the probabilities of the first.
 * hint: The first sequence is right, and the others read its probabilities. Row (b, t) of probs begins at (b * T +
 * t) * Vp.
 * section: rows-and-strides
 */

/* crossentropy_forward: next-target
 * base: plain-loops
 * each: NEXT = t + 1; (t + 1) % T; (t + 1 < T ? t + 1 : t)
 * edit: targets[b * T + t]  =>  targets[b * T + NEXT]
 * why: The target was read one position further on. targets holds the right next token of every position already:
 * nothing needs to be shifted.
 * hint: Every position is measured against the target of the position after it. The target of (b, t) is
 * targets[b * T + t].
 * section: crossentropy-kernel
 */

/* crossentropy_forward: no-logarithm
 * base: plain-loops
 * edit: -logf(p)  =>  1.0f - p
 * why: The loss was written as 1 minus the probability. The cross-entropy is minus its logarithm, which has no upper
 * limit.
 * hint: Your losses lie between 0 and 1. Take minus the logarithm of the probability.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: logarithm-to-base-2
 * base: plain-loops
 * edit: logf(p)  =>  log2f(p)
 * why: The logarithm to base 2 was taken, which counts bits. The loss is in nats: the natural logarithm, logf.
 * hint: Your losses are 1.4427 times too large. Use the natural logarithm, logf.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: logarithm-to-base-10
 * base: plain-loops
 * edit: logf(p)  =>  log10f(p)
 * why: The logarithm to base 10 was taken. The loss is in nats: the natural logarithm, logf.
 * hint: Your losses are 0.4343 times what they should be. Use the natural logarithm, logf.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: small-number-in-the-logarithm
 * base: plain-loops
 * each: SMALL = 1e-8f; 1e-5f; 1e-6f; 1e-7f; 1e-10f; 1e-12f
 * edit: logf(p)  =>  logf(p + SMALL)
 * why: A small number was added to the probability, to keep the logarithm finite. It changes small probabilities,
 * and hides that one is 0.
 * hint: Losses of small probabilities come out too small. Take the logarithm of the probability as it is.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: smallest-probability-set
 * base: plain-loops
 * each: LIMIT = 1e-10f; 1e-5f; 1e-6f; 1e-7f; 1e-8f; 1e-12f
 * edit: logf(p)  =>  logf(fmaxf(p, LIMIT))
 * why: Probabilities below a limit were raised to it, to keep the logarithm finite. A token with probability 0 has
 * an infinite loss, which tells that something is wrong.
 * hint: Your loss never exceeds a limit. Take the logarithm of the probability as it is, 0 included.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: most-likely-token
 * base: plain-loops
 * edit:
 *     int target = targets[b * T + t];
 * =>
 *     (void)targets;
 *     float p = 0.0f;
 * edit:
 *     float p = probs[(b * T + t) * Vp + target];
 * =>
 *     for (int v = 0; v < Vp; v++) {
 *         if (probs[(b * T + t) * Vp + v] > p) p = probs[(b * T + t) * Vp + v];
 *     }
 * why: The loss was computed from the largest probability of the row. It is about the target's probability, however
 * small.
 * hint: Your losses do not depend on the targets. Read the probability of the target.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: weighted-by-the-probability
 * base: plain-loops
 * edit: -logf(p)  =>  -p * logf(p)
 * why: The logarithm was multiplied by the probability itself, as in an entropy. The true distribution has all its
 * weight on the target, so the factor is 1.
 * hint: Your losses are too small, and unlikely targets cost almost nothing. The factor in front of the logarithm is
 * 1.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: entropy-of-the-row
 * base: plain-loops
 * edit:
 *     int target = targets[b * T + t];
 * =>
 *     (void)targets;
 *     float entropy = 0.0f;
 * edit:
 *     float p = probs[(b * T + t) * Vp + target];
 * =>
 *     for (int v = 0; v < Vp; v++) {
 *         float p = probs[(b * T + t) * Vp + v];
 *         if (p > 0.0f) entropy -= p * logf(p);
 *     }
 * edit: -logf(p)  =>  entropy
 * why: The entropy of the whole row was computed, which the target has no part in. The loss takes one probability of
 * the row, that of the target.
 * hint: Your losses do not depend on the targets. No sum is needed: read the probability of the target.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: divided-by-the-positions
 * base: plain-loops
 * edit: -logf(p)  =>  -logf(p) / (B * T)
 * why: Every loss was divided by the number of positions. The mean is taken later, by the caller: this kernel
 * writes the losses one by one.
 * hint: Your losses are too small, by the factor B * T. Write the loss of each position as it is.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: mean-in-the-first-entry
 * base: reciprocal-in-the-logarithm
 * edit:
 *     for (int i = 0; i < B * T; i++) {
 *         double p = probs[(size_t)i * Vp + targets[i]];
 *         losses[i] = log(1 / p);
 *     }
 * =>
 *     float sum = 0.0f;
 *     for (int b = 0; b < B; b++) {
 *
 *         for (int t = 0; t < T; t++) {
 *             int target = targets[b * T + t];
 *             float p = probs[(b * T + t) * Vp + target];
 *             sum -= logf(p);
 *         }
 *     }
 *     losses[0] = sum / (B * T);
 * why: The mean of all losses was written into the first entry. losses is (B, T), with one loss for every position.
 * hint: Only the first entry is written, with the mean of all. Write every position's loss to its own entry.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: positions-before-sequences
 * base: plain-loops
 * edit: losses[b * T + t]  =>  losses[t * B + b]
 * why: The losses were written as (T, B). They are (B, T): all positions of the first sequence come first.
 * hint: Your losses are right, but stand in another order. Entry (b, t) is b * T + t.
 * section: rows-and-strides
 */

/* crossentropy_forward: targets-of-the-first-call
 * base: plain-loops
 * edit:
 *         for (int b = 0; b < B; b++) {
 * =>
 *         static int *kept; if (kept == NULL) memcpy(kept = malloc(B * T * sizeof(int)), targets, B * T * sizeof(int));
 *         for (int b = 0; b < B; b++) {
 * edit: int target = targets  =>  int target = kept
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the targets. A later call has
 * other targets.
 * hint: Your kernel is right when it is called once. A later call still uses the targets of the first call: your
 * copy of them is `static`. Read the argument in every call.
 * section: numbers-in-c
 */

/* crossentropy_forward: loss-of-the-other-tokens
 * base: plain-loops
 * edit: -logf(p)  =>  -logf(1.0f - p)
 * why: The logarithm is of 1 - p, the probability of all other tokens. The loss is small where the target is
 * likely.
 * hint: A likely target costs much in your losses. Take the logarithm of p.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: first-row-for-all
 * base: plain-loops
 * edit: (b * T + t) * Vp + target  =>  target
 * why: All probabilities were read from the first row. The offset of the position is missing.
 * hint: Position 0 is right. Row (b, t) of probs begins at (b * T + t) * Vp.
 * section: rows-and-strides
 */

/* crossentropy_forward: rows-of-length-t
 * base: plain-loops
 * edit: (b * T + t) * Vp + target  =>  (b * T + t) * T + target
 * why: The rows of probs were taken to be T long. They are Vp long.
 * hint: Your probabilities are of other rows. Row (b, t) begins at (b * T + t) * Vp.
 * section: rows-and-strides
 */

/* crossentropy_forward: targets-in-columns
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t * B + b]
 * why: The targets were read at t * B + b, as if they were (T, B). They are (B, T).
 * hint: Your targets belong to other positions. Position (b, t) has entry b * T + t.
 * section: rows-and-strides
 */

/* crossentropy_forward: losses-of-one-sequence
 * base: plain-loops
 * edit: losses[b * T + t]  =>  losses[t]
 * why: The losses were written at entry t, so every sequence overwrites the one before. There is a loss for every
 * position of every sequence.
 * hint: The first T entries hold the losses of the last sequence, the others are not written. Position (b, t) has
 * entry b * T + t.
 * section: rows-and-strides
 */

/* crossentropy_forward: added-to-what-was-there
 * base: plain-loops
 * edit: losses[b * T + t] =  =>  losses[b * T + t] +=
 * why: The loss was added to losses with +=. What stands there before the call is no number that means anything.
 * hint: Your losses contain what stood there before the call. A forward kernel writes with =.
 * section: arrays-only-written
 */

/* crossentropy_forward: logarithm-of-one-more
 * base: plain-loops
 * edit: -logf(p)  =>  -log1pf(p)
 * why: log1pf(p) is the logarithm of 1 + p. It serves for tiny numbers added to 1, and p is the probability
 * itself.
 * hint: A probability of 1 has a loss of -0.69 in yours. Take logf(p).
 * section: crossentropy-kernel
 */

/* crossentropy_forward: divided-by-the-length
 * base: plain-loops
 * edit: -logf(p)  =>  -logf(p) / T
 * why: The losses were divided by T. The mean is taken later, by the caller.
 * hint: Your losses are too small by the factor T. Write -log(p) as it is.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: rows-with-b-and-t-mixed
 * base: plain-loops
 * edit: (b * T + t) * Vp + target  =>  (b * Vp + t) * T + target
 * why: Sequence b begins at b * T * Vp and row t at t * Vp. You have multiplied b by Vp and t by T.
 * hint: Your probabilities are of other rows. Row (b, t) begins at (b * T + t) * Vp.
 * section: rows-and-strides
 */

/* crossentropy_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence is not written. A loop from 0 with `t < T` runs T times.
 * section: numbers-in-c
 */

/* crossentropy_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* crossentropy_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence is not written. A loop from 0 with `b < B` runs B times.
 * section: numbers-in-c
 */
