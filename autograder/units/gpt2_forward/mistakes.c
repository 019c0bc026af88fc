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
 * why: The first sequence is right, and later ones get the positions after it, or read beyond the table. You counted
 * positions through the whole batch. At which position does every sequence begin?
 * hint: The first sequence is right, and all later ones get the positions that come after it (or read beyond the
 * table). Positions start at 0 in every sequence: the row of wpe is t.
 * section: tokens-and-places
 */

/* encoder_forward: no-positions
 * base: one-statement
 * edit: wte[id * C + c] + wpe[t * C + c]  =>  wte[id * C + c]
 * why: Every row is the token's vector alone, so attention cannot tell the order of the tokens. You left out the
 * positions. Which table is missing from the sum?
 * hint: Every row is the token's vector alone. Add row t of wpe to it.
 * section: tokens-and-places
 */

/* encoder_forward: id-0-as-padding
 * edit: token[c] + place[c]  =>  (inp[row] == 0 ? 0.0f : token[c]) + place[c]
 * why: Tokens with id 0 get the vector of their position alone. You treated id 0 as padding, as in the translator. What
 * does id 0 stand for in GPT-2?
 * hint: Tokens with id 0 get the vector of their position alone. Here id 0 is a token like any other.
 * section: tokens-and-places
 */

/* encoder_forward: no-tokens
 * base: one-statement
 * edit: int id = inp[b * T + t];  =>  (void)inp, (void)wte;
 * edit: wte[id * C + c] + wpe[t * C + c]  =>  wpe[t * C + c]
 * why: Your output is the same for all sequences, whatever their ids are. You left out the tokens. Which table is
 * missing from the sum?
 * hint: Your output is the same for all sequences, whatever their ids are. Add the row of wte that the id names to the
 * vector of the position.
 * section: tokens-and-places
 */

/* encoder_forward: position-of-the-sequence
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + b * C
 * why: All positions of a sequence get the same vector. You chose the row of wpe by the number of the sequence. Which
 * of b and t is the position?
 * hint: All positions of one sequence get the same vector. The row of wpe is t, not b.
 * section: tokens-and-places
 */

/* encoder_forward: first-position-for-all
 * base: one-statement
 * edit: wpe[t * C + c]  =>  wpe[c]
 * why: Every position gets the vector of position 0. Your index into wpe does not depend on t. Which row belongs to
 * position t?
 * hint: Every position gets the vector of position 0. The row of wpe is t, the position.
 * section: tokens-and-places
 */

/* encoder_forward: same-ids-in-every-sequence
 * base: plain-loops
 * edit: b * T + t  =>  t
 * why: The first sequence is right, and all others repeat its ids. Your index into the ids does not depend on b. At
 * which entry does sequence b start?
 * hint: The first sequence is right and all others repeat it. The ids of sequence b come after T ids for each earlier
 * sequence.
 * section: rows-and-strides
 */

/* encoder_forward: ids-read-down-the-columns
 * base: one-statement
 * edit: inp[b * T + t]  =>  inp[t * B + b]
 * why: Your rows belong to other tokens. You read the ids as if the sequences stood side by side in columns. Which
 * index of a (B, T) array changes from one entry to the next?
 * hint: Your rows belong to other tokens. In an array (B, T) the ids of one sequence stand side by side.
 * section: rows-and-strides
 */

/* encoder_forward: position-for-id
 * base: one-statement
 * edit: int id = inp[b * T + t];  =>  (void)inp;
 * edit: id * C  =>  t * C
 * why: Your output does not depend on the ids. You took row t of wte. Which number chooses a row of this table?
 * hint: Your output does not depend on the ids. The id of position (b, t) chooses the row of wte.
 * section: tokens-and-places
 */

/* encoder_forward: table-rows-of-length-t
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t] * T
 * why: Your token vectors begin in the middle of others. You assumed rows of length T in wte. How long is a row of this
 * table?
 * hint: Your token vectors begin in the middle of others. A row of wte has C entries, whatever T is.
 * section: rows-and-strides
 */

/* encoder_forward: places-not-in-rows-of-c
 * base: one-statement
 * each: PLACE = c * T + t; t * T + c
 * edit: wpe[t * C + c]  =>  wpe[PLACE]
 * why: Your position vectors are made of entries of several rows. You did not step through wpe in rows of length C.
 * At which entry does row t begin?
 * hint: Your position vectors are made of entries of several rows. Row t of wpe comes after t rows of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: ids-count-from-1
 * base: plain-loops
 * edit: inp[b * T + t]  =>  (inp[b * T + t] - 1)
 * why: Your kernel reads before the beginning of wte where an id is 0. You subtracted 1 from the ids. From which number
 * do ids count?
 * hint: Your kernel reads before the beginning of wte where an id is 0. Ids count from 0: use the id as it is.
 * section: numbers-in-c
 */

/* encoder_forward: positions-count-from-1
 * base: one-statement
 * edit: t * C + c  =>  (t + 1) * C + c
 * why: Every position has the vector of the position after it, and the last would need one row more. You counted
 * positions from 1. Which row belongs to the first position?
 * hint: Every position has the vector of the position after it. The first position is row 0 of wpe.
 * section: tokens-and-places
 */

/* encoder_forward: tables-exchanged
 * base: one-statement
 * edit: id * C + c] + wpe[t * C + c  =>  t * C + c] + wpe[id * C + c
 * why: Your ids look up positions, and your positions look up tokens. You exchanged the two tables, and the compiler
 * cannot notice. Which number chooses a row of which table?
 * hint: Your ids look up positions, and your positions tokens: the id chooses the row of wte, the position the row
 * of wpe.
 * section: tokens-and-places
 */

/* encoder_forward: only-one-sequence-written
 * base: plain-loops
 * edit: out + b * T * C  =>  out
 * why: One sequence's worth of out is written, and the rest still holds what was there before. Every sequence
 * overwrites the one before. What does the offset into out lack?
 * hint: One sequence's worth of out is written and the rest still holds what was there before. Row (b, t) of out comes
 * after T rows for each earlier sequence and t more, each of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: positions-before-sequences
 * base: one-statement
 * edit: (b * T + t)  =>  (t * B + b)
 * why: Your rows are right but stand in another order. You wrote out as (T, B, C). Which axis of out comes first?
 * hint: Your rows are right but stand in another order, position by position. Row (b, t) of out comes after T rows for
 * each earlier sequence and t more, each of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: product-for-sum
 * base: plain-loops
 * edit: token[c] + position[c]  =>  token[c] * position[c]
 * why: Your entries are products of two entries. GPT-2 combines the two vectors in another way. Which operation does it
 * use?
 * hint: Your entries are products of a token's and a position's entry. Add the two.
 * section: tokens-and-places
 */

/* encoder_forward: added-to-what-was-there
 * base: plain-loops
 * edit: out_bt[c] = token[c] + position[c]  =>  out_bt[c] += token[c] + position[c]
 * why: Your output contains what stood in out before the call. You added to it, but only backward kernels add. Which
 * assignment does a forward kernel use?
 * hint: Your output contains what stood in out before the call. A forward kernel assigns; only the backward ones add.
 * section: arrays-only-written
 */

/* encoder_forward: scaled-by-the-root
 * base: plain-loops
 * edit: token[c]  =>  sqrtf(C) * token[c]
 * why: Your token vectors are sqrt(C) times too large. The Transformer of 2017 scales them. What does GPT-2 do before
 * it adds the two?
 * hint: Your token vectors are sqrt(C) times too large. That factor belongs to the Transformer of 2017: GPT-2 has
 * none.
 * section: tokens-and-places
 */

/* encoder_forward: last-channel-left-out
 * base: plain-loops
 * edit: for (int c = 0; c < C; c++) {  =>  for (int c = 0; c < C - 1; c++) {
 * why: The last channel of every row is not written. Your loop ends one channel too early. Which condition makes it run
 * C times from 0?
 * hint: The last channel of every row is not written. Let c run from 0 to C - 1.
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
 * why: Ids above 255 point to the row of another token. A type of one byte begins at 0 again after 255, and GPT-2 has
 * 50,257 tokens. Which type can hold them?
 * hint: Ids above 255 point to the row of another token. Keep them in an `int`, or in a `size_t` for the address.
 * section: tokens-and-places
 */

/* encoder_forward: table-of-the-first-call
 * base: plain-loops
 * edit:
 *     const float *token = wte +
 * =>
 *     static const float *table; if (table == NULL) table = wte; const float *token = table +
 * why: Your kernel is right when it is called once, and later calls still read the first call's table. A `static`
 * variable keeps its value from call to call. Which table does each call receive?
 * hint: Your kernel is right when it is called once. In a later call it still reads the wte of the first call:
 * leave out `static`, and use the argument.
 * section: numbers-in-c
 */

/* encoder_forward: position-of-the-token-id
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + inp[b * T + t] * C
 * why: Equal tokens get equal vectors, wherever they stand. You chose the row of wpe by the token. What should a
 * position vector depend on?
 * hint: Equal tokens get equal vectors in your output, wherever they stand. The row of wpe is t.
 * section: tokens-and-places
 */

/* encoder_forward: difference-for-sum
 * base: plain-loops
 * edit: token[c] + position[c]  =>  token[c] - position[c]
 * why: Your entries are token minus position. You subtracted. Which operation does GPT-2 use?
 * hint: Your entries are token minus position. Add the two.
 * section: tokens-and-places
 */

/* encoder_forward: first-channel-left-out
 * base: plain-loops
 * edit: int c = 0  =>  int c = 1
 * why: Channel 0 of every row is not written. Your loop begins at 1. From which number do channels count?
 * hint: Channel 0 of every row is not written. Let the loop begin at c = 0.
 * section: numbers-in-c
 */

/* encoder_forward: one-number-for-each-row
 * base: plain-loops
 * edit: out + b * T * C + t * C  =>  out + (b * T + t)
 * why: Your rows overlap: each begins one entry after the one before. You used the number of the row as an offset. How
 * many entries does a row have?
 * hint: Your rows overlap: each begins one entry after the one before. Row (b, t) of out comes after T rows for each
 * earlier sequence and t more, each of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: one-number-of-a-table-row
 * base: one-statement
 * each: SUM = wte[id * C + c] + wpe[t]; wte[id] + wpe[t * C + c]; wte[id * C + c] + wpe[t * C]; wte[id * C] + wpe[t * C + c]
 * edit: wte[id * C + c] + wpe[t * C + c]  =>  SUM
 * why: All channels of a row get the same number from one of the tables. Your index into that table has no channel. At
 * which entry does channel c of a row stand?
 * hint: All channels of a row get the same number from one table. The channel belongs to both indices.
 * section: rows-and-strides
 */

/* encoder_forward: sequences-one-row-apart
 * base: plain-loops
 * edit: out + b * T * C + t * C  =>  out + b * C + t * C
 * why: Your sequences overwrite each other. You put them one row apart. How many rows does a sequence have?
 * hint: Your sequences overwrite each other. A sequence has T rows of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: table-rows-of-length-b
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t] * B
 * why: Your token vectors begin in the middle of others. You assumed rows of length B in wte. How long is a row of this
 * table?
 * hint: Your token vectors begin in the middle of others. Row id of wte comes after id rows of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: bytes-for-entries
 * base: copy-then-add
 * edit: C * sizeof(float)  =>  C
 * why: The first quarter of a row is right, and what stood in out is left in the rest. You gave memcpy a number of
 * entries. In which unit does it count?
 * hint: The first quarter of a row is right. memcpy counts bytes: multiply by the size of a float.
 * section: numbers-in-c
 */

/* encoder_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence is not written. Your loop ends one position too early. Which condition makes
 * it run T times from 0?
 * hint: The last position of every sequence is not written. Let t run from 0 to T - 1.
 * section: numbers-in-c
 */

/* encoder_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence is not written. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* encoder_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence is not written. Your loop ends one sequence too early. Which condition makes it run B times
 * from 0?
 * hint: The last sequence is not written. Let b run from 0 to B - 1.
 * section: numbers-in-c
 */

/* encoder_forward: positions-one-entry-apart
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + t
 * why: Your position vectors begin in the middle of others. You put the rows of wpe one entry apart. How many entries
 * does a row have?
 * hint: Your position vectors begin in the middle of others. Row t of wpe comes after t rows of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: tokens-one-entry-apart
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t]
 * why: Your token vectors begin in the middle of others. You put the rows of wte one entry apart. How many entries does
 * a row have?
 * hint: Your token vectors begin in the middle of others. Row id of wte comes after id rows of C entries.
 * section: rows-and-strides
 */

/* encoder_forward: position-is-a-remainder-by-b
 * base: plain-loops
 * edit: wpe + t * C  =>  wpe + (b * T + t) % B * C
 * why: Your positions repeat after B rows. You took the remainder by the number of sequences. How many positions does a
 * sequence have?
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
 * why: Your rows are the right ones times sqrt((C - 1) / C). You divided the sum of squares by C - 1, as for a sample.
 * Is the row a sample, or all there is?
 * hint: Your rows are too small by the factor sqrt((C - 1) / C). Divide the sum of squares by C, not by C - 1.
 * section: layernorm-kernel
 */

/* layernorm_forward: epsilon-outside-the-root
 * base: plain-loops
 * each: KIND = float; double
 * edit: float m = 0.0f  =>  KIND m = 0.0f
 * edit: sqrtf(v + 1e-5f)  =>  (sqrtf(v) + 1e-5f)
 * why: Rows that hardly vary come out too large. You added 1e-5 to the standard deviation. On which side of the root
 * does it belong?
 * hint: Rows that hardly vary come out too large. Add 1e-5 to the variance, before you take the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: no-epsilon
 * base: plain-loops
 * each: KIND = float; double
 * edit: float m = 0.0f  =>  KIND m = 0.0f
 * edit: v + 1e-5f  =>  v
 * why: A constant row gives NaN or infinity, and rows that hardly vary come out too large. You added nothing to the
 * variance. Which number does GPT-2 add, and where?
 * hint: A constant row gives NaN or infinity, since its variance is 0. Add 1e-5 to the variance inside the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: another-epsilon
 * base: plain-loops
 * each: KIND = float; double
 * edit: float m = 0.0f  =>  KIND m = 0.0f
 * edit: v + 1e-5f  =>  v + 1e-8f
 * why: Rows that hardly vary come out too large or too small. The number that you add to the variance is not GPT-2's.
 * Which one is?
 * hint: Rows that hardly vary come out too large or too small. The number inside the root is 1e-5.
 * section: layernorm-kernel
 */

/* layernorm_forward: standard-deviation-for-rstd
 * base: plain-loops
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = 1.0f / s
 * why: Your rstd holds the standard deviation itself. The backward pass multiplies by rstd. What does the r in its name
 * stand for?
 * hint: Your rstd holds the standard deviation itself. Store 1 over it, the number that you multiply by.
 * section: layernorm-kernel
 */

/* layernorm_forward: variance-for-rstd
 * base: plain-loops
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = v
 * why: Your rstd holds the variance. The backward pass multiplies by rstd. Which two steps lead from a variance to it?
 * hint: Your rstd holds the variance. Store 1 over the root that you take, the number that you multiply by.
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
 * why: Your output is right, but mean and rstd still hold what was there before the call. You never wrote them, and the
 * backward pass reads them. For which positions are they needed?
 * hint: Your output is right, but the arrays mean and rstd still hold what was there before the call. Write both for
 * every position.
 * section: layernorm-kernel
 */

/* layernorm_forward: statistics-of-one-sequence
 * base: plain-loops
 * edit: mean[b * T + t]  =>  mean[t]
 * edit: rstd[b * T + t]  =>  rstd[t]
 * why: The first T entries of mean and rstd hold the last sequence's numbers, and the others are not written. Every
 * sequence overwrites the one before. Which entry belongs to position (b, t)?
 * hint: The first T entries of mean and rstd hold the last sequence's numbers, the others are not written. The entry of
 * (b, t) comes after T entries for each earlier sequence, and t more.
 * section: rows-and-strides
 */

/* layernorm_forward: mean-of-squares-minus-squared-mean
 * base: plain-loops
 * edit: (x[c] - m) * (x[c] - m)  =>  x[c] * x[c]
 * edit: v /= C  =>  v = v / C - m * m
 * why: Rows near 0 are right, and rows far from 0 are not. You subtracted two huge, nearly equal float32 numbers, and
 * nothing is left of their difference. What should be subtracted before squaring?
 * hint: Your rows near 0 are right, and those that lie far from 0 are not. Subtract the mean first and square then:
 * it costs one more loop and keeps the digits.
 * section: rows-far-from-zero
 */
/* layernorm_forward: squared-distance-to-the-old-mean
 * base: running-mean-and-variance
 * edit: delta * (x[c] - m)  =>  delta * delta
 * why: Your mean is right and your rstd is too small. For each number you added the squared distance to the mean before
 * its update. Which two distances does the update of a running variance (Welford's method) multiply?
 * hint: Your mean is right and your rstd is too small. Multiply two distances: one to the mean before the update, one to
 * the mean after it. A second loop with the final mean also works.
 * section: layernorm-kernel
 */

/* layernorm_forward: over-the-positions
 * why: Your columns are normalised, not your rows. You took mean and variance over positions. Over which axis does
 * layer norm work?
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
 * why: The first row is right, and later ones are further and further off. The two sums go on from row to row. When
 * should they be set to 0?
 * hint: The first row is right, and the later ones are further and further off. Set the sums to 0 inside the loop
 * over the rows.
 * section: numbers-in-c
 */

/* layernorm_forward: squares-go-on
 * base: plain-loops
 * edit: float v = 0.0f;  =>
 * edit: for (int b = 0; b < B; b++) {  =>  float v = 0.0f; for (int b = 0; b < B; b++) {
 * edit: v /= C;  =>
 * edit: v + 1e-5f  =>  v / C + 1e-5f
 * why: Every mean is right, and rstd is right for the first row only. Your sum of squares goes on from row to row. When
 * should it be set to 0?
 * hint: Every mean is right, but rstd gets smaller from row to row. Set the sum of squares to 0 for each row.
 * section: layernorm-kernel
 */

/* layernorm_forward: sum-goes-on
 * base: plain-loops
 * edit: float m = 0.0f;  =>
 * edit: for (int b = 0; b < B; b++) {  =>  float sum = 0; for (int b = 0; b < B; b++) {
 * edit: m += x[c]  =>  sum += x[c]
 * edit: m /= C;  =>  float m = sum / C;
 * why: The first row is right, and the mean of every later row contains the rows before it. The sum behind your mean
 * goes on from row to row. When should it be set to 0?
 * hint: The first row is right, and the mean of every later row contains the rows before it. Set the sum to 0 for each
 * row.
 * section: layernorm-kernel
 */

/* layernorm_forward: bias-before-weight
 * base: plain-loops
 * edit: (x[c] - m) * s * weight[c] + bias[c]  =>  ((x[c] - m) * s + bias[c]) * weight[c]
 * why: Your bias comes out multiplied by the weight. You added it too early. Which of the two comes first?
 * hint: Your bias comes out multiplied by the weight. Multiply first, then add the bias.
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
 * why: Every row has mean 0 and variance 1. You left out the learned scale and shift. What does each channel have of
 * its own?
 * hint: Every one of your rows has mean 0 and variance 1. Multiply each channel by its weight, then add its bias.
 * section: layernorm-kernel
 */

/* layernorm_forward: mean-not-subtracted
 * base: plain-loops
 * edit: (x[c] - m) * s  =>  x[c] * s
 * why: Your rows keep their mean. You scaled them without shifting. What should be subtracted before the scaling?
 * hint: Your rows keep their mean. It is (x - mean) that gets multiplied by rstd, not x.
 * section: layernorm-kernel
 */

/* layernorm_forward: squares-of-the-input
 * base: plain-loops
 * each: KIND = float; double
 * edit: float m = 0.0f  =>  KIND m = 0.0f
 * edit: (x[c] - m) * (x[c] - m)  =>  x[c] * x[c]
 * why: Your rstd is too small wherever the mean is not 0. You took the mean of the squares of the input itself. From
 * which value does the variance measure distances?
 * hint: Your rstd is too small wherever the mean is not 0. Square x - mean, not x.
 * section: layernorm-kernel
 */

/* layernorm_forward: squares-not-divided
 * base: plain-loops
 * edit: v /= C;  =>
 * why: Your rows are sqrt(C) times too small. You used the sum of squares as the variance. Is a variance a sum of
 * squares or a mean?
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
 * why: Your rows do not have variance 1, and rows of large numbers come out smallest. You divided by the variance.
 * Which step is missing?
 * hint: Your rows do not have variance 1, and rows of large numbers come out smallest. Take the root of the variance
 * + 1e-5.
 * section: layernorm-kernel
 */

/* layernorm_forward: weight-of-the-position
 * base: plain-loops
 * each: PLACE = t; b * T + t
 * edit: weight[c] + bias[c]  =>  weight[PLACE] + bias[PLACE]
 * why: Weight and bias change from row to row, and not from channel to channel. You indexed them by position. Which
 * index do they have?
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
 * why: Your channels are never scaled. You left out the weight. Which step comes before the bias?
 * hint: Your channels are never scaled. Multiply each by its weight before you add its bias.
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
 * why: Your channels are never shifted. You left out the bias. Which step comes after the weight?
 * hint: Your channels are never shifted. Add the bias of each channel after you have multiplied by its weight.
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
 * why: Your kernel is right when it is called once, and a later call with wider rows writes past the end. Your `static`
 * buffer has the size of the first call. Does this kernel need a buffer?
 * hint: Your kernel is right when it is called once. A later call may have a larger C: your `static` buffer is too
 * small for it. This kernel needs no buffer.
 * section: numbers-in-c
 */

/* layernorm_forward: mean-divided-by-t
 * base: plain-loops
 * edit: m /= C  =>  m /= T
 * why: Your mean is the right one times C / T. You divided by the number of positions. How many terms does the sum
 * have?
 * hint: Your mean is the right one times C / T. Divide the sum of C numbers by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: mean-divided-by-all-positions
 * base: plain-loops
 * edit: m /= C  =>  m /= B * T
 * why: Your mean is the right one times C / (B * T). You divided by the number of all positions. How many terms does
 * the sum have?
 * hint: Your mean is the right one times C / (B * T). Divide the sum of C numbers by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: variance-divided-by-t
 * base: plain-loops
 * edit: v /= C  =>  v /= T
 * why: Your variance is the right one times C / T. You divided by the number of positions. How many terms does the sum
 * have?
 * hint: Your variance is the right one times C / T. Divide the sum of C squares by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: sum-for-mean
 * base: plain-loops
 * edit: m /= C;  =>  m += 0.0f;
 * why: You subtract the sum of a row instead of its mean. The division is missing. By which number should the sum be
 * divided?
 * hint: You subtract the sum of the row, not its mean. Divide the sum by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: absolute-deviations
 * base: plain-loops
 * edit: (x[c] - m) * (x[c] - m)  =>  fabsf(x[c] - m)
 * why: Your variance is too small or too large for most rows. You summed absolute deviations. The variance is a mean of
 * which numbers?
 * hint: You sum |x - mean|. Multiply each deviation by itself.
 * section: layernorm-kernel
 */

/* layernorm_forward: multiplied-by-the-deviation
 * base: plain-loops
 * edit: (x[c] - m) * s * weight[c]  =>  (x[c] - m) / s * weight[c]
 * why: Rows that vary much come out even larger. You multiplied by the standard deviation. Which number normalises a
 * row when you multiply by it?
 * hint: Rows that vary much come out even larger. Multiply by rstd, not by the standard deviation.
 * section: layernorm-kernel
 */

/* layernorm_forward: standard-deviation-everywhere
 * base: plain-loops
 * edit: 1.0f / sqrtf(v + 1e-5f)  =>  sqrtf(v + 1e-5f)
 * why: Rows that vary much come out even larger, and rstd holds the standard deviation. The reciprocal is missing. What
 * does the r in the name stand for?
 * hint: Rows that vary much come out even larger. rstd is 1 over the standard deviation.
 * section: layernorm-kernel
 */

/* layernorm_forward: epsilon-after-the-reciprocal
 * base: plain-loops
 * each: KIND = float; double
 * edit: float m = 0.0f  =>  KIND m = 0.0f
 * edit: 1.0f / sqrtf(v + 1e-5f)  =>  1.0f / sqrtf(v) + 1e-5f
 * why: A constant row gives NaN or infinity, and rows that hardly vary come out too large. You added 1e-5 after the
 * reciprocal. To which number does it belong?
 * hint: A constant row gives NaN or infinity, and rows that hardly vary come out too large. Add 1e-5 to the variance
 * before you take the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: epsilon-left-out-of-rstd
 * base: plain-loops
 * each: KIND = float; double
 * edit: float m = 0.0f  =>  KIND m = 0.0f
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = 1.0f / sqrtf(v)
 * why: Your output is right, but rstd lacks the 1e-5. The backward pass must see the number that the forward pass used.
 * Which number is that?
 * hint: Your rstd lacks the 1e-5. Store the number that you multiply by, with 1e-5 inside the root.
 * section: layernorm-kernel
 */

/* layernorm_forward: added-to-what-was-there
 * base: plain-loops
 * edit: y[c] = (x[c]  =>  y[c] += (x[c]
 * why: Your output contains what stood in out before the call. You added to it, but only backward kernels add. Which
 * assignment does a forward kernel use?
 * hint: Your output contains what stood in out before the call. A forward kernel assigns and does not add.
 * section: arrays-only-written
 */

/* layernorm_forward: statistics-of-the-sequence
 * base: plain-loops
 * edit: mean[b * T + t]  =>  mean[b]
 * edit: rstd[b * T + t]  =>  rstd[b]
 * why: Only the first B entries of mean and rstd are written. All positions of a sequence overwrite each other. Which
 * entry belongs to position (b, t)?
 * hint: Only the first B entries of mean and rstd are written. The entry of (b, t) comes after T entries for each
 * earlier sequence, and t more.
 * section: rows-and-strides
 */

/* layernorm_forward: statistics-in-columns
 * base: plain-loops
 * edit: mean[b * T + t]  =>  mean[t * B + b]
 * edit: rstd[b * T + t]  =>  rstd[t * B + b]
 * why: Your means belong to other positions. You wrote mean and rstd as (T, B). Which entry belongs to position (b, t)?
 * hint: Your means belong to other positions. The entry of (b, t) comes after T entries for each earlier sequence, and
 * t more.
 * section: rows-and-strides
 */

/* layernorm_forward: bias-of-the-position
 * base: plain-loops
 * each: PLACE = t; b * T + t
 * edit: bias[c]  =>  bias[PLACE]
 * why: All channels of a position get the same bias. You indexed it by position. Which index does it have?
 * hint: All channels of a position get the same bias. Its index is c.
 * section: rows-and-strides
 */

/* layernorm_forward: whole-number-mean
 * base: plain-loops
 * edit: float m = 0.0f  =>  int m = 0
 * why: Your mean is a whole number. An integer type cuts the fraction off after every addition. Which type keeps it?
 * hint: Your mean is a whole number. Use float.
 * section: numbers-in-c
 */

/* layernorm_forward: quotient-of-whole-numbers
 * base: plain-loops
 * each: SHARES = first = 1 / C, second = 1 / C; first = 1 / C, second = 1.0 / C; first = 1.0 / C, second = 1 / C
 * edit: float m = 0.0f;  =>  double SHARES; float m = 0.0f;
 * edit: m /= C;  =>  m *= first;
 * edit: v /= C;  =>  v *= second;
 * why: Your mean or your variance is 0 in every row. A quotient of two integers such as 1 / C is an integer in C,
 * here 0. How can you write it as a float?
 * hint: Your mean or your variance is 0 in every row: 1 / C is an integer division with the result 0. Make one of the
 * two numbers a float, or divide the sum by C.
 * section: numbers-in-c
 */

/* layernorm_forward: bias-subtracted
 * base: plain-loops
 * edit: + bias[c]  =>  - bias[c]
 * why: Your entries are off by twice the bias. You subtracted it. Which operation does the formula have?
 * hint: Your entries are off by twice the bias. Add it.
 * section: layernorm-kernel
 */

/* layernorm_forward: sum-in-mean
 * base: plain-loops
 * edit: mean[b * T + t] = m  =>  mean[b * T + t] = m * C
 * why: Your array mean holds the sums of the rows, and the backward pass subtracts what it finds there. You stored the
 * sum before dividing. Which number should be stored?
 * hint: Your array mean holds the sums of the rows. Divide them by C before you store them.
 * section: layernorm-kernel
 */

/* layernorm_forward: mean-and-rstd-exchanged
 * base: plain-loops
 * edit: mean[b * T + t] = m  =>  mean[b * T + t] = s
 * edit: rstd[b * T + t] = s  =>  rstd[b * T + t] = m
 * why: The arrays mean and rstd hold each other's numbers, and the backward pass reads both. You exchanged the two
 * assignments. Which array is for which number?
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
 * why: The last channel of every row is not written. Your loop ends one channel too early. Which condition makes it run
 * C times from 0?
 * hint: The last channel of every row is not written. Let c run from 0 to C - 1.
 * section: numbers-in-c
 */

/* layernorm_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence is not written. Your loop ends one position too early. Which condition makes
 * it run T times from 0?
 * hint: The last position of every sequence is not written. Let t run from 0 to T - 1.
 * section: numbers-in-c
 */

/* layernorm_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence is not written. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* layernorm_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence is not written. Your loop ends one sequence too early. Which condition makes it run B times
 * from 0?
 * hint: The last sequence is not written. Let b run from 0 to B - 1.
 * section: numbers-in-c
 */

/* layernorm_forward: only-one-sequence
 * base: plain-loops
 * edit: inp + (b * T + t) * C  =>  inp + t * C
 * edit: out + (b * T + t) * C  =>  out + t * C
 * edit: mean[b * T + t]  =>  mean[t]
 * edit: rstd[b * T + t]  =>  rstd[t]
 * why: The first sequence is right, and the others are not written. Your offsets do not depend on b. Which row
 * belongs to position (b, t)?
 * hint: The first sequence is right and the others are not written. Row (b, t) comes after T rows for each earlier
 * sequence, and t more.
 * section: rows-and-strides
 */

/* layernorm_forward: variance-divided-by-all-positions
 * base: plain-loops
 * edit: v /= C  =>  v /= B * T
 * why: Your variance is the right one times C / (B * T). You divided by the number of all positions. How many terms
 * does the sum have?
 * hint: Your variance is the right one times C / (B * T). Divide the sum of C squares by C.
 * section: layernorm-kernel
 */

/* layernorm_forward: weight-and-bias-exchanged
 * base: plain-loops
 * edit: * weight[c] + bias[c]  =>  * bias[c] + weight[c]
 * why: Your weight is added and your bias multiplies. You exchanged the two, and the compiler cannot notice. Which of
 * them multiplies?
 * hint: Your weight is added and your bias multiplied. Multiply by the weight first, then add the bias.
 * section: layernorm-kernel
 */

/* layernorm_forward: added-one-to-the-weight
 * base: plain-loops
 * edit: * weight[c] +  =>  * (1.0f + weight[c]) +
 * why: Your entries are off by the normalised input. You added 1 to the weight, as belongs to models that store the
 * weight minus 1. What does GPT-2 multiply by?
 * hint: Your entries are off by the normalised input. Multiply by the weight as it is.
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
 * why: The first row is right, and later ones contain a part of the row before. One of your two sums, for the mean or
 * for the variance, starts at the result of that row. When should both sums be set to 0?
 * hint: The first row is right, and the later ones contain a part of the row before. Set both sums to 0 for every row.
 * section: numbers-in-c
 */

/* matmul_forward: transposed-weight
 * base: plain-loops
 * edit: o * C + c  =>  c * OC + o
 * why: Your sums mix weights of different output channels. You read the weight as (C, OC). In which layout do the
 * weights of one output stand side by side?
 * hint: Your sums mix weights of different output channels. The C weights of one output stand side by side.
 * section: linear-kernel
 */

/* matmul_forward: bias-without-test
 * base: plain-loops
 * edit: bias != NULL ? bias[o] : 0.0f  =>  bias[o]
 * why: Your kernel reads through a NULL pointer where a layer has no bias. You did not test for it. When may the bias
 * be read?
 * hint: Your kernel reads through a NULL pointer where the layer has no bias. Test the pointer before you read from it.
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
 * why: Each output channel is off by the same number everywhere. You left out the bias. Where is it added when there is
 * one?
 * hint: Each output channel is off by the same number everywhere: its bias. Add it wherever bias is not NULL.
 * section: linear-kernel
 */

/* matmul_forward: bias-in-every-term
 * base: plain-loops
 * edit: bias != NULL ? bias[o] : 0.0f  =>  0.0f
 * edit: x[c] * weight[o * C + c]  =>  x[c] * weight[o * C + c] + (bias ? bias[o] : 0.0f)
 * why: Your bias counts C times. You added it inside the loop over the input channels. How often should a sum contain
 * it?
 * hint: Your bias counts C times. Add it outside the loop over the input channels.
 * section: linear-kernel
 */

/* matmul_forward: bias-of-the-position
 * base: plain-loops
 * edit: bias[o]  =>  bias[t]
 * why: Your bias changes from position to position, and not from channel to channel. You indexed it by position. Which
 * index does it have?
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
 * why: Where the bias is NULL, nothing is written. Your kernel returns at once. Which part of the work depends on the
 * bias?
 * hint: Where bias is NULL, nothing is written. Start the sum at 0 in that case, and go on.
 * section: linear-kernel
 */

/* matmul_forward: input-rows-of-length-oc
 * base: plain-loops
 * edit: (b * T + t) * C  =>  (b * T + t) * OC
 * why: Only the first position is right. You assumed rows of length OC in inp. How long is a row of the input?
 * hint: Only the first position is right. A row of inp has C entries, whatever OC is.
 * section: rows-and-strides
 */

/* matmul_forward: output-rows-of-length-c
 * base: plain-loops
 * edit: (b * T + t) * OC  =>  (b * T + t) * C
 * why: Your rows are written over each other, or past the end of out. You assumed rows of length C. How long is a row
 * of the output?
 * hint: Your rows are written over each other, or past the end of out. A row of out has OC entries, whatever C is.
 * section: rows-and-strides
 */

/* matmul_forward: weight-rows-of-length-oc
 * base: plain-loops
 * edit: o * C + c  =>  o * OC + c
 * why: Only the first output channel is right. You assumed rows of length OC in the weight. How long is the row of one
 * output?
 * hint: Only the first output channel is right. A row of weight has C entries, one for each input channel.
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
 * why: The first output channel is right, and every later one contains those before it. The sum goes on from channel to
 * channel. When should a new one begin?
 * hint: The first output channel is right, and every later one contains all before it. Start a new sum for each o.
 * section: numbers-in-c
 */

/* matmul_forward: added-to-what-was-there
 * base: plain-loops
 * edit: y[o] = sum  =>  y[o] += sum
 * why: Your output contains what stood in out before the call. You added products without setting it first. Where
 * should the sum begin?
 * hint: Your output contains what stood in out before the call. Start a sum at 0 or at the bias, and assign it to out
 * at the end.
 * section: arrays-only-written
 */

/* matmul_forward: whole-number-sum
 * base: plain-loops
 * edit: float sum = bias != NULL ? bias[o] : 0.0f;  =>  int sum = bias != NULL ? bias[o] : 0.0f;
 * why: All sums are whole numbers. An integer type cuts the fraction off at every addition. Which type keeps it?
 * hint: All your sums are whole numbers. An `int` cuts off what follows the decimal point: make the sum a float.
 * section: numbers-in-c
 */

/* matmul_forward: only-one-sequence
 * base: plain-loops
 * edit: (b * T + t) * C  =>  t * C
 * edit: (b * T + t) * OC  =>  t * OC
 * why: The first sequence is right, and the others are not written. Your offsets do not depend on b. Which row belongs
 * to position (b, t)?
 * hint: The first sequence is right and the others are not written. Row (b, t) of inp and of out comes after T rows for
 * each earlier sequence, and t more.
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
 * why: Your sums lack their last terms where C is no multiple of 4. Your loop takes four channels at a time and stops
 * too early. What is needed for the remainder?
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
 * why: The last outputs of every row are not written where OC is no multiple of 8. Your loop takes eight outputs at a
 * time. What is needed for the remainder?
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
 * why: The last positions are not written where B * T is no multiple of 8. Your loop takes eight positions at a time.
 * What is needed for the remainder?
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
 * why: Your sums stop after 64 channels. You assumed that a row fits into a small array, but the smallest GPT-2 has up
 * to 3,072 channels. Up to which number should the loop run?
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
 * why: Your kernel is right when it is called once, and later calls still use the first call's weights. Your `static`
 * copy keeps them. When should a copy be made?
 * hint: Your kernel is right when it is called once. A later call still multiplies by the weights of the first
 * call: your copy of them is `static`. Make it anew in every call.
 * section: numbers-in-c
 */

/* matmul_forward: weight-columns-of-length-c
 * base: plain-loops
 * edit: weight[o * C + c]  =>  weight[c * C + o]
 * why: Your outputs mix the rows of the weight. You read it transposed, and with rows of the wrong length. Which row of
 * (OC, C) does output o read?
 * hint: Your outputs mix the rows of the weight. Output o reads row o, whose C weights stand side by side.
 * section: rows-and-strides
 */

/* matmul_forward: bias-subtracted
 * base: plain-loops
 * edit: bias != NULL ? bias[o]  =>  bias != NULL ? -bias[o]
 * why: Your outputs are off by twice the bias. You subtracted it. Which operation does a linear layer have?
 * hint: Your outputs are off by twice the bias. Add it.
 * section: linear-kernel
 */

/* matmul_forward: bias-of-the-first-output
 * base: plain-loops
 * edit: bias[o] : 0.0f  =>  bias[0] : 0.0f
 * why: Output 0 is right, and all others have its bias. You always read the first one. Which index does the bias have?
 * hint: Output 0 is right, and all others have its bias. The index of the bias is o.
 * section: linear-kernel
 */

/* matmul_forward: bias-twice
 * base: plain-loops
 * edit: y[o] = sum  =>  y[o] = sum + (bias != NULL ? bias[o] : 0.0f)
 * why: Your outputs are too large by the bias. You added it at the beginning and at the end of the sum. Which of the
 * two is enough?
 * hint: Your outputs are too large by the bias. Let the sum begin at the bias, or add it at the end, but not both.
 * section: linear-kernel
 */

/* matmul_forward: input-in-columns
 * base: plain-loops
 * edit: inp + (b * T + t) * C  =>  inp + (t * B + b) * C
 * why: Your outputs belong to other positions. You read the input as (T, B, C). Which row belongs to position (b, t)?
 * hint: Your outputs belong to other positions. Row (b, t) of inp comes after T rows for each earlier sequence and t
 * more, each of C entries.
 * section: rows-and-strides
 */

/* matmul_forward: as-many-outputs-as-inputs
 * base: plain-loops
 * edit: o < OC  =>  o < C
 * why: Your kernel writes C outputs for every position. Your loop over the outputs has the wrong end. How many outputs
 * are there?
 * hint: Your kernel writes C outputs for every position, not OC. Let o run from 0 to OC - 1.
 * section: rows-and-strides
 */

/* matmul_forward: last-product-only
 * base: plain-loops
 * edit: sum += x[c]  =>  sum = x[c]
 * why: Your output is the product of the last channel alone. Every product overwrites the one before. Which assignment
 * adds them up?
 * hint: Your output is the product of the last channel alone. Add each product to the sum instead of assigning it.
 * section: linear-kernel
 */

/* matmul_forward: sum-for-product
 * base: plain-loops
 * edit: x[c] * weight  =>  x[c] + weight
 * why: Your kernel sums input plus weight. You added the two factors. What does a linear layer do before it adds up?
 * hint: Your kernel sums x + w. Multiply the two.
 * section: linear-kernel
 */

/* matmul_forward: divided-by-the-channels
 * base: plain-loops
 * edit: y[o] = sum  =>  y[o] = sum / C
 * why: Your outputs are C times too small. You divided by the number of channels. Does a linear layer take a mean?
 * hint: Your outputs are too small by the factor C. Leave the division out.
 * section: linear-kernel
 */

/* matmul_forward: first-sequence-read-every-time
 * base: plain-loops
 * edit: inp + (b * T + t) * C  =>  inp + t * C
 * why: The first sequence is right, and all others repeat it. Your input row does not depend on b. Which row belongs to
 * position (b, t)?
 * hint: The first sequence is right and all others repeat it. Row (b, t) of inp comes after T rows for each earlier
 * sequence and t more, each of C entries.
 * section: rows-and-strides
 */

/* matmul_forward: outputs-in-columns
 * base: plain-loops
 * edit: out + (b * T + t) * OC  =>  out + (t * B + b) * OC
 * why: Your rows are right but stand in another order. You wrote the output as (T, B, OC). Which row belongs to
 * position (b, t)?
 * hint: Your rows are right but stand in another order. Row (b, t) of out comes after T rows for each earlier sequence
 * and t more, each of OC entries.
 * section: rows-and-strides
 */

/* matmul_forward: output-transposed
 * base: double-sums
 * edit: out[(b * T + t) * OC + o]  =>  out[(o * B + b) * T + t]
 * why: Your numbers are right but stand in another order. You wrote all positions of an output channel side by side, as
 * in (OC, B, T). Which index changes from one entry of (B, T, OC) to the next?
 * hint: Your numbers are right but stand in another order. The OC outputs of one position stand side by side.
 * section: rows-and-strides
 */

/* matmul_forward: last-channel-left-out
 * base: plain-loops
 * edit: c < C; c++  =>  c < C - 1; c++
 * why: Your sums lack the product of the last channel. Your loop ends one channel too early. Which condition makes it
 * run C times from 0?
 * hint: Your sums lack the product of the last channel. Let c run from 0 to C - 1.
 * section: numbers-in-c
 */

/* matmul_forward: first-channel-left-out
 * base: plain-loops
 * edit: int c = 0  =>  int c = 1
 * why: Your sums lack the product of channel 0. Your loop begins at 1. From which number do channels count?
 * hint: Your sums lack the product of channel 0. Let the loop begin at c = 0.
 * section: numbers-in-c
 */

/* matmul_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence is not written. Your loop ends one position too early. Which condition makes
 * it run T times from 0?
 * hint: The last position of every sequence is not written. Let t run from 0 to T - 1.
 * section: numbers-in-c
 */

/* matmul_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence is not written. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* matmul_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence is not written. Your loop ends one sequence too early. Which condition makes it run B times
 * from 0?
 * hint: The last sequence is not written. Let b run from 0 to B - 1.
 * section: numbers-in-c
 */

/* matmul_forward: added-to-what-was-there-without-bias
 * base: plain-loops
 * edit: bias != NULL ? bias[o] : 0.0f  =>  bias != NULL ? bias[o] : y[o]
 * why: Where the bias is NULL, your output contains what stood in out before the call. You set out only when there is a
 * bias. Where should the sum begin otherwise?
 * hint: Where bias is NULL, your output contains what stood in out before the call. Start the sum at 0 in that case.
 * section: arrays-only-written
 */

/* matmul_forward: bias-without-test-variant-2
 * base: plain-loops
 * edit: bias != NULL ? bias[o] : 0.0f  =>  0.0f
 * edit: y[o] = sum  =>  y[o] = sum + bias[o]
 * why: Your kernel reads through a NULL pointer where a layer has no bias. You added it to every sum. When may the bias
 * be read?
 * hint: Your kernel adds a bias that need not exist. Test the pointer before you read from it.
 * section: linear-kernel
 */

/* attention_forward: no-scale
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs);  =>
 * edit: dot * scale  =>  dot
 * why: Your scores are sqrt(hs) times too large, and the softmax becomes too sharp. You did not scale the dot products.
 * By which number should they be divided?
 * hint: Your scores are sqrt(hs) times too large. Divide every dot product by the root of a head's width.
 * section: attention-kernel
 */

/* attention_forward: scale-of-the-whole-width
 * base: plain-loops
 * edit: sqrtf(hs)  =>  sqrtf(C)
 * why: Your scores are sqrt(NH) times too small. You divided by the root of the width of all heads together. How many
 * terms does a dot product have?
 * hint: Your scores are too small by the factor sqrt(NH). The width under the root is that of one head, hs = C / NH.
 * section: attention-kernel
 */

/* attention_forward: no-root-in-the-scale
 * base: plain-loops
 * edit: sqrtf(hs)  =>  hs
 * why: Your scores are sqrt(hs) times too small. You divided by hs itself. Which function of hs keeps their spread at
 * 1?
 * hint: Your scores are too small by the factor sqrt(hs). Divide by the root of hs, not by hs.
 * section: attention-kernel
 */

/* attention_forward: scale-of-whole-numbers
 * base: plain-loops
 * edit: 1.0f / sqrtf(hs)  =>  1 / hs
 * why: Your scores are all 0, and all weights alike. A quotient of two integers is an integer in C, here 0. How can the
 * division keep its fraction?
 * hint: Your scores are all 0. In C the quotient of two integers is an integer. Take the root of hs, and divide a float
 * by it.
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
 * why: Your weights are positive at positions after the query's own, so a position can copy the token it has to
 * predict. Your loops run over all positions. Which is the last position that a query may see?
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
 * why: No query looks at its own position, and the first row has no weight at all. Your loops end one position too
 * early. Which is the last position that a query may see?
 * hint: No query looks at its own position, and the first row has no weight at all. Let u run to t itself.
 * section: only-the-past
 */

/* attention_forward: future-left-unwritten
 * base: plain-loops
 * edit: for (int u = 0; u < T; u++) {  =>  for (int u = 0; u <= t; u++) {
 * edit: u <= t ? a[u] / sum : 0.0f  =>  a[u] / sum
 * why: Your weights are right up to the query's own position, and after it att holds what was there before. You never
 * wrote the future. Which weight does it have?
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
 * why: The weights of a row sum to less than 1. You set the future's weights to 0 after a softmax over all positions.
 * From which other quantity must the future be left out?
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
 * why: With scores far below 0, queries attend to the future. You gave it the score -10000, and real scores can be
 * lower. Which value is below every score?
 * hint: With scores far below 0 your queries attend to the future. No finite number is low enough: use -INFINITY, or
 * leave these positions out.
 * section: running-maximum
 */

/* attention_forward: maximum-from-minus-10000
 * base: plain-loops
 * edit: -INFINITY  =>  -10000.0f
 * why: Rows whose scores all lie far below -10000 give NaN. Your search for the largest score starts at a number
 * that is not low enough. With which value can a search for a maximum safely start?
 * hint: Rows whose scores all lie far below -10000 give NaN. Start at the first score, or at -INFINITY.
 * section: running-maximum
 */

/* attention_forward: maximum-from-zero
 * base: heads-copied-out-first
 * each: KIND = float; double
 * edit: u == 0 || preatt  =>  preatt
 * edit: total += exp(  =>  total += (KIND)exp(
 * edit: u > t ? 0 : exp(  =>  u > t ? 0 : (KIND)exp(
 * why: Rows whose scores are all far below 0 give NaN. Your search for the largest score starts at 0 or just above.
 * With which value can a search for a maximum safely start?
 * hint: Rows whose scores are all far below 0 give NaN. Start at the first score, or at -INFINITY.
 * section: running-maximum
 */

/* attention_forward: no-maximum
 * base: heads-copied-out-first
 * each: KIND = float; double
 * edit: if (u == 0 || preatt[t * T + u] > top) top = preatt[t * T + u];  =>
 * edit: total += exp(  =>  total += (KIND)exp(
 * edit: u > t ? 0 : exp(  =>  u > t ? 0 : (KIND)exp(
 * why: Large scores give NaN, because exp overflows (in float, above 88). You took the exponentials of the scores as
 * they are. Which shift of a row leaves its weights unchanged?
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
 * why: Your result depends on what stood in preatt before the call. You searched for the largest score in the future,
 * too. Which scores have been written?
 * hint: Your result depends on what stood in preatt before the call. Search the positions u <= t alone.
 * section: running-maximum
 */

/* attention_forward: keys-and-values-exchanged
 * base: plain-loops
 * edit: *k = inp + (b * T + u) * 3 * C + C + h * hs  =>  *k = inp + (b * T + u) * 3 * C + 2 * C + h * hs
 * edit: *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  *v = inp + (b * T + u) * 3 * C + C + h * hs
 * why: Keys are used as values, and values as keys. You exchanged two blocks of inp. In which order do the three blocks
 * of a position stand?
 * hint: Your keys are values, and the other way round. Keys are the second block of a position, values the third.
 * section: qkv-packing
 */

/* attention_forward: queries-and-keys-exchanged
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C  =>  inp + (b * T + t) * 3 * C + C
 * edit: inp + (b * T + u) * 3 * C + C  =>  inp + (b * T + u) * 3 * C
 * why: Your score of query t and key u is that of query u and key t. You read queries from the second block and keys
 * from the first. In which order do the three blocks of a position stand?
 * hint: Your score of query t and key u is that of query u and key t. Queries are the first block of a position, keys
 * the second.
 * section: qkv-packing
 */

/* attention_forward: rows-of-length-c
 * base: plain-loops
 * edit: (b * T + t) * 3  =>  (b * T + t)
 * edit: inp + (b * T + u) * 3 * C + C  =>  inp + (b * T + u) * C + C
 * edit: inp + (b * T + u) * 3 * C + 2 * C  =>  inp + (b * T + u) * C + 2 * C
 * why: Only the first position reads its own numbers. You put positions C apart in inp. How many numbers does a
 * position hold?
 * hint: Only the first position reads its own numbers. One position of inp is 3 * C wide.
 * section: qkv-packing
 */

/* attention_forward: every-head-reads-the-first
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C + h * hs  =>  inp + (b * T + t) * 3 * C
 * edit: inp + (b * T + u) * 3 * C + C + h * hs  =>  inp + (b * T + u) * 3 * C + C
 * edit: inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  inp + (b * T + u) * 3 * C + 2 * C
 * why: All heads give the same numbers. Your offsets do not depend on h. At which channel does head h begin?
 * hint: All your heads give the same numbers. In each of the three blocks, head h begins after h heads of hs channels.
 * section: qkv-packing
 */

/* attention_forward: heads-before-blocks
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C + h * hs  =>  inp + (b * T + t) * 3 * C + h * 3 * hs
 * edit: inp + (b * T + u) * 3 * C + C + h * hs  =>  inp + (b * T + u) * 3 * C + h * 3 * hs + hs
 * edit: inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  inp + (b * T + u) * 3 * C + h * 3 * hs + 2 * hs
 * why: Your numbers are right with one head and wrong with more. You read inp as if each head had its q, k and v side
 * by side. Which comes first in a position: the heads or the three blocks?
 * hint: With one head your numbers are right, with more they are not. A position has the three blocks first, and the
 * heads side by side inside each block.
 * section: qkv-packing
 */

/* attention_forward: unscaled-scores-stored
 * base: plain-loops
 * edit: dot * scale  =>  dot
 * edit: pre[u] > maximum) maximum = pre[u]  =>  dot * scale > maximum) maximum = dot * scale
 * edit: pre[u] - maximum  =>  pre[u] * scale - maximum
 * why: Your weights and output are right, but preatt is sqrt(hs) times too large. You stored the dot products before
 * scaling. Which scores go into the softmax?
 * hint: Your weights and output are right, but preatt is sqrt(hs) times too large. Store the scaled scores.
 * section: attention-kernel
 */

/* attention_forward: one-map-for-all-sequences
 * base: plain-loops
 * edit: preatt + ((b * NH + h) * T + t) * T  =>  preatt + (h * T + t) * T
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + (h * T + t) * T
 * why: preatt and att hold the last sequence's maps, and the rest is not written. Your offset does not depend on b. In
 * which order do the axes of the maps stand?
 * hint: preatt and att hold the last sequence's maps, and the rest is not written. The maps are (B, NH, T, T): a step
 * of t skips T entries, a step of h skips T rows, and a step of b skips NH heads.
 * section: rows-and-strides
 */

/* attention_forward: output-by-heads
 * base: plain-loops
 * edit: out + (b * T + t) * C + h * hs  =>  out + ((b * NH + h) * T + t) * hs
 * why: Your numbers are right but stand in another order. You wrote all positions of one head before the next head.
 * What stands side by side in (B, T, C)?
 * hint: Your numbers are right but stand in another order. The C channels of one position stand side by side, head
 * after head.
 * section: rows-and-strides
 */

/* attention_forward: added-to-what-was-there
 * base: plain-loops
 * edit: for (int i = 0; i < hs; i++) y[i] = 0.0f;  =>
 * why: Your output contains what stood in out before the call. You added weighted values without setting it first. What
 * should the entries of out be before the sum?
 * hint: Your output contains what stood in out before the call. Set the hs entries to 0 before you add.
 * section: arrays-only-written
 */

/* attention_forward: values-weighted-by-scores
 * base: plain-loops
 * edit: a[u] * v[i]  =>  pre[u] * v[i]
 * why: Your maps are right, but the output weights the values with raw scores. You read the wrong array. Which one sums
 * to 1?
 * hint: Your maps are right, but the output weighs the values with preatt. Use att, which holds the weights after
 * the softmax.
 * section: attention-kernel
 */

/* attention_forward: not-normalised
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: sum += a[u];  =>
 * edit: a[u] / sum  =>  a[u]
 * why: The weights of a row sum to more than 1. You did not divide the exponentials. By which number should they be
 * divided?
 * hint: The weights of a row sum to more than 1. Divide the exponentials of a row by their sum.
 * section: attention-kernel
 */

/* attention_forward: divided-in-the-output-only
 * base: plain-loops
 * edit: a[u] / sum  =>  a[u]
 * edit: a[u] * v[i]  =>  a[u] / sum * v[i]
 * why: Your output is right, but the rows of att do not sum to 1, and the backward pass reads them. You divided only in
 * the output. Which weights should be stored?
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
 * why: A row whose scores lie far below those of an earlier row gives NaN. You kept one maximum from query to query.
 * When should the search begin anew?
 * hint: A row whose scores lie far below those of an earlier row gives NaN. Search for the maximum anew for every
 * query.
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
 * why: The future positions of att hold a tiny number. A query may attend to nothing that comes after it. Which weight
 * is exactly right?
 * hint: The future positions of `att` hold a tiny number. They are 0, exactly.
 * section: only-the-past
 */

/* attention_forward: values-for-keys
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + C  =>  inp + (b * T + u) * 3 * C + 2 * C
 * why: Your scores are dot products with values. You read the keys from the third block. At which offset do the keys
 * begin?
 * hint: Your scores are dot products with values: keys are the second block of a position, values the third.
 * section: qkv-packing
 */

/* attention_forward: keys-for-values
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + 2 * C  =>  inp + (b * T + u) * 3 * C + C
 * why: Your weights are right, but you mix keys with them. You read the values from the second block. At which offset
 * do the values begin?
 * hint: Your weights are right, but you mix keys with them: values are the third block of a position.
 * section: qkv-packing
 */

/* attention_forward: queries-of-the-first-head
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C + h * hs  =>  inp + (b * T + t) * 3 * C
 * why: Every head uses the query of head 0. You left out the offset of the head. At which channel does head h begin?
 * hint: All your heads use the query of head 0. In each of the three blocks, head h begins after h heads of hs
 * channels.
 * section: qkv-packing
 */

/* attention_forward: keys-of-the-first-head
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + C + h * hs  =>  inp + (b * T + u) * 3 * C + C
 * why: Every head uses the keys of head 0. You left out the offset of the head. At which channel does head h begin?
 * hint: All your heads use the keys of head 0. In each of the three blocks, head h begins after h heads of hs channels.
 * section: qkv-packing
 */

/* attention_forward: values-of-the-first-head
 * base: plain-loops
 * edit: inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  inp + (b * T + u) * 3 * C + 2 * C
 * why: Every head uses the values of head 0. You left out the offset of the head. At which channel does head h begin?
 * hint: All your heads use the values of head 0. In each of the three blocks, head h begins after h heads of hs
 * channels.
 * section: qkv-packing
 */

/* attention_forward: maximum-is-the-first-score
 * base: plain-loops
 * edit: pre[u] > maximum  =>  u == 0
 * why: A row becomes NaN where a later score is far above the first. You took the first score for the largest. Which
 * scores have to be compared?
 * hint: Where a later score is far above the first, your row is NaN: compare every score of the row with the largest
 * so far.
 * section: running-maximum
 */

/* attention_forward: scale-of-the-first-call
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs)  =>  static float scale; if (scale == 0) scale = 1.0f / sqrtf(hs)
 * why: Your kernel is right when it is called once, and later calls still use the first call's scale. A `static`
 * variable keeps its value from call to call. On what does the scale depend?
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
 * why: Your kernel is right when it is called once, and a later call with longer sequences writes past the end. Your
 * `static` buffer has the size of the first call. Which array already has room for a row?
 * hint: Your kernel is right when it is called once. A later call may have a larger T: your `static` buffer is too
 * small for it. Use the row of att.
 * section: numbers-in-c
 */

/* attention_forward: scale-of-the-heads
 * base: plain-loops
 * edit: sqrtf(hs)  =>  sqrtf(NH)
 * why: Your scale changes with the number of heads. You divided by the root of NH. How many products does a score sum?
 * hint: Your scale changes with the number of heads. It depends on how many products a score sums, which is hs.
 * section: attention-kernel
 */

/* attention_forward: divided-by-the-scale
 * base: plain-loops
 * edit: dot * scale  =>  dot / scale
 * why: Your scores are hs times too large. You divided by the reciprocal of the root. Should the scale make a dot
 * product larger or smaller?
 * hint: Your scores are too large by the factor hs. Divide by the root of hs, not by its reciprocal.
 * section: attention-kernel
 */

/* attention_forward: keys-of-the-first-sequence
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + C  =>  u * 3 * C + C
 * why: Only the first sequence is right: the others attend to its keys. Your key rows do not depend on b. Whose keys
 * does a query attend to?
 * hint: Only the first sequence is right: the others attend to its keys. Row (b, u) of inp comes after T rows for each
 * earlier sequence and u more, each of 3 * C entries.
 * section: rows-and-strides
 */

/* attention_forward: queries-of-the-first-sequence
 * base: plain-loops
 * edit: inp + (b * T + t) * 3 * C  =>  inp + t * 3 * C
 * why: Only the first sequence is right: the others use its queries. Your query rows do not depend on b. Whose queries
 * does a sequence use?
 * hint: Only the first sequence is right: the others use its queries. Row (b, t) of inp comes after T rows for each
 * earlier sequence and t more, each of 3 * C entries.
 * section: rows-and-strides
 */

/* attention_forward: values-of-the-first-sequence
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + 2  =>  u * 3 * C + 2
 * why: Your weights are right, but every sequence averages the values of the first. Your value rows do not depend on b.
 * Whose values does a sequence average?
 * hint: Your weights are right, but every sequence averages the values of the first. Row (b, u) of inp comes after T
 * rows for each earlier sequence and u more, each of 3 * C entries.
 * section: rows-and-strides
 */

/* attention_forward: own-key-only
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + C  =>  (b * T + t) * 3 * C + C
 * why: All scores of a row are equal. You compared each query with the key of its own position. Which index runs over
 * the keys?
 * hint: All scores of a row are equal in your preatt. The key of score u stands in row u.
 * section: attention-kernel
 */

/* attention_forward: own-value-only
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + 2  =>  (b * T + t) * 3 * C + 2
 * why: Your output at a position is the value of this position. You read all values at t. Which index runs over the
 * values?
 * hint: Your output at position t is the value of position t. The value that weight u belongs to stands in row u.
 * section: attention-kernel
 */

/* attention_forward: last-value-only
 * base: plain-loops
 * edit: y[i] += a[u] * v[i]  =>  y[i] = a[u] * v[i]
 * why: Your output is the last value times its weight. Every product overwrites the one before. Which assignment adds
 * them up?
 * hint: Your output is the last value times its weight. Add every weighted value instead of assigning it.
 * section: attention-kernel
 */

/* attention_forward: sum-begins-at-one
 * base: plain-loops
 * edit: float sum = 0.0f  =>  float sum = 1.0f
 * why: Your weights add up to less than 1. Your sum of exponentials begins at 1. Where should it begin?
 * hint: Your weights do not add up to 1. Let the sum begin at 0.
 * section: attention-kernel
 */

/* attention_forward: future-is-minus-infinity
 * base: plain-loops
 * edit: a[u] / sum : 0.0f  =>  a[u] / sum : -INFINITY
 * why: The future positions of att are minus infinity. This value is for scores, before the softmax. Which weight adds
 * nothing to the output?
 * hint: Your att is minus infinity at future positions. It holds weights, and a position that must not be seen has the
 * weight 0.
 * section: only-the-past
 */

/* attention_forward: scores-by-position-first
 * base: plain-loops
 * edit: preatt + ((b * NH + h) * T + t) * T  =>  preatt + ((b * T + t) * NH + h) * T
 * why: Your rows of preatt are right but in the wrong order. You ordered them by position and then by head. In which
 * order do the axes stand?
 * hint: Your rows of preatt are right, but in the wrong order. The maps are (B, NH, T, T): a step of t skips T entries,
 * a step of h skips T rows, and a step of b skips NH heads.
 * section: rows-and-strides
 */

/* attention_forward: weights-by-position-first
 * base: plain-loops
 * edit: float *a = att + ((b * NH + h) * T + t) * T  =>  float *a = att + ((b * T + t) * NH + h) * T
 * why: Your rows of att are right but in the wrong order. You ordered them by position and then by head. In which order
 * do the axes stand?
 * hint: Your rows of att are right, but in the wrong order. The maps are (B, NH, T, T): a step of t skips T entries, a
 * step of h skips T rows, and a step of b skips NH heads.
 * section: rows-and-strides
 */

/* attention_forward: maps-by-position-first
 * base: plain-loops
 * edit: preatt + ((b * NH + h) * T + t) * T  =>  preatt + ((b * T + t) * NH + h) * T
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + ((b * T + t) * NH + h) * T
 * why: Your scores and weights stand in other rows. You ordered both maps by position and then by head. In which
 * order do their axes stand?
 * hint: Your scores and weights stand in other rows. The maps are (B, NH, T, T): a step of t skips T entries, a step of
 * h skips T rows, and a step of b skips NH heads.
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
 * why: Every query attends to its own position and to later ones. Your loops run in the wrong part of the row. Which
 * positions may a query see?
 * hint: Your mask is the wrong way round: u runs from 0 to t.
 * section: only-the-past
 */

/* attention_forward: width-and-number-of-heads-exchanged
 * base: plain-loops
 * edit: int hs = C / NH  =>  int hs = NH
 * why: Your heads have the wrong width. You took the number of heads for it. How wide is a head when NH of them share C
 * channels?
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
 * why: Your heads mix channels of all heads. You put the channels of one head NH apart. Where do the channels of a head
 * stand?
 * hint: Your heads mix channels of all heads. Head h begins after h heads of hs channels, and its channels follow one
 * after the other.
 * section: qkv-packing
 */

/* attention_forward: scaled-after-the-softmax
 * base: plain-loops
 * edit: dot * scale  =>  dot
 * edit: a[u] / sum : 0.0f  =>  a[u] / sum * scale : 0.0f
 * why: Your weights do not add up to 1. You scaled them after the softmax. On which side of the softmax does the scale
 * belong?
 * hint: Your weights do not add up to 1. Scale the scores, before the softmax.
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
 * why: The weights of past and present do not add up to 1. You let the future take part in the sum, with scores of 0.
 * Up to which position should the exponentials be summed?
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
 * why: The last score of every row is not written, and the softmax reads it all the same. Your loop over the scores
 * ends too early. Which is the last position that a query may see?
 * hint: The last score of every row of preatt is not written. Let u run to t in all three loops.
 * section: only-the-past
 */

/* attention_forward: output-of-one-head
 * base: plain-loops
 * edit: out + (b * T + t) * C + h * hs  =>  out + (b * T + t) * C
 * why: Only the first hs channels of out are written. All heads write there, each over the one before. From which
 * channel on does head h write?
 * hint: Only the first hs channels of out are written. Head h writes after the hs channels of each earlier head.
 * section: rows-and-strides
 */

/* attention_forward: output-cleared-for-every-head
 * base: plain-loops
 * edit: i < hs; i++) y[i] = 0.0f;  =>  i < C; i++) y[i - h * hs] = 0.0f;
 * why: Only the last head is left in out, and all other channels are 0. You clear the whole row of C channels once
 * for every head. Which of them does one head write?
 * hint: Only the last head is left in out. Clear its hs channels only, or the whole row before the first head.
 * section: arrays-only-written
 */

/* attention_forward: bytes-for-entries
 * base: three-sweeps-over-the-arrays
 * each: ARRAY = out; att; preatt
 * edit: memset(ARRAY, 0, sizeof(float) *  =>  memset(ARRAY, 0,
 * why: What stood in an array before the call still shows in most of it. You gave memset a number of entries. In which
 * unit does it count?
 * hint: What stood in an array still shows in most of it. memset counts bytes: multiply by sizeof(float).
 * section: numbers-in-c
 */

/* attention_forward: sum-goes-on
 * base: heads-copied-out-first
 * each: RESET = total = 0; (void)0
 * edit: double total = 0;  =>
 * edit: int hs = C / NH;  =>  int hs = C / NH; double total = 0;
 * edit: const float *from  =>  RESET; const float *from
 * why: The weights of the first query are right, and later rows sum to less than 1. The sum of the exponentials goes
 * on from query to query. When should it be set to 0?
 * hint: The weights of later queries sum to less than 1. Set the sum to 0 for every row of every head.
 * section: numbers-in-c
 */

/* attention_forward: sum-goes-on-from-head-to-head
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: for (int h = 0; h < NH; h++) {  =>  float sum = 0; for (int h = 0; h < NH; h++) {
 * why: The weights of head 0 are right, and those of later heads sum to less than 1. The sum of the exponentials
 * goes on from head to head. When should it be set to 0?
 * hint: The weights of later heads sum to less than 1. Set the sum to 0 for every head.
 * section: numbers-in-c
 */

/* attention_forward: dot-product-goes-on
 * base: plain-loops
 * edit: float dot = 0.0f;  =>
 * edit: float maximum = -INFINITY;  =>  float dot = 0, maximum = -INFINITY;
 * why: The score of key 0 is right, and each later one contains those before. Your dot product goes on from key to
 * key. When should it be set to 0?
 * hint: The score of key 0 is right, and each later one contains those before. Set the dot product to 0 for every
 * key.
 * section: numbers-in-c
 */

/* attention_forward: output-channels-interleaved
 * base: plain-loops
 * edit: *y = out + (b * T + t) * C + h * hs  =>  *y = out + (b * T + t) * C + h
 * edit: y[i] = 0.0f  =>  y[i * NH] = 0.0f
 * edit: y[i] += a[u]  =>  y[i * NH] += a[u]
 * why: Your weights are right, and the channels of out stand in another order. You put those of one head NH apart.
 * Where do the channels of a head stand?
 * hint: The channels of out stand in another order. Those of one head follow one another, after the hs channels of each
 * earlier head.
 * section: rows-and-strides
 */

/* attention_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence is not written. Your loop ends one position too early. Which condition makes
 * it run T times from 0?
 * hint: The last position of every sequence is not written. Let t run from 0 to T - 1.
 * section: numbers-in-c
 */

/* attention_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence is not written. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* attention_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence is not written. Your loop ends one sequence too early. Which condition makes it run B times
 * from 0?
 * hint: The last sequence is not written. Let b run from 0 to B - 1.
 * section: numbers-in-c
 */

/* attention_forward: queries-for-keys
 * base: plain-loops
 * edit: (b * T + u) * 3 * C + C + h * hs  =>  (b * T + u) * 3 * C + h * hs
 * why: Your scores do not depend on the keys. You multiplied queries by queries. In which block of a position is its
 * key?
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
 * why: Position 0 of your output is 0, and all others lack their own value. Your loop over the values ends too early.
 * Which is the last position that a query may see?
 * hint: Position 0 of your output is 0, and all others lack their own value. Let u run to t.
 * section: only-the-past
 */

/* attention_forward: divided-after-the-output
 * base: plain-loops
 * edit: a[u] * v[i]  =>  a[u] * sum * v[i]
 * why: Your att is right, and each row of your output is too large. You weighted the values with exponentials that were
 * not yet divided. When should the division happen?
 * hint: Your att is right, and each row of your output is the right one times the sum of the exponentials. Divide the
 * weights before you use them.
 * section: attention-kernel
 */

/* attention_forward: maximum-from-minus-10000-variant-2
 * base: plain-loops
 * edit: -INFINITY  =>  -10000.0f
 * edit: a[u] / sum  =>  (sum == 0.0f ? 0.0f : a[u] / sum)
 * why: Rows whose scores all lie far below -10000 get no weights at all. Your search for the largest score starts at a
 * number that is not low enough. With which value can a search for a maximum safely start?
 * hint: Rows whose scores all lie far below -10000 get no weights. Start at the first score, or at -INFINITY.
 * section: running-maximum
 */

/* gelu_forward: straight-beyond-3
 * edit: out[n] = 0.5f * x  =>  out[n] = x > 3.0f ? x : x < -3.0f ? 0.0f : 0.5f * x
 * why: Your results beyond 3 and -3 are off by up to 0.004. You replaced the curve there by straight lines. How far is
 * the curve from these lines just beyond 3?
 * hint: Your results beyond 3 and -3 are off by up to 0.004. Use the same formula for every x.
 * section: gelu-kernel
 */

/* gelu_forward: error-function-form
 * base: plain-loops
 * edit: const float scale = sqrtf(2.0f / 3.14159265f);  =>
 * edit: float cube = 0.044715f * x * x * x;  =>
 * edit: tanhf(scale * (x + cube))  =>  erff(x / sqrtf(2.0f))
 * why: Your values differ from the right ones by up to 0.0005. You computed the exact GELU, with the error function.
 * Which form was GPT-2 trained with?
 * hint: Your values are those of the GELU with erf. The difference is small, but GPT-2 was trained with the other form:
 * use the formula with tanh.
 * section: gelu-kernel
 */

/* gelu_forward: sigmoid-form
 * base: in-double
 * edit: double x = inp[n];  =>  float x = inp[n];
 * edit: x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3))))  =>  x / (1.0f + expf(-1.702f * x))
 * why: Your values differ by up to 0.02. You computed x times sigmoid(1.702 x), a rougher form of the same curve. Which
 * form was GPT-2 trained with?
 * hint: Your values are those of x * sigmoid(1.702 x). GPT-2 uses the form with tanh.
 * section: gelu-kernel
 */

/* gelu_forward: silu
 * base: in-double
 * edit: double x = inp[n];  =>  float x = inp[n];
 * edit: x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3))))  =>  x / (1.0f + expf(-x))
 * why: Your curve looks similar but has other values. You computed SiLU, which is x times sigmoid(x). By which
 * distribution does GELU weight x?
 * hint: Your values are those of x * sigmoid(x). GELU weighs x by the normal distribution, here through tanh.
 * section: gelu-kernel
 */

/* gelu_forward: relu
 * base: in-double
 * edit: double x = inp[n];  =>  float x = inp[n];
 * edit: x / 2 * (1 + tanh(sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3))))  =>  x > 0 ? x : 0
 * why: Your function is 0 for every negative number. This is ReLU, while GELU is smooth and a little below 0 there.
 * Which formula does the task give?
 * hint: Your function is 0 for every negative number. GELU lets a little of a negative number through: use the
 * formula with tanh.
 * section: gelu-kernel
 */

/* gelu_forward: misplaced-decimal-point
 * base: plain-loops
 * edit: 0.044715f * x  =>  0.44715f * x
 * why: Your values are too large around x = 1 and x = -1. The factor of the cube is ten times too large. Where does its
 * decimal point belong?
 * hint: Your values are too large around x = 1 and x = -1. The number in front of the cube has a zero after the point:
 * 0.044715.
 * section: gelu-kernel
 */

/* gelu_forward: no-cube
 * base: plain-loops
 * edit: float cube = 0.044715f * x * x * x;  =>
 * edit: (x + cube)  =>  x
 * why: Your values are slightly too small around x = 2. You left out a term inside the tanh. Which power of x is
 * missing?
 * hint: Your values are a little too small around x = 2: the term with the cube of x is missing inside the tanh.
 * section: gelu-kernel
 */

/* gelu_forward: square-for-cube
 * base: plain-loops
 * edit: 0.044715f * x  =>  0.044715f
 * why: Your values are worst at negative numbers. You squared x inside the tanh, and a square loses the sign. Which
 * power stands in the formula?
 * hint: Your values are worst at negative numbers. The term inside the tanh is a cube, which keeps the sign.
 * section: gelu-kernel
 */

/* gelu_forward: three-times-for-cube
 * base: plain-loops
 * edit: 0.044715f * x * x * x  =>  0.044715f * 3 * x
 * why: Your values are slightly too large around x = 1 and x = -1. You multiplied x by 3 inside the tanh. Which
 * operation does the exponent of the formula stand for?
 * hint: Your values are slightly too large around x = 1 and x = -1. The cube multiplies x by itself; it does not
 * multiply it by 3.
 * section: gelu-kernel
 */

/* gelu_forward: cube-alone
 * base: plain-loops
 * edit: x + cube  =>  cube
 * why: Your curve is x / 2 for a long way around 0. You left out the x to which the cube is added. Which two terms
 * stand inside the tanh?
 * hint: Your curve is x / 2 for a long way around 0. Inside the tanh, the term with the cube is added to x.
 * section: gelu-kernel
 */

/* gelu_forward: brackets-left-out
 * base: plain-loops
 * edit: (1.0f + tanhf  =>  1.0f + (tanhf
 * why: Your curve goes to half of x, plus or minus 1. The tanh is added to the product, outside of the brackets.
 * What does 0.5 * x multiply in the formula?
 * hint: The tanh is added outside of the product. Put brackets around the sum of 1 and the tanh.
 * section: gelu-kernel
 */

/* gelu_forward: half-of-integers
 * base: plain-loops
 * edit: 0.5f * x  =>  1 / 2 * x
 * why: Everything that you write is 0. A quotient of two integers is an integer in C, here 0. How can you write one
 * half as a float?
 * hint: Everything that you write is 0. In C 1 / 2 is an integer division with the result 0: write one half as a float.
 * section: numbers-in-c
 */

/* gelu_forward: no-half
 * base: plain-loops
 * edit: 0.5f * x  =>  x
 * why: Your values are twice as large as they should be. The sum of 1 and tanh goes up to 2. Which factor brings it
 * back to 1?
 * hint: Your values are twice as large as they should be. Take half of them.
 * section: gelu-kernel
 */

/* gelu_forward: no-root-in-the-factor
 * base: plain-loops
 * edit: sqrtf(2.0f / 3.14159265f)  =>  2.0f / 3.14159265f
 * why: Your values are too close to x/2. The factor inside the tanh is 2 / pi. What does the formula do with this
 * fraction?
 * hint: Your values are too close to x/2. The factor inside the tanh is the root of 2 / pi, about 0.79788456.
 * section: gelu-kernel
 */

/* gelu_forward: factor-on-x-alone
 * base: plain-loops
 * edit: scale * (x + cube)  =>  scale * x + cube
 * why: Your values are slightly too large around x = 1.5. The factor multiplies x alone. Which other term does it
 * multiply in the formula?
 * hint: Your values are a little too large around x = 1.5. The factor multiplies the whole bracket, the cube included.
 * section: gelu-kernel
 */

/* gelu_forward: factor-outside-of-the-tanh
 * base: plain-loops
 * edit: tanhf(scale * (x + cube))  =>  scale * tanhf(x + cube)
 * why: Far from 0 your curve is neither x nor 0. You multiplied the tanh by the factor, so that it no longer goes
 * from -1 to 1. What does the factor multiply in the formula?
 * hint: Far from 0 your curve is neither x nor 0. The factor stands inside the tanh, where it multiplies the whole sum.
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
 * why: Large inputs give NaN. You wrote tanh with an exponential, and it overflows, which gives infinity over infinity.
 * Which function computes tanh without overflow?
 * hint: Large inputs give NaN, because the exponential overflows. Use tanhf, which knows its limits.
 * section: gelu-kernel
 */

/* gelu_forward: x-left-out
 * base: plain-loops
 * edit: 0.5f * x  =>  0.5f
 * why: Your values lie between 0 and 1. You wrote the weight alone. What does GELU do with it and x?
 * hint: Your values lie between 0 and 1. Multiply them by x.
 * section: gelu-kernel
 */

/* gelu_forward: whole-number-x
 * base: plain-loops
 * edit: float x = inp[n];  =>  int x = inp[n];
 * why: Your function is a staircase. An integer type cuts the fraction of x off. Which type keeps it?
 * hint: Your function is a staircase: it changes at whole numbers only. Make x a float.
 * section: numbers-in-c
 */

/* gelu_forward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: In a second call, the first entries are not written. Your `static` counter goes on where the last call stopped.
 * Where should it begin in every call?
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N are not
 * written: the counter is `static`. Let it begin at 0 in every call.
 * section: numbers-in-c
 */

/* gelu_forward: root-of-half-pi
 * base: plain-loops
 * edit: 2.0f / 3.14159265f  =>  3.14159265f / 2.0f
 * why: Your curve bends too sharply around 0. The fraction under the root is inverted. Which number stands above the other
 * in the formula?
 * hint: Your curve bends too sharply around 0. The factor is sqrt(2/pi), about 0.7979.
 * section: gelu-kernel
 */

/* gelu_forward: root-of-2-alone
 * base: plain-loops
 * edit: sqrtf(2.0f / 3.14159265f)  =>  sqrtf(2.0f) / 3.14159265f
 * why: Your values are too close to x/2. The factor inside the tanh is sqrt(2) / pi, about 0.45. How far does the
 * root reach in the formula?
 * hint: Your values are too close to x/2. Take the root of the whole fraction 2 / pi, not of the 2 alone.
 * section: gelu-kernel
 */

/* gelu_forward: rough-pi
 * base: plain-loops
 * edit: 3.14159265f  =>  3.14f
 * why: Your results are off by up to 0.00006. You wrote pi with two decimals. How many digits does a float hold?
 * hint: Your results are off by up to 0.00006. Write pi, or the root of 2 / pi, with all the digits that a float holds.
 * section: gelu-kernel
 */

/* gelu_forward: everything-cubed
 * base: plain-loops
 * edit: 0.044715f * x * x * x  =>  0.044715f * x * 0.044715f * x * 0.044715f * x
 * why: Your values are slightly too small around x = 2. You raised the small factor to the third power, too. Which of
 * the two is cubed?
 * hint: Your third power includes 0.044715. Multiply the cube of x by 0.044715 once.
 * section: gelu-kernel
 */

/* gelu_forward: one-minus-tanh
 * base: plain-loops
 * edit: 1.0f + tanhf  =>  1.0f - tanhf
 * why: Your curve is the mirror image: large numbers become 0. You subtracted the tanh. Which sign does it have in the
 * formula?
 * hint: Your curve is the mirror image: large numbers become 0. Add the tanh to 1.
 * section: gelu-kernel
 */

/* gelu_forward: cube-subtracted
 * base: plain-loops
 * edit: x + cube  =>  x - cube
 * why: Far from 0 your curve is the wrong way round: large numbers become 0. You subtracted the cube. Which sign does
 * it have in the formula?
 * hint: Far from 0 your curve is the wrong way round: large numbers become 0. Add the term with the cube to x.
 * section: gelu-kernel
 */

/* gelu_forward: one-zero-too-many
 * base: plain-loops
 * edit: 0.044715f  =>  0.0044715f
 * why: Your curve is too low between 1 and 3. The factor of the cube has a zero too many. Which number does the formula
 * have?
 * hint: Your curve is too low between 1 and 3. The number is 0.044715.
 * section: gelu-kernel
 */

/* gelu_forward: a-digit-left-out
 * base: plain-loops
 * edit: 0.044715f  =>  0.04715f
 * why: Your results are off by up to 0.0014. A digit of the cube's factor is missing. Which number does the formula
 * have?
 * hint: Your results are off by up to 0.0014. The number is 0.044715.
 * section: gelu-kernel
 */

/* gelu_forward: no-one-plus
 * base: plain-loops
 * edit: (1.0f + tanhf(scale * (x + cube)))  =>  tanhf(scale * (x + cube))
 * why: Your curve is the same on both sides of 0. You left out a term beside the tanh. Which term makes the bracket run
 * from 0 to 2?
 * hint: Your curve is the same on both sides of 0. Add 1 to the tanh before you multiply.
 * section: gelu-kernel
 */

/* gelu_forward: added-to-what-was-there
 * base: plain-loops
 * edit: out[n] =  =>  out[n] +=
 * why: Your output contains what stood in out before the call. You added to it, but only backward kernels add. Which
 * assignment does a forward kernel use?
 * hint: Your output contains what stood in out before the call. A forward kernel assigns and does not add.
 * section: arrays-only-written
 */

/* gelu_forward: tanh-of-x
 * base: plain-loops
 * edit: tanhf(scale * (x + cube))  =>  tanhf(x + cube)
 * why: Your curve bends too sharply around 0. The factor inside the tanh is missing. Which root stands there in the formula?
 * hint: Your curve bends too sharply around 0. Multiply by the root of 2 / pi inside the tanh.
 * section: gelu-kernel
 */

/* gelu_forward: hyperbolic-sine
 * base: plain-loops
 * edit: tanhf(  =>  sinhf(
 * why: Far from 0 your results explode. You used the hyperbolic sine, which grows without limit. Which function stands
 * in the formula?
 * hint: Far from 0 your results explode. The function is tanhf.
 * section: gelu-kernel
 */

/* gelu_forward: last-entry-left-out
 * base: plain-loops
 * edit: n < N  =>  n < N - 1
 * why: The last entry is not written. Your loop ends one entry too early. Which condition makes it run N times from 0?
 * hint: The last entry is not written. Let n run from 0 to N - 1.
 * section: numbers-in-c
 */

/* gelu_forward: factor-of-the-error-function
 * base: plain-loops
 * edit: sqrtf(2.0f / 3.14159265f)  =>  1.0f / sqrtf(2.0f)
 * why: Your values are too close to x/2. Your factor belongs to the form with the error function. Which root stands
 * inside the tanh?
 * hint: Your values are too close to x/2. The factor inside the tanh is the root of 2 / pi.
 * section: gelu-kernel
 */

/* gelu_forward: tanh-of-x-alone
 * base: plain-loops
 * edit: tanhf(scale * (x + cube))  =>  tanhf(x)
 * why: Your curve bends too sharply around 0. You took the tanh of x itself. What stands inside it in the formula?
 * hint: Your curve bends too sharply around 0. Compute the argument of the tanh as the formula says.
 * section: gelu-kernel
 */

/* residual_forward: difference
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  inp1[n] - inp2[n]
 * why: You have the difference of the two inputs. A residual connection combines what a layer computed with what went
 * around it. Which operation does it use?
 * hint: You have the difference of the two inputs. Add them.
 * section: residual-kernel
 */

/* residual_forward: product
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  inp1[n] * inp2[n]
 * why: You have the product of the two inputs. What went around the layer should arrive unchanged. Which operation does
 * a residual connection use?
 * hint: You have the product of the two inputs. Add them.
 * section: residual-kernel
 */

/* residual_forward: average
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  (inp1[n] + inp2[n]) / 2
 * why: Your entries are half as large as they should be. You averaged. Does a residual connection divide?
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
 * why: Your output equals the first input. You copied it and left out what the layer computed. Which input is missing?
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
 * why: Your output equals the second input. You copied it and left out what went around the layer. Which input is
 * missing?
 * hint: Your output equals inp2. Add inp1, entry by entry.
 * section: residual-kernel
 */

/* residual_forward: added-to-what-was-there
 * base: plain-loops
 * edit: out[n] = inp1[n] + inp2[n]  =>  out[n] += inp1[n] + inp2[n]
 * why: Your output contains what stood in out before the call. You added to it, but only backward kernels add. Which
 * assignment does a forward kernel use?
 * hint: Your output contains what stood in out before the call. Assign the sum instead of adding it.
 * section: arrays-only-written
 */

/* residual_forward: last-entry-left-out
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n < N - 1; n++) {
 * why: The last entry is not written. Your loop ends one entry too early. Which condition makes it run N times from 0?
 * hint: The last entry is not written. Let n run from 0 to N - 1.
 * section: numbers-in-c
 */

/* residual_forward: first-entry-left-out
 * base: plain-loops
 * edit: int n = 0;  =>  int n = 1;
 * why: The first entry is not written. Your loop begins at 1. From which number do entries count in C?
 * hint: The first entry is not written. Let the loop start at 0.
 * section: numbers-in-c
 */

/* residual_forward: one-past-the-end
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n <= N; n++) {
 * why: Your kernel touches the entry after the last one. Your loop runs once more than there are entries. Which number
 * does the last of N entries have?
 * hint: Your kernel touches the entry after the last one. N entries are numbered 0 to N - 1: let n run from 0 to N - 1.
 * section: numbers-in-c
 */

/* residual_forward: remainder-left-out
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n + 4 <= N; n += 4) {
 * edit: out[n] = inp1[n] + inp2[n];  =>  for (int i = n; i < n + 4; i++) out[i] = inp1[i] + inp2[i];
 * why: The last entries are not written where N is no multiple of 4. Your loop takes four entries at a time and stops
 * too early. What is needed for the remainder?
 * hint: The last entries are not written where N is no multiple of 4. After the loop in steps of 4 do what is left,
 * one by one.
 * section: residual-kernel
 */

/* residual_forward: one-entry-only
 * base: plain-loops
 * edit: out[n] = inp1[n] + inp2[n]  =>  *out = *inp1 + *inp2
 * why: Only the first entry is written. Your pointers never move. How can each round reach the next entry?
 * hint: Only the first entry is written. Move all three pointers in every round, or index them.
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
 * why: Your output is right, but the first input has changed, and the backward pass still needs it. You wrote the sum
 * there first. To which array alone may you write?
 * hint: Your output is right, but inp1 is not what it was before the call. Write the sum to out alone.
 * section: arrays-only-written
 */

/* residual_forward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: In a second call, the first entries are not written. Your `static` counter goes on where the last call stopped.
 * Where should it begin in every call?
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N are not
 * written: the counter is `static`. Let it begin at 0 in every call.
 * section: numbers-in-c
 */

/* residual_forward: first-input-twice
 * base: plain-loops
 * edit: inp2[n]  =>  inp1[n]
 * why: Your entries are twice the first input. You added it to itself. Which input is missing?
 * hint: Your entries are twice the first input. Add the second one.
 * section: residual-kernel
 */

/* residual_forward: second-input-twice
 * base: plain-loops
 * edit: inp1[n]  =>  inp2[n]
 * why: Your entries are twice the second input. You added it to itself. Which input is missing?
 * hint: Your entries are twice the second input. Add the first one.
 * section: residual-kernel
 */

/* residual_forward: second-input-reversed
 * base: plain-loops
 * edit: inp2[n]  =>  inp2[N - 1 - n]
 * why: Entry n of your output holds an entry from the other end of inp2. You read it backwards. Which index do both
 * inputs have?
 * hint: Entry n of your output has entry N - 1 - n of inp2. Both inputs are read at n.
 * section: residual-kernel
 */

/* residual_forward: first-entry-for-all
 * base: plain-loops
 * edit: inp1[n]  =>  inp1[0]
 * why: All entries share one entry of inp1. Its index is missing. Which index do both inputs have?
 * hint: All entries of your output share one entry of inp1. Read it at n.
 * section: residual-kernel
 */

/* residual_forward: second-inputs-first-entry
 * base: plain-loops
 * edit: inp2[n]  =>  inp2[0]
 * why: All entries share one entry of inp2. Its index is missing. Which index do both inputs have?
 * hint: All entries of your output share one entry of inp2. Read it at n.
 * section: residual-kernel
 */

/* residual_forward: every-second-entry
 * base: plain-loops
 * edit: n++  =>  n += 2
 * why: Every second entry is not written. Your loop takes two steps at a time. By how much should the index grow?
 * hint: Every second entry is not written. Let n grow by 1.
 * section: numbers-in-c
 */

/* residual_forward: larger-of-the-two
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  fmaxf(inp1[n], inp2[n])
 * why: Each of your entries is the larger one of the two inputs. You took a maximum. Which operation does a residual
 * connection use?
 * hint: Each of your entries is the larger one of the two inputs. Add the two.
 * section: residual-kernel
 */

/* residual_forward: second-minus-first
 * base: plain-loops
 * edit: inp1[n] + inp2[n]  =>  inp2[n] - inp1[n]
 * why: Your entries are second minus first input. You subtracted. Which operation does a residual connection use?
 * hint: Your entries are inp2 - inp1. Add the two.
 * section: residual-kernel
 */

/* residual_forward: bytes-for-entries
 * base: copy-then-add
 * edit: N * sizeof(float)  =>  N
 * why: Only the first quarter of out is right. memcpy counts bytes, and you gave it a number of entries. How many bytes
 * does a float have?
 * hint: Only the first quarter of out is right. The third argument of memcpy is a number of bytes: multiply by the size
 * of a float.
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
 * why: The padded columns get probability, and all others too little. Your softmax runs over all Vp columns. How many
 * columns stand for tokens?
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
 * why: Your probabilities sum to less than 1 where columns are padded. You cleared the padding at the end, but its
 * exponentials are in the sum. From which two steps must the padding be left out?
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
 * why: The padded columns still hold what was there before the call, and later kernels read whole rows. You did not
 * write them. What is the probability of a token that does not exist?
 * hint: The padded columns still hold what was there before the call. Write 0 to columns V to Vp - 1.
 * section: padded-vocabulary
 */

/* softmax_forward: bytes-for-entries
 * base: cleared-first
 * edit: sizeof(float) * B  =>  B
 * why: What stood in probs before the call is left in most of the padding. You gave memset a number of entries. In
 * which unit does it count?
 * hint: What stood in probs is left in most of the padding. memset counts bytes: multiply by sizeof(float).
 * section: numbers-in-c
 */

/* softmax_forward: tiny-probability-in-the-padding
 * base: plain-loops
 * edit: p[v] = 0.0f  =>  p[v] = 1e-9f
 * why: The padded columns hold a tiny number, so a sampler can draw them. You wrote something other than 0. What is the
 * probability of a token that does not exist?
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
 * why: Large numbers in the padding spoil your probabilities. You searched for the largest logit in all Vp columns. How
 * many columns stand for tokens?
 * hint: Large numbers in the padding's logits change or spoil your probabilities. Search the first V columns alone.
 * section: padded-vocabulary
 */

/* softmax_forward: rows-of-length-v
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + (b * T + t) * V
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * why: Where columns are padded, every row but the first begins too early. You put rows V apart. How long is a row with
 * its padding?
 * hint: Where columns are padded, every row but the first begins too early. The step from row to row is Vp.
 * section: padded-vocabulary
 */

/* softmax_forward: maximum-from-minus-10000
 * base: plain-loops
 * edit: -INFINITY  =>  -10000.0f
 * why: Rows whose logits all lie far below -10000 give NaN. Your search for the largest logit starts at a number
 * that is not low enough. With which value can a search for a maximum safely start?
 * hint: Rows whose logits all lie far below -10000 give NaN. Start at the first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: maximum-from-zero
 * base: walking-pointers-in-double
 * each: KIND = float; double
 * edit: double top = -HUGE_VAL  =>  KIND top = 0
 * why: Rows whose logits are all far below 0 give NaN. Your search for the largest logit starts at 0 or just above.
 * With which value can a search for a maximum safely start?
 * hint: Rows whose logits are all far below 0 give NaN. Start at the first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: no-maximum
 * base: walking-pointers-in-double
 * each: KIND = float; double
 * edit: logits[v] > top ? logits[v] : top  =>  0
 * edit: sum += exp(  =>  sum += (KIND)exp(
 * edit: (float)(exp(  =>  (float)((KIND)exp(
 * why: Large logits give NaN, because exp overflows (in float, above 88). You took the exponentials of the logits as
 * they are. Which shift of a row leaves its probabilities unchanged?
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
 * why: Rows that lie far below the largest one give NaN. You subtracted one maximum from all rows. Which maximum should
 * each row use?
 * hint: Rows that lie far below the largest one give NaN. Search for the maximum anew in each row.
 * section: running-maximum
 */

/* softmax_forward: smallest-for-largest
 * base: plain-loops
 * edit: maximum = -INFINITY  =>  minimum = INFINITY
 * edit: z[v] > maximum) maximum = z[v]  =>  z[v] < minimum) minimum = z[v]
 * edit: z[v] - maximum  =>  z[v] - minimum
 * why: Rows that spread over more than 88 give NaN. You subtracted the smallest logit, so the largest exponent is the
 * whole spread. Which logit makes the largest exponent 0?
 * hint: Rows that spread over more than 88 give NaN. Subtract the largest logit, so that no exponent is above 0.
 * section: running-maximum
 */

/* softmax_forward: shifted-by-the-mean
 * base: plain-loops
 * edit: maximum = -INFINITY  =>  mean = 0.0f
 * edit: if (z[v] > maximum) maximum = z[v];  =>  mean += z[v] / V;
 * edit: z[v] - maximum  =>  z[v] - mean
 * why: Rows that spread widely give NaN. You subtracted the mean, which does not bound the largest exponent. Which
 * logit does bound it?
 * hint: Rows that spread widely give NaN. Subtract the largest logit, so that no exponent is above 0.
 * section: running-maximum
 */

/* softmax_forward: sum-goes-on
 * base: plain-loops
 * each: RESET = (void)0; sum = 0
 * edit: float sum = 0.0f;  =>
 * edit: for (int b = 0; b < B; b++) {  =>  float sum = 0; for (int b = 0; b < B; b++) { RESET;
 * why: The first row is right, and later ones sum to less and less. The sum goes on from row to row. When should it
 * be set to 0?
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
 * why: The largest entry of every row is 1, and a row sums to more than 1. You did not divide the exponentials. By
 * which number should they be divided?
 * hint: The largest entry of every row is 1, and a row sums to more than 1. Divide by the sum of the exponentials.
 * section: crossentropy-kernel
 */

/* softmax_forward: logarithms
 * base: plain-loops
 * edit: p[v] /= sum  =>  p[v] = logf(p[v] / sum)
 * why: Your entries are negative. You wrote logarithms, and the kernel for the loss takes the logarithm itself. What
 * should this kernel write?
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
 * why: The last token never gets a probability. Your loops end one token too early. Which condition makes them run V
 * times from 0?
 * hint: The last token never gets a probability. Let v run from 0 to V - 1.
 * section: numbers-in-c
 */

/* softmax_forward: logits-overwritten
 * base: plain-loops
 * edit: const float *logits  =>  float *logits
 * edit: const float *z = logits + (b * T + t) * Vp;  =>  float *z = logits + (b * T + t) * Vp;
 * edit: p[v] = expf(z[v] - maximum)  =>  z[v] = expf(z[v] - maximum)
 * edit: sum += p[v]  =>  sum += z[v]
 * edit: p[v] /= sum  =>  p[v] = z[v] / sum
 * why: Your probabilities are right, but the logits have changed, and other code reads them later. You wrote
 * exponentials there. To which array alone may you write?
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
 * why: A row holds NaN where the last logit is by far the largest. Your search for the maximum ends one token too
 * early. Which logits have to be compared?
 * hint: Where the last of the V logits is the largest by more than 88, your row holds NaN. The search goes over all
 * V of them.
 * section: running-maximum
 */
/* softmax_forward: sum-not-rescaled
 * base: moving-maximum
 * edit: sum = sum * expf(top - z) + 1.0f  =>  sum += 1.0f
 * why: Rows whose maximum does not come first sum to less than 1. You added exponentials that were shifted by different
 * maxima. What happens to the earlier terms of the sum when the maximum grows?
 * hint: Rows whose maximum does not come first sum to less than 1. When the maximum grows, rescale the earlier sum to
 * the new maximum, or find the maximum in a loop of its own first.
 * section: running-maximum
 */

/* softmax_forward: maximum-from-minus-1e9
 * base: plain-loops
 * edit: -INFINITY  =>  -1e9f
 * why: Logits around -3e9 give NaN. Your search for the largest logit starts at -1e9. With which value can a search for
 * a maximum safely start?
 * hint: Logits around -3e9 give NaN. Start at the row's first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: buffer-of-the-first-call
 * base: plain-loops
 * edit: float sum = 0.0f;  =>  float sum = 0.0f; static float *e; if (e == NULL) e = malloc(V * sizeof(float));
 * edit: p[v] = expf(  =>  e[v] = expf(
 * edit: sum += p[v]  =>  sum += e[v]
 * edit: p[v] /= sum  =>  p[v] = e[v] / sum
 * why: Your kernel is right when it is called once, and a later call with a larger vocabulary writes past the end. Your
 * `static` buffer has the size of the first call. Which array already has room for a row?
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
 * why: Your kernel is right when it is called once, and later calls read only as many columns as the first. A `static`
 * variable keeps the number of tokens. Which number does each call receive?
 * hint: Your kernel is right when it is called once. A later call still uses the first call's V: it is kept in a
 * `static` variable. Use the argument.
 * section: numbers-in-c
 */

/* softmax_forward: padding-is-minus-infinity
 * base: plain-loops
 * edit: p[v] = 0.0f  =>  p[v] = -INFINITY
 * why: The padded columns of probs are minus infinity. This value is for logits. What is the probability of a token
 * that does not exist?
 * hint: probs holds probabilities, and those of padded columns are 0.
 * section: padded-vocabulary
 */

/* softmax_forward: sum-of-logits
 * base: plain-loops
 * edit: sum += p[v]  =>  sum += z[v]
 * why: Your probabilities do not add up to 1. You summed the logits. Of what should the sum be taken?
 * hint: Your probabilities do not add up to 1. Divide by the sum of the exponentials.
 * section: padded-vocabulary
 */

/* softmax_forward: powers-of-two
 * base: plain-loops
 * edit: expf(z[v] - maximum)  =>  exp2f(z[v] - maximum)
 * why: Your probabilities are too even. You took powers of 2. Which base does a softmax use?
 * hint: Your probabilities are too even. Use expf.
 * section: padded-vocabulary
 */

/* softmax_forward: maximum-added
 * base: plain-loops
 * edit: z[v] - maximum  =>  z[v] + maximum
 * why: Your exponentials overflow where logits are large. You added the maximum. Which sign makes the largest exponent
 * 0?
 * hint: Where logits are large your exponentials overflow. Subtract the maximum.
 * section: running-maximum
 */

/* softmax_forward: sign-turned-round
 * base: plain-loops
 * edit: z[v] - maximum  =>  maximum - z[v]
 * why: Your probabilities rank the tokens in reverse. You subtracted the logit from the maximum. Which token should get
 * the largest exponent?
 * hint: Your probabilities rank the tokens the wrong way round. The exponent is the logit minus the maximum.
 * section: running-maximum
 */

/* softmax_forward: divided-by-the-tokens
 * base: plain-loops
 * edit: p[v] /= sum  =>  p[v] /= V
 * why: Your probabilities do not add up to 1. You divided by the number of tokens. By which number should the
 * exponentials be divided?
 * hint: Your probabilities do not add up to 1. Divide by the sum of the exponentials.
 * section: padded-vocabulary
 */

/* softmax_forward: maximum-from-minus-100
 * base: plain-loops
 * edit: maximum = -INFINITY  =>  maximum = -100.0f
 * why: Rows whose logits all lie below -100 may give NaN. Your search for the largest logit starts there. With which
 * value can a search for a maximum safely start?
 * hint: Rows whose logits all lie below -100 may give NaN. Begin at the first logit, or at -INFINITY.
 * section: running-maximum
 */

/* softmax_forward: padding-overwrites-the-last-token
 * base: plain-loops
 * edit: int v = V; v < Vp  =>  int v = V - 1; v < Vp
 * why: Your last token has probability 0. The loop that clears the padding begins one column too early. At which column
 * does the padding begin?
 * hint: Your last token has probability 0. The padding begins at column V.
 * section: numbers-in-c
 */

/* softmax_forward: one-maximum-for-a-sequence
 * base: plain-loops
 * edit: float maximum = -INFINITY;  =>
 * edit: for (int t = 0; t < T; t++) {  =>  float maximum = -INFINITY; for (int t = 0; t < T; t++) {
 * why: Rows that lie far below an earlier row give NaN. You kept one maximum for a whole sequence. When should the
 * search begin anew?
 * hint: Rows that lie far below an earlier row give NaN. Set the maximum to -INFINITY inside the loop over t.
 * section: running-maximum
 */

/* softmax_forward: rows-of-logits-of-length-v
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + (b * T + t) * V
 * why: Your first row is right, and later ones begin too early in logits. You put their rows V apart. How long is a row
 * with its padding?
 * hint: Your first row is right, and later ones begin too early in logits. Row (b, t) comes after T rows for each
 * earlier sequence and t more, each of Vp entries.
 * section: rows-and-strides
 */

/* softmax_forward: rows-of-probs-of-length-v
 * base: plain-loops
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * why: Your rows overlap, and the end of probs is not written. You put its rows V apart. How long is a row with its
 * padding?
 * hint: Your rows overlap, and the end of probs is not written. Row (b, t) comes after T rows for each earlier sequence
 * and t more, each of Vp entries.
 * section: rows-and-strides
 */

/* softmax_forward: rows-with-b-and-t-mixed
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + (b * Vp + t) * T
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * Vp + t) * T
 * why: Your rows begin at the wrong entries. You exchanged two factors of the offset. How many entries does a sequence
 * have, and how many a row?
 * hint: Your rows begin at the wrong entries. Row (b, t) comes after T rows for each earlier sequence and t more, each
 * of Vp entries.
 * section: rows-and-strides
 */

/* softmax_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence is not written. Your loop ends one position too early. Which condition makes
 * it run T times from 0?
 * hint: The last position of every sequence is not written. Let t run from 0 to T - 1.
 * section: numbers-in-c
 */

/* softmax_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence is not written. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* softmax_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence is not written. Your loop ends one sequence too early. Which condition makes it run B times
 * from 0?
 * hint: The last sequence is not written. Let b run from 0 to B - 1.
 * section: numbers-in-c
 */

/* softmax_forward: only-one-sequence
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + t * Vp
 * edit: probs + (b * T + t) * Vp  =>  probs + t * Vp
 * why: The first sequence is right, and the others are not written. Your offsets do not depend on b. Where does row
 * (b, t) begin?
 * hint: The first sequence is right and the others are not written. Row (b, t) comes after T rows for each earlier
 * sequence and t more, each of Vp entries.
 * section: rows-and-strides
 */

/* softmax_forward: maximum-of-the-sizes
 * base: plain-loops
 * edit: if (z[v] > maximum) maximum = z[v]  =>  if (fabsf(z[v]) > maximum) maximum = fabsf(z[v])
 * why: Rows that lie far below 0 give NaN. You took the number farthest from 0 for the largest. Which of two negative
 * numbers is larger?
 * hint: Rows that lie far below 0 give NaN. Compare the logits as they are.
 * section: running-maximum
 */

/* softmax_forward: multiplied-by-the-sum
 * base: plain-loops
 * edit: p[v] /= sum  =>  p[v] *= sum
 * why: Your probabilities do not add up to 1. You multiplied by the sum of the exponentials. Which operation makes them
 * sum to 1?
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
 * why: The last probability of every row depends on what stood in probs before the call. Your loop over the
 * exponentials ends one token too early. Which condition makes it run V times from 0?
 * hint: The last probability of every row depends on what stood in probs before the call. Let v run to V - 1.
 * section: numbers-in-c
 */

/* softmax_forward: divided-by-the-sum-so-far
 * base: plain-loops
 * edit: p[v] /= sum;  =>  (void)sum;
 * edit: sum += p[v];  =>  sum += p[v]; p[v] /= sum;
 * why: The first probability of every row is 1. You divided inside the loop that adds up, by an incomplete sum. When is
 * the sum complete?
 * hint: The first probability of every row is 1. The division needs a loop of its own, after the sum is complete.
 * section: running-maximum
 */

/* softmax_forward: maximum-above-the-fraction-only
 * base: plain-loops
 * edit: sum += p[v]  =>  sum += expf(z[v])
 * why: Your rows do not sum to 1. You shifted the numerators by the maximum, but not the terms of the sum. In which two
 * parts of the fraction must the shift stand so that it cancels?
 * hint: Your rows do not sum to 1. Add up the exponentials of the shifted logits.
 * section: running-maximum
 */

/* softmax_forward: first-padding-left-unwritten
 * base: plain-loops
 * edit: int v = V; v < Vp  =>  int v = V + 1; v < Vp
 * why: Column V still holds what was there before the call. Your loop over the padding begins one column too late.
 * Which number does the last token have?
 * hint: Column V still holds what was there before the call. Start the loop over the padding at V.
 * section: padded-vocabulary
 */

/* softmax_forward: rows-without-padding
 * base: plain-loops
 * edit: int v = V; v < Vp  =>  int v = Vp; v < V
 * edit: const float *z = logits + (b * T + t) * Vp  =>  const float *z = logits + (b * T + t) * V
 * edit: float *p = probs + (b * T + t) * Vp  =>  float *p = probs + (b * T + t) * V
 * why: Only the first row is right. Your rows lie V numbers apart, and nothing writes the padding. How many columns
 * does a row have in memory?
 * hint: From the second row on, your rows begin too early. Row (b, t) comes after T rows for each earlier sequence and
 * t more, each of Vp entries, and ends with zeros.
 * section: padded-vocabulary
 */

/* softmax_forward: probabilities-for-the-padding
 * base: plain-loops
 * edit: p[v] = 0.0f  =>  p[v] = expf(z[v] - maximum) / sum
 * why: Padded columns have a probability. You left them out of the sum, but wrote a share for them all the same. What
 * is the probability of a token that does not exist?
 * hint: Your padded columns get probabilities from their logits. Write 0 to them.
 * section: padded-vocabulary
 */

/* crossentropy_forward: no-minus
 * base: plain-loops
 * edit: -logf(p)  =>  logf(p)
 * why: Your losses have the wrong sign. The logarithm of a probability is negative. Which sign should a loss have?
 * hint: Your losses have the wrong sign. The loss is minus the logarithm.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: step-of-one-entry
 * base: plain-loops
 * edit: (b * T + t) * Vp  =>  b * T + t
 * why: Only the first position reads its own row. Your offset does not include the length of a row. How many
 * probabilities does each position have?
 * hint: Only the first position reads its own row. Row (b, t) of probs comes after T rows for each earlier sequence and
 * t more, each of Vp entries.
 * section: rows-and-strides
 */

/* crossentropy_forward: same-targets-in-every-sequence
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t]
 * why: The first sequence is right, and the others are measured against its targets. Your index does not depend on b.
 * Which target belongs to position (b, t)?
 * hint: The first sequence is right, and the others are measured against its targets. The target of (b, t) comes after
 * T targets for each earlier sequence, and t more.
 * section: rows-and-strides
 */

/* crossentropy_forward: only-one-sequence-read
 * base: plain-loops
 * edit: (b * T + t)  =>  t
 * why: The first sequence is right, and the others read its probabilities. Your offset does not depend on b. Where does
 * the row of position (b, t) begin?
 * hint: The first sequence is right, and the others read its probabilities. Row (b, t) of probs comes after T rows for
 * each earlier sequence and t more, each of Vp entries.
 * section: rows-and-strides
 */

/* crossentropy_forward: next-target
 * base: plain-loops
 * each: NEXT = t + 1; (t + 1) % T; (t + 1 < T ? t + 1 : t)
 * edit: targets[b * T + t]  =>  targets[b * T + NEXT]
 * why: Every position is measured against the target of the position after it. You shifted the targets, which already
 * hold the next tokens. Which target belongs to position (b, t)?
 * hint: Every position is measured against the target of the position after it. The target of position (b, t) is entry
 * (b, t) of targets.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: no-logarithm
 * base: plain-loops
 * edit: -logf(p)  =>  1.0f - p
 * why: Your losses lie between 0 and 1. You subtracted the probability from 1. Which function of it grows without limit
 * as it goes to 0?
 * hint: Your losses lie between 0 and 1. Take minus the logarithm of the probability.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: logarithm-to-base-2
 * base: plain-loops
 * edit: logf(p)  =>  log2f(p)
 * why: Your losses are 1.4427 times too large. You took the logarithm to base 2, which counts bits. Which logarithm
 * counts nats?
 * hint: Your losses are 1.4427 times too large. Use the natural logarithm, logf.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: logarithm-to-base-10
 * base: plain-loops
 * edit: logf(p)  =>  log10f(p)
 * why: Your losses are 0.4343 times what they should be. You took the logarithm to base 10. Which logarithm counts
 * nats?
 * hint: Your losses are 0.4343 times what they should be. Use the natural logarithm, logf.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: small-number-in-the-logarithm
 * base: plain-loops
 * each: SMALL = 1e-8f; 1e-5f; 1e-6f; 1e-7f; 1e-10f; 1e-12f; 1e-9f
 * edit: logf(p)  =>  logf(p + SMALL)
 * why: Losses of small probabilities come out too small. You added a small number to keep the logarithm finite. Should
 * a model that gives the right token no probability at all get a finite loss?
 * hint: Losses of small probabilities come out too small. Take the logarithm of the probability as it is.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: smallest-probability-set
 * base: plain-loops
 * each: LIMIT = 1e-10f; 1e-5f; 1e-6f; 1e-7f; 1e-8f; 1e-12f; 1e-9f
 * edit: logf(p)  =>  logf(fmaxf(p, LIMIT))
 * why: Your loss never exceeds a limit. You raised small probabilities to keep the logarithm finite. Should a model
 * that gives the right token no probability at all get a finite loss?
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
 * why: Your losses do not depend on the targets. You read the largest probability of the row. Which probability is the
 * loss about?
 * hint: Your losses do not depend on the targets. Read the probability of the target.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: weighted-by-the-probability
 * base: plain-loops
 * edit: -logf(p)  =>  -p * logf(p)
 * why: Unlikely targets cost almost nothing. You multiplied the logarithm by the probability, as in an entropy. How
 * much weight does the true distribution put on the target?
 * hint: Your losses are too small, and unlikely targets cost almost nothing. The factor in front of the logarithm is
 * 1.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: logarithms-of-all-tokens
 * base: sum-over-a-one-hot-row
 * edit: if (v == targets[i]) losses[i] -= logf  =>  losses[i] -= (v == targets[i]) * logf
 * why: Your losses are NaN where any token has probability 0, as padding does. You multiplied all logarithms by 0 or
 * 1, and 0 times infinity is NaN. Whose logarithm is needed?
 * hint: Your losses are NaN where a token of the row has probability 0. Take the logarithm of the target's
 * probability only.
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
 * why: Your losses do not depend on the targets. You computed the entropy of the whole row. How many probabilities of
 * the row does the loss need?
 * hint: Your losses do not depend on the targets. No sum is needed: read the probability of the target.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: divided-by-the-positions
 * base: plain-loops
 * edit: -logf(p)  =>  -logf(p) / (B * T)
 * why: Your losses are B * T times too small. You divided by the number of positions. Who takes the mean?
 * hint: Your losses are too small, by the factor B * T. Write the loss of each position as it is.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: losses-go-on
 * base: plain-loops
 * each: GOES_ON = t > 0; b + t > 0
 * edit: = -logf(p)  =>  = (GOES_ON ? losses[b * T + t - 1] : 0) - logf(p)
 * why: The first loss is right, and each later one contains those before. You stored a running sum. Whose loss
 * belongs to position (b, t)?
 * hint: The first loss is right, and each later one contains those before. Store the loss of this position alone.
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
 * why: Only the first entry is written, with a mean. The array losses holds one number for every position. Who takes
 * the mean?
 * hint: Only the first entry is written, with the mean of all. Write every position's loss to its own entry.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: positions-before-sequences
 * base: plain-loops
 * edit: losses[b * T + t]  =>  losses[t * B + b]
 * why: Your losses are right but stand in another order. You wrote them as (T, B). Which entry belongs to position (b,
 * t)?
 * hint: Your losses are right, but stand in another order. The losses of one sequence stand side by side.
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
 * why: Your kernel is right when it is called once, and later calls still use the first call's targets. Your `static`
 * copy keeps them. Which targets does each call receive?
 * hint: Your kernel is right when it is called once. A later call still uses the targets of the first call: your
 * copy of them is `static`. Read the argument in every call.
 * section: numbers-in-c
 */

/* crossentropy_forward: loss-of-the-other-tokens
 * base: plain-loops
 * edit: -logf(p)  =>  -logf(1.0f - p)
 * why: A likely target costs much. You took the logarithm of the probability of all other tokens. Which probability is
 * the loss about?
 * hint: A likely target costs much in your losses. Take the logarithm of the target's own probability.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: logarithm-of-the-rest
 * base: plain-loops
 * edit: -logf(p)  =>  logf(1.0f - p)
 * why: Your losses are negative, and targets of probability 1 give minus infinity. You took the logarithm of 1 - p.
 * Where does the minus stand in the formula?
 * hint: Your losses are negative, and targets of probability 1 give minus infinity. The minus stands in front of the
 * logarithm, not inside it.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: first-row-for-all
 * base: plain-loops
 * edit: (b * T + t) * Vp + target  =>  target
 * why: Position 0 is right, and all others read its probabilities. The offset of the position is missing. Where does
 * the row of position (b, t) begin?
 * hint: Position 0 is right, and all others read its probabilities. Row (b, t) of probs comes after T rows for each
 * earlier sequence and t more, each of Vp entries.
 * section: rows-and-strides
 */

/* crossentropy_forward: row-of-the-sequence
 * base: plain-loops
 * edit: (b * T + t) * Vp + target  =>  b * Vp + target
 * why: The first position of the batch is right, and others read rows that are not theirs. You chose the row of probs
 * by only one of its two indices. How many rows stand before that of (b, t)?
 * hint: The first position of the batch is right, and others read rows that are not theirs. Row (b, t) of probs comes
 * after T rows for each earlier sequence and t more, each of Vp entries.
 * section: rows-and-strides
 */

/* crossentropy_forward: rows-of-length-t
 * base: plain-loops
 * edit: (b * T + t) * Vp + target  =>  (b * T + t) * T + target
 * why: Your probabilities come from other rows. You put the rows of probs T apart. How long is a row?
 * hint: Your probabilities come from other rows. Row (b, t) comes after T rows for each earlier sequence and t more,
 * each of Vp entries.
 * section: rows-and-strides
 */

/* crossentropy_forward: targets-in-columns
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t * B + b]
 * why: Your targets belong to other positions. You read them as (T, B). Which entry belongs to position (b, t)?
 * hint: Your targets belong to other positions. The entry of (b, t) comes after T entries for each earlier sequence,
 * and t more.
 * section: rows-and-strides
 */

/* crossentropy_forward: losses-of-one-sequence
 * base: plain-loops
 * edit: losses[b * T + t]  =>  losses[t]
 * why: The first T entries hold the losses of the last sequence, and the others are not written. Every sequence
 * overwrites the one before. Which entry belongs to position (b, t)?
 * hint: The first T entries hold the losses of the last sequence, the others are not written. The entry of (b, t) comes
 * after T entries for each earlier sequence, and t more.
 * section: rows-and-strides
 */

/* crossentropy_forward: added-to-what-was-there
 * base: plain-loops
 * edit: losses[b * T + t] =  =>  losses[b * T + t] +=
 * why: Your losses contain what stood there before the call. You added to it, but only backward kernels add. Which
 * assignment does a forward kernel use?
 * hint: Your losses contain what stood there before the call. A forward kernel assigns and does not add.
 * section: arrays-only-written
 */

/* crossentropy_forward: logarithm-of-one-more
 * base: plain-loops
 * edit: -logf(p)  =>  -log1pf(p)
 * why: A probability of 1 has a loss of -0.69. You took the logarithm of 1 + p. Of which number should it be taken?
 * hint: A probability of 1 has a loss of -0.69. Take the logarithm of p itself.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: divided-by-the-length
 * base: plain-loops
 * edit: -logf(p)  =>  -logf(p) / T
 * why: Your losses are T times too small. You divided by the number of positions. Who takes the mean?
 * hint: Your losses are too small by the factor T. Write each position's loss as it is.
 * section: crossentropy-kernel
 */

/* crossentropy_forward: rows-with-b-and-t-mixed
 * base: plain-loops
 * edit: (b * T + t) * Vp + target  =>  (b * Vp + t) * T + target
 * why: Your probabilities come from other rows. You exchanged two factors of the offset. How many entries does a
 * sequence have, and how many a row?
 * hint: Your probabilities come from other rows. Row (b, t) comes after T rows for each earlier sequence and t more,
 * each of Vp entries.
 * section: rows-and-strides
 */

/* crossentropy_forward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence is not written. Your loop ends one position too early. Which condition makes
 * it run T times from 0?
 * hint: The last position of every sequence is not written. Let t run from 0 to T - 1.
 * section: numbers-in-c
 */

/* crossentropy_forward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence is not written. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence is not written. Let the loop begin at t = 0.
 * section: numbers-in-c
 */

/* crossentropy_forward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence is not written. Your loop ends one sequence too early. Which condition makes it run B times
 * from 0?
 * hint: The last sequence is not written. Let b run from 0 to B - 1.
 * section: numbers-in-c
 */

/* layernorm_forward: epsilon-as-a-lower-limit
 * each: ROOT = sqrtf(fmaxf(squares / C, 1e-5f)); fmaxf(sqrtf(squares / C), 1e-5f)
 * edit: sqrtf(squares / C + 1e-5f)  =>  ROOT
 * why: Rows that hardly vary come out too large. You used the epsilon as a lower limit. What does the formula do with it?
 * hint: Rows that hardly vary come out too large. The epsilon is added to the variance of every row, inside the root.
 * section: layernorm-kernel
 */

/* matmul_forward: sum-goes-on-without-bias
 * base: plain-loops
 * edit: for (int b = 0; b < B; b++) {  =>  float sum = 0.0f; for (int b = 0; b < B; b++) {
 * edit: float sum = bias != NULL ? bias[o] : 0.0f;  =>  if (bias != NULL) sum = bias[o];
 * why: Without a bias, every output contains all those before it. You set the sum to the bias where there is one, and
 * do not reset it otherwise. With which number should a sum without a bias begin?
 * hint: Without a bias, every output contains all those before it. Start each sum at bias[o] or, where bias is NULL, at 0.
 * section: numbers-in-c
 */

/* matmul_forward: sum-goes-on-without-bias-variant-2
 * base: plain-loops
 * edit: for (int o = 0; o < OC; o++) {  =>  float sum = 0.0f; for (int o = 0; o < OC; o++) {
 * edit: float sum = bias != NULL ? bias[o] : 0.0f;  =>  if (bias != NULL) sum = bias[o];
 * why: Without a bias, every output channel contains those before it. You set the sum to the bias where there is one,
 * and do not reset it otherwise. With which number should a sum without a bias begin?
 * hint: Without a bias, every output channel contains those before it. Start each sum at bias[o] or, where bias is NULL,
 * at 0.
 * section: numbers-in-c
 */

/* gelu_forward: sigmoid-for-half-of-one-plus-tanh
 * edit: 0.5f * x * (1.0f + tanhf(scale * (x + 0.044715f * x * x * x)))  =>  x / (1.0f + expf(-scale * (x + 0.044715f * x * x * x)))
 * why: Your values are too close to x/2. You replaced (1 + tanh(u)) / 2 by the sigmoid of u. Which argument must a
 * sigmoid have to equal (1 + tanh(u)) / 2?
 * hint: Your values are too close to x/2. The sigmoid that equals (1 + tanh(u)) / 2 has twice the argument.
 * section: gelu-kernel
 */

/* softmax_forward: rows-without-padding-variant-2
 * base: plain-loops
 * edit: logits + (b * T + t) * Vp  =>  logits + (b * T + t) * V
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * edit: int v = V; v < Vp; v++  =>  int v = V; v < (b < B - 1 || t < T - 1 ? V : V + B * T * (Vp - V)); v++
 * why: Only the first row is right, and the zeros of all rows' padding stand together at the end of probs. You put rows
 * V numbers apart. How many columns has a row in memory?
 * hint: From the second row on, your rows begin too early. Row (b, t) comes after T rows for each earlier sequence and
 * t more, each of Vp entries, and ends with zeros.
 * section: padded-vocabulary
 */
