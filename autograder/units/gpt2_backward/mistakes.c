/* Wrong implementations of the tasks of gpt2_backward, each with the misconception behind it.
 *
 * Every entry is wrong in one respect only. When two would give the same results, the first is named.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* encoder_backward: both-overwritten
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] = d[c]
 * edit: dposition[c] += d[c]  =>  dposition[c] = d[c]
 * why: Both tables were written with `=`. A row that is used many times then keeps the gradient of its last use
 * alone.
 * hint: Rows that are used more than once hold only their last gradient, and what stood in the tables is gone. Write
 * `+=`.
 * section: gradients-are-added
 */

/* encoder_backward: tokens-overwritten
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] = d[c]
 * why: The token's row was written with `=`. A token that occurs twice then keeps the gradient of its last position
 * alone.
 * hint: Tokens that occur more than once hold only their last gradient. Write `+=`: a row collects from every
 * position of its token.
 * section: gradients-are-added
 */

/* encoder_backward: positions-overwritten
 * base: plain-loops
 * edit: dposition[c] += d[c]  =>  dposition[c] = d[c]
 * why: The position's row was written with `=`. Every sequence uses the same positions, so only the last sequence is
 * left.
 * hint: Your dwpe holds the last sequence's gradients. Write `+=`: a position's row collects from all sequences.
 * section: gradients-are-added
 */

/* encoder_backward: no-gradient-for-tokens
 * base: plain-loops
 * edit: float *dtoken = dwte + inp[b * T + t] * C;  =>  (void)dwte, (void)inp;
 * edit: dtoken[c] += d[c];  =>
 * why: Only the positions got a gradient. The sum of the forward pass has two terms, and both get all of it.
 * hint: Your dwte stays as it was. Add the same gradient to the row of the token.
 * section: table-gradients
 */

/* encoder_backward: no-gradient-for-positions
 * base: plain-loops
 * edit: float *dposition = dwpe + t * C;  =>  (void)dwpe;
 * edit: dposition[c] += d[c];  =>
 * why: Only the tokens got a gradient. The sum of the forward pass has two terms, and both get all of it.
 * hint: Your dwpe stays as it was. Add the same gradient to the row of the position.
 * section: table-gradients
 */

/* encoder_backward: half-for-each
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] += d[c] / 2
 * edit: dposition[c] += d[c]  =>  dposition[c] += d[c] / 2
 * why: The gradient was shared out between token and position. A sum hands its whole gradient to each of its terms.
 * hint: Both of your gradients are half of what they should be. Each term of a sum gets the whole gradient.
 * section: table-gradients
 */

/* encoder_backward: positions-of-the-first-sequence
 * base: plain-loops
 * edit: dposition[c] += d[c];  =>  if (b == 0) dposition[c] += d[c];
 * why: The positions collect from the first sequence only. All sequences used them.
 * hint: Your dwpe misses all sequences but the first. Add in every round of the loop over b.
 * section: table-gradients
 */

/* encoder_backward: averaged-over-the-batch
 * base: plain-loops
 * edit: dposition[c] += d[c]  =>  dposition[c] += d[c] / B
 * why: The gradients of the positions were divided by B. They are summed: the mean, where one is wanted, is in the
 * loss.
 * hint: Your dwpe is too small by the factor B. Sum over the batch, do not average.
 * section: table-gradients
 */

/* encoder_backward: positions-go-on-counting
 * base: plain-loops
 * edit: dwpe + t * C  =>  dwpe + (b * T + t) * C
 * why: The row of dwpe was computed from b * T + t, which counts on from one sequence to the next. Every sequence
 * begins at position 0.
 * hint: Each sequence adds to rows of dwpe of its own. The row is t, the same for all sequences.
 * section: table-gradients
 */

/* encoder_backward: position-for-id
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)inp;
 *     for (int b = 0; b < B; b++) {
 * edit: inp[b * T + t]  =>  t
 * why: The gradient went to row t of dwte. It belongs to the row that the forward pass read, that of the id.
 * hint: Your dwte collects by position, not by token. Its row is inp[b * T + t].
 * section: table-gradients
 */

/* encoder_backward: same-ids-in-every-sequence
 * base: plain-loops
 * edit: inp[b * T + t]  =>  inp[t]
 * why: The id was read at inp[t], so every sequence's gradients go to the tokens of the first. Sequence b starts at
 * entry b * T.
 * hint: The gradients of later sequences go to the tokens of the first one. The id of position (b, t) is inp[b * T +
 * t].
 * section: addresses-on-the-way-back
 */

/* encoder_backward: same-gradients-in-every-sequence
 * base: plain-loops
 * edit: (b * T + t)  =>  t
 * why: The offset into dout has no b in it. Every sequence adds the gradients of the first.
 * hint: Your sums repeat the first sequence. Row (b, t) of dout begins at (b * T + t) * C.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: table-rows-of-length-t
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t] * T
 * why: The rows of dwte were taken to be T long. They are C long, whatever the sequences' length is.
 * hint: Your gradients begin in the middle of other tokens' rows. A row of dwte has C entries.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: positions-cleared-first
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     memset(dwpe, 0, sizeof(float) * T * C);
 *     for (int b = 0; b < B; b++) {
 * why: The rows of the positions were set to 0 before the sum. What stood there belonged to the same gradient, and
 * clearing is the caller's task.
 * hint: What stood in dwpe is gone. A backward kernel never clears: it adds to what is there.
 * section: gradients-are-added
 */

/* encoder_backward: ids-in-one-byte
 * base: plain-loops
 * edit:
 *     const float *d = dout + (b * T + t) * C;
 * =>
 *     size_t row = (size_t)b * T + t;
 *     const float *d = dout + row * C;
 * edit: *dtoken = dwte + inp[b * T + t]  =>  *token = dwte + (unsigned char)inp[row]
 * edit: *dposition = dwpe + t * C  =>  *position = dwpe + (size_t)t * C
 * edit: dtoken[c]  =>  token[c]
 * edit: dposition[c]  =>  position[c]
 * why: The id went through a type of one byte, which counts to 255 and begins at 0 again. GPT-2 has 50,257 tokens.
 * hint: Gradients of ids above 255 end in the row of another token. Keep ids in an `int`, or in a `size_t` for the
 * address.
 * section: table-gradients
 */

/* encoder_backward: table-of-the-first-call
 * base: plain-loops
 * edit: float *dtoken = dwte +  =>  static float *table; if (table == NULL) table = dwte; float *dtoken = table +
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the address of dwte, and a
 * later call with another table adds to the first one.
 * hint: Your kernel is right when it is called once. In a later call it still adds to the dwte of the first call:
 * leave out `static`, and use the argument.
 * section: gradients-are-added
 */

/* encoder_backward: opposite-sign
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] -= d[c]
 * edit: dposition[c] += d[c]  =>  dposition[c] -= d[c]
 * why: The gradient was subtracted. A sum hands its gradient on as it is.
 * hint: Both tables have the opposite sign. Add with +=.
 * section: table-gradients
 */

/* encoder_backward: last-channel-left-out
 * base: plain-loops
 * edit: c < C  =>  c < C - 1
 * why: The loop over the channels ends at C - 2. With `c < C` the last one is C - 1 already.
 * hint: The last channel of every row gets no gradient. A loop from 0 with `c < C` runs C times.
 * section: table-gradients
 */

/* encoder_backward: position-of-the-sequence
 * base: plain-loops
 * edit: dwpe + t * C  =>  dwpe + b * C
 * why: The row of dwpe was chosen by b, the number of the sequence. A position is counted within its sequence: it
 * is t.
 * hint: All positions of a sequence add to one row. The row of dwpe is t.
 * section: table-gradients
 */

/* encoder_backward: position-of-the-token-id
 * base: plain-loops
 * edit: dwpe + t * C  =>  dwpe + inp[b * T + t] * C
 * why: The row of dwpe was chosen by the token. A position vector belongs to a place in the sequence.
 * hint: Your position gradients follow the tokens. The row of dwpe is t.
 * section: table-gradients
 */

/* encoder_backward: gradients-in-columns
 * base: plain-loops
 * edit: dout + (b * T + t) * C  =>  dout + (t * B + b) * C
 * why: dout was read at row t * B + b, as if it were (T, B, C). It is (B, T, C).
 * hint: Your gradients belong to other positions. Row (b, t) of dout begins at (b * T + t) * C.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: sequences-one-row-apart
 * base: plain-loops
 * edit: dout + (b * T + t) * C  =>  dout + (b + t) * C
 * why: Sequence b of dout was read from row b on. A sequence has T rows.
 * hint: Only the first sequence is right. Row (b, t) of dout begins at (b * T + t) * C.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: averaged-over-the-sequence
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] += d[c] / T
 * why: The gradient of a token was divided by T. A table collects the sum.
 * hint: Your dwte is too small by the factor T. Leave the division out.
 * section: table-gradients
 */

/* encoder_backward: averaged-over-all-positions
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] += d[c] / (B * T)
 * edit: dposition[c] += d[c]  =>  dposition[c] += d[c] / (B * T)
 * why: The gradients were divided by B * T. The mean is in dout already: the loss put it there.
 * hint: Both tables are too small by the factor B * T. Leave the division out.
 * section: table-gradients
 */

/* encoder_backward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence counts in no gradient. A loop from 0 with `t < T` runs T times.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence counts in no gradient. Let the loop begin at t = 0.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence counts in no gradient. A loop from 0 with `b < B` runs B times.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: only-one-sequence
 * base: plain-loops
 * edit: b < B  =>  b < 1
 * why: The loop over the sequences makes one round. There are B.
 * hint: Only the first sequence counts in your gradients. Let b run to B.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: one-table-twice
 * base: plain-loops
 * each: TABLE = dtoken; dposition
 * edit: TABLE[c] += d[c]  =>  TABLE[c] += 2.0f * d[c]
 * why: One of the tables got the gradient twice. The forward pass adds one row of each table.
 * hint: One of your two tables is too large by the factor 2. Add dout to each of them once.
 * section: table-gradients
 */

/* layernorm_backward: input-gradient-overwritten
 * base: plain-loops
 * edit: dx[c] += rstd[i] * (g - mean_g - n * mean_gn)  =>  dx[c] = rstd[i] * (g - mean_g - n * mean_gn)
 * why: dinp was written with `=`. The input of a layer norm is also that of the residual connection, whose gradient
 * stands there already.
 * hint: What stood in dinp is gone. Add to it with `+=`.
 * section: gradients-are-added
 */

/* layernorm_backward: parameter-gradients-overwritten
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] = d[c]
 * edit: dweight[c] += d[c] * n  =>  dweight[c] = d[c] * n
 * why: dweight and dbias were written with `=`. Every position uses them, so only the last one is left.
 * hint: Your dweight and dbias hold the last position's gradients. They are sums over all positions: write `+=`.
 * section: gradients-are-added
 */

/* layernorm_backward: no-path-through-the-statistics
 * base: plain-loops
 * edit:
 *     float mean_g = 0.0f, mean_gn = 0.0f;
 *     for (int c = 0; c < C; c++) {
 *         float n = (x[c] - mean[i]) * rstd[i];
 *         float g = d[c] * weight[c];
 *         mean_g += g / C;
 *         mean_gn += g * n / C;
 *     }
 * =>
 * edit: (g - mean_g - n * mean_gn)  =>  g
 * why: Mean and standard deviation were taken as constants. They depend on every channel of the row, and what flows
 * back through them are the two terms that you have left out.
 * hint: Your dinp is rstd * g alone. Two terms are missing: the mean of g, and n times the mean of g * n.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-path-through-the-deviation
 * base: plain-loops
 * edit: float mean_g = 0.0f, mean_gn = 0.0f;  =>  float mean_g = 0.0f;
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     mean_g += g / C;
 * =>
 *
 *     float g = d[c] * weight[c];
 *     mean_g += g / C;
 * edit: mean_gn += g * n / C;  =>
 * edit: g - mean_g - n * mean_gn  =>  g - mean_g
 * why: The standard deviation was taken as a constant. It depends on every channel of the row, which gives the term
 * with the mean of g * n.
 * hint: In your dinp the term n * mean(g * n) is missing, the path through the standard deviation. Subtract it
 * inside the bracket.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-path-through-the-mean
 * base: plain-loops
 * edit: float mean_g = 0.0f, mean_gn = 0.0f;  =>  float mean_gn = 0.0f;
 * edit: mean_g += g / C;  =>
 * edit: g - mean_g  =>  g
 * why: The mean was taken as a constant. It depends on every channel of the row, which gives the term with the mean
 * of g.
 * hint: In your dinp the mean of g is missing, the path through the mean. Subtract it inside the bracket.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-for-means
 * base: plain-loops
 * edit: mean_g += g / C  =>  mean_g += g
 * edit: g * n / C  =>  g * n
 * why: The two sums were not divided by C. Mean and variance are means, and so are the terms that come back through
 * them.
 * hint: The two terms that you subtract in dinp are C times too large. Divide both sums by C.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-forgotten
 * base: plain-loops
 * edit:
 *     for (int i = 0; i < B * T; i++) {
 * =>
 *     (void)weight;
 *     for (int i = 0; i < B * T; i++) {
 * edit:
 *     float g = d[c] * weight[c];
 *     mean_g += g / C;
 * =>
 *     float g = d[c];
 *     mean_g += g / C;
 * edit:
 *     float g = d[c] * weight[c];
 *     dbias[c] += d[c];
 * =>
 *     float g = d[c];
 *     dbias[c] += d[c];
 * why: The gradient that arrives was not multiplied by the weight. The normalised input was, on the way forward.
 * hint: Your dinp is right only where the weight is 1. Start from g = dout * weight.
 * section: layernorm-gradients
 */

/* layernorm_backward: rstd-forgotten
 * base: plain-loops
 * edit: rstd[i] * (g - mean_g - n * mean_gn)  =>  (g - mean_g - n * mean_gn)
 * why: The bracket was not multiplied by rstd. The row was divided by its standard deviation, and so is its
 * gradient.
 * hint: Your dinp is off by one factor in each row: rstd. Multiply the bracket by it.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-go-on
 * base: plain-loops
 * edit: float mean_g = 0.0f, mean_gn = 0.0f;  =>
 * edit:
 *     for (int i = 0; i < B * T; i++) {
 * =>
 *     float mean_g = 0.0f, mean_gn = 0.0f;
 *     for (int i = 0; i < B * T; i++) {
 * why: The two means are set to 0 once, before the loop over the rows. Every row then carries those of all rows
 * before it.
 * hint: Your first row of dinp is right, and the later ones are not. Start both means at 0 in every row.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-of-the-raw-input
 * base: plain-loops
 * each: INPUT = x[c]; x[c] * rstd[i]
 * edit: d[c] * n  =>  d[c] * INPUT
 * why: dweight was multiplied by the input without subtracting its mean. The weight multiplies the normalised input in
 * the forward pass.
 * hint: The mean is not subtracted in your dweight. Its factor is the normalised input, (inp - mean) * rstd.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-not-scaled
 * base: plain-loops
 * edit: d[c] * n  =>  d[c] * (x[c] - mean[i])
 * why: dweight was multiplied by the input minus its mean, without rstd. The weight multiplies the normalised input
 * in the forward pass.
 * hint: Your dweight lacks the factor rstd. Its factor is the normalised input, (inp - mean) * rstd.
 * section: layernorm-gradients
 */

/* layernorm_backward: parameter-gradients-with-weight
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += g
 * edit: d[c] * n  =>  g * n
 * why: dweight and dbias were computed from dout * weight. The weight is a factor on the way to the input alone.
 * hint: Your dweight and dbias contain the weight as a factor. Take dout as it arrives.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-parameter-gradients
 * base: plain-loops
 * edit:
 *     for (int i = 0; i < B * T; i++) {
 * =>
 *     (void)dweight, (void)dbias;
 *     for (int i = 0; i < B * T; i++) {
 * edit:
 *     dbias[c] += d[c];
 *     dweight[c] += d[c] * n;
 * =>
 * why: Only the input got a gradient. Weight and bias are parameters, and learn from theirs.
 * hint: Your dweight and dbias stay as they were. Add dout * normalised input to the one and dout to the other.
 * section: layernorm-gradients
 */

/* layernorm_backward: averaged-over-the-positions
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += d[c] / (B * T)
 * edit: d[c] * n  =>  d[c] * n / (B * T)
 * why: dweight and dbias were divided by the number of positions. They are sums: the mean, where one is wanted, is
 * in the loss.
 * hint: Your dweight and dbias are too small by the factor B * T. Sum over the positions, do not average.
 * section: layernorm-gradients
 */

/* layernorm_backward: statistics-of-the-first-sequence
 * base: plain-loops
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     mean_g += g / C;
 * =>
 *     float n = (x[c] - mean[i % T]) * rstd[i % T];
 *     float g = d[c] * weight[c];
 *     mean_g += g / C;
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     dbias[c] += d[c];
 * =>
 *     float n = (x[c] - mean[i % T]) * rstd[i % T];
 *     float g = d[c] * weight[c];
 *     dbias[c] += d[c];
 * edit: rstd[i] * (g - mean_g - n * mean_gn)  =>  rstd[i % T] * (g - mean_g - n * mean_gn)
 * why: mean and rstd were read at t, so that every sequence uses those of the first. They are (B, T), like the
 * positions.
 * hint: Your gradients are right for the first sequence alone. Position (b, t) has entry b * T + t of mean and rstd.
 * section: addresses-on-the-way-back
 */

/* layernorm_backward: weight-gradient-overwritten
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  dweight[c] = d[c] * n
 * why: dweight was written with `=`. Every position uses the weight, so only the last one is left of its gradient.
 * hint: Your dweight holds the last position's gradient. It is a sum over all positions: write `+=`.
 * section: gradients-are-added
 */

/* layernorm_backward: bias-gradient-overwritten
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] = d[c]
 * why: dbias was written with `=`. Every position uses the bias, so only the last one is left of its gradient.
 * hint: Your dbias holds the last position's gradient. It is a sum over all positions: write `+=`.
 * section: gradients-are-added
 */

/* layernorm_backward: buffer-of-the-first-call
 * base: plain-loops
 * edit:
 *     float mean_g = 0.0f, mean_gn = 0.0f;
 * =>
 *     float mean_g = 0.0f, mean_gn = 0.0f; static float *kept; if (kept == NULL) kept = malloc(C * sizeof(float));
 * edit: mean_gn += g * n / C;  =>  mean_gn += g * n / C; kept[c] = g;
 * edit: rstd[i] * (g -  =>  rstd[i] * (kept[c] -
 * why: A `static` variable keeps its value from one call to the next. Here it keeps memory for the C numbers of a
 * row, as many as the first call has. A later call has wider rows and writes past the end.
 * hint: Your kernel is right when it is called once. A later call may have a larger C: your `static` buffer is too
 * small for it. Compute the normalised input again where you need it.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-of-the-last-call
 * base: plain-loops
 * edit: float mean_g = 0.0f, mean_gn = 0.0f;  =>  static float mean_g, mean_gn; if (i > 0) mean_g = mean_gn = 0.0f;
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the two sums, which are set to
 * 0 at the end of every row but the last.
 * hint: Your kernel is right when it is called once. A later call begins with the sums of the call before: they
 * are `static`. Set them to 0 at the beginning of every row.
 * section: layernorm-gradients
 */

/* layernorm_backward: bias-gradient-with-weight
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += g
 * why: The gradient of the bias was multiplied by the weight. The bias is added after that multiplication.
 * hint: Your dbias is too large by the factor weight. It is the sum of dout.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-with-weight
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  dweight[c] += g * n
 * why: The gradient of the weight was multiplied by the weight itself. The derivative of weight * n by weight is
 * n.
 * hint: Your dweight is too large by the factor weight. It is the sum of dout times the normalised input.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-without-input
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  dweight[c] += d[c]
 * why: The gradient of the weight lacks the normalised input. What is left is the gradient of the bias.
 * hint: Your dweight equals dbias. Multiply dout by the normalised input.
 * section: layernorm-gradients
 */

/* layernorm_backward: first-sum-for-mean
 * base: plain-loops
 * edit: mean_g += g / C  =>  mean_g += g
 * why: The first of the two terms is a sum that was not divided by C. Every channel has a share of 1/C in the
 * mean.
 * hint: Your first term is too large by the factor C: it is the mean of dout * weight over the row.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-sum-for-mean
 * base: plain-loops
 * edit: mean_gn += g * n / C  =>  mean_gn += g * n
 * why: The second of the two terms is a sum that was not divided by C. Every channel has a share of 1/C in the
 * variance.
 * hint: Your second term is too large by the factor C: it is the mean of dout * weight * n over the row.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-term-without-the-input
 * base: plain-loops
 * edit: n * mean_gn  =>  mean_gn
 * why: The second mean was subtracted as it is. It is multiplied by the normalised input of the channel.
 * hint: Your second term is the same for all channels. Multiply it by n.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-term-added
 * base: plain-loops
 * edit: - n * mean_gn  =>  + n * mean_gn
 * why: The second term was added. It is subtracted, like the first.
 * hint: Your second term has the wrong sign. Both means are subtracted.
 * section: layernorm-gradients
 */

/* layernorm_backward: first-term-added
 * base: plain-loops
 * edit: (g - mean_g  =>  (g + mean_g
 * why: The first term was added. It is subtracted, like the second.
 * hint: Your first term has the wrong sign. Both means are subtracted.
 * section: layernorm-gradients
 */

/* layernorm_backward: rstd-twice
 * base: plain-loops
 * edit: rstd[i] * (g  =>  rstd[i] * rstd[i] * (g
 * why: The gradient of the input was multiplied by rstd twice. Once is right: n already contains its own.
 * hint: Your dinp is too large by the factor rstd. Multiply by rstd once.
 * section: layernorm-gradients
 */

/* layernorm_backward: divided-by-rstd
 * base: plain-loops
 * edit: rstd[i] * (g  =>  1.0f / rstd[i] * (g
 * why: The gradient of the input was divided by rstd. It is multiplied by it: the input was.
 * hint: Your dinp is off by the factor rstd squared. Multiply by rstd.
 * section: layernorm-gradients
 */

/* layernorm_backward: mean-not-subtracted
 * base: plain-loops
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     mean_g
 * =>
 *     float n = x[c] * rstd[i];
 *     float g = d[c] * weight[c];
 *     mean_g
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     dbias
 * =>
 *     float n = x[c] * rstd[i];
 *     float g = d[c] * weight[c];
 *     dbias
 * why: The normalised input was computed without subtracting the mean. The forward pass multiplies the weight by
 * (x - mean) * rstd.
 * hint: Your dweight is off by the means of the rows. The normalised input is (x - mean) * rstd.
 * section: layernorm-gradients
 */

/* layernorm_backward: normalised-input-divided-by-rstd
 * base: plain-loops
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     mean_g
 * =>
 *     float n = (x[c] - mean[i]) / rstd[i];
 *     float g = d[c] * weight[c];
 *     mean_g
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     dbias
 * =>
 *     float n = (x[c] - mean[i]) / rstd[i];
 *     float g = d[c] * weight[c];
 *     dbias
 * why: The normalised input was divided by rstd. rstd is 1 over the standard deviation, so multiply by it.
 * hint: Your normalised input is too large. It is (x - mean) * rstd.
 * section: layernorm-gradients
 */

/* layernorm_backward: normalised-input-not-scaled
 * base: plain-loops
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     mean_g
 * =>
 *     float n = x[c] - mean[i];
 *     float g = d[c] * weight[c];
 *     mean_g
 * edit:
 *     float n = (x[c] - mean[i]) * rstd[i];
 *     float g = d[c] * weight[c];
 *     dbias
 * =>
 *     float n = x[c] - mean[i];
 *     float g = d[c] * weight[c];
 *     dbias
 * why: The normalised input was not multiplied by rstd. The forward pass multiplies the weight by (x - mean) *
 * rstd.
 * hint: Your dweight is off by the factor 1 / rstd. The normalised input is (x - mean) * rstd.
 * section: layernorm-gradients
 */

/* layernorm_backward: only-one-sequence
 * base: plain-loops
 * edit: i < B * T  =>  i < T
 * why: The loop ends after T positions. There are B * T.
 * hint: Only the first sequence counts in your gradients. Let the loop run to B * T.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-divided-by-positions
 * base: plain-loops
 * edit: g / C  =>  g / (B * T)
 * edit: g * n / C  =>  g * n / (B * T)
 * why: The two sums were divided by B * T. They have C terms each.
 * hint: Divide the sums over a row by C: there are C channels in it.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-with-opposite-sign
 * base: plain-loops
 * edit: dweight[c] += d[c]  =>  dweight[c] -= d[c]
 * why: The gradient of the weight was subtracted. The weight multiplies the normalised input, with a plus.
 * hint: Your dweight has the opposite sign. Add with +=.
 * section: gradients-are-added
 */

/* layernorm_backward: bias-gradient-averaged
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += d[c] / (B * T)
 * why: The gradient of the bias was divided by B * T. The mean is in dout already: the loss put it there.
 * hint: Your dbias is too small by the factor B * T. It is a sum over all positions.
 * section: layernorm-gradients
 */

/* layernorm_backward: input-gradient-with-opposite-sign
 * base: plain-loops
 * edit: dx[c] += rstd  =>  dx[c] -= rstd
 * why: The gradient of the input was subtracted. Gradients are added to what is there.
 * hint: Your dinp has the opposite sign. Add with +=.
 * section: gradients-are-added
 */

/* layernorm_backward: no-weight-gradient
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  (void)dweight
 * why: The weight gets no gradient. It multiplies the normalised input.
 * hint: Your dweight is as it was before the call. Add dout times the normalised input.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-bias-gradient
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  (void)dbias
 * why: The bias gets no gradient. It is added to every position.
 * hint: Your dbias is as it was before the call. Add dout.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-input-gradient
 * base: plain-loops
 * edit: dx[c] += rstd[i] * (g - mean_g - n * mean_gn)  =>  (void)dx
 * why: The input gets no gradient. The sums were computed, and nothing was made of them.
 * hint: Your dinp is as it was before the call. Add rstd * (g - mean of g - n * mean of g * n).
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-without-the-weight
 * base: plain-loops
 * edit: mean_g += g  =>  mean_g += d[c]
 * edit: mean_gn += g  =>  mean_gn += d[c]
 * why: The two means were taken of dout, without the weight. What passes through the statistics is the gradient of the
 * normalised input, dout * weight.
 * hint: The two means in your dinp lack the weight. Take them of dout * weight, as in the first term.
 * section: layernorm-gradients
 */

/* matmul_backward: input-gradient-overwritten
 * base: plain-loops
 * edit: dx[c] += d[o] * weight[o * C + c]  =>  dx[c] = d[o] * weight[o * C + c]
 * why: dinp was written with `=` inside the loop over the output channels. Every output channel uses each input, and
 * only the last one is left.
 * hint: Your dinp holds the last output channel's part alone. It is a sum over o: write `+=`.
 * section: gradients-are-added
 */

/* matmul_backward: input-gradient-cleared-first
 * base: plain-loops
 * edit:
 *     float *dx = dinp + (b * T + t) * C;
 * =>
 *     float *dx = dinp + (b * T + t) * C;
 *     memset(dx, 0, C * sizeof(float));
 * why: Each row of dinp was set to 0 before the sum. What stood there belonged to the same gradient, and clearing is
 * the caller's task.
 * hint: What stood in dinp is gone. A backward kernel never clears: it adds to what is there.
 * section: gradients-are-added
 */

/* matmul_backward: weight-gradient-overwritten
 * base: plain-loops
 * edit: dweight[o * C + c] += d[o] * x[c]  =>  dweight[o * C + c] = d[o] * x[c]
 * why: dweight was written with `=`. Every position uses the weight, and only the last one is left.
 * hint: Your dweight holds the last position's part alone. It is a sum over all positions: write `+=`.
 * section: gradients-are-added
 */

/* matmul_backward: bias-gradient-overwritten
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] = d[o]
 * why: dbias was written with `=`. Every position uses the bias, and only the last one is left.
 * hint: Your dbias holds the last position's part alone. It is a sum over all positions: write `+=`.
 * section: gradients-are-added
 */

/* matmul_backward: bias-without-test
 * base: plain-loops
 * edit: if (dbias != NULL) dbias[o] += d[o];  =>  dbias[o] += d[o];
 * why: dbias was written without asking whether there is one. Layers without a bias pass NULL.
 * hint: Your kernel writes through a NULL pointer where the layer has no bias. Ask `dbias != NULL` first.
 * section: linear-gradients
 */

/* matmul_backward: no-bias-gradient
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)dbias;
 *     for (int b = 0; b < B; b++) {
 * edit: if (dbias != NULL) dbias[o] += d[o];  =>
 * why: The bias got no gradient. It is added to every position, so its gradient is the sum of dout over all of them.
 * hint: Your dbias stays as it was. Add dout of every position to it.
 * section: linear-gradients
 */

/* matmul_backward: nothing-without-bias
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     if (dbias == NULL) return;
 *     for (int b = 0; b < B; b++) {
 * edit: if (dbias != NULL) dbias[o] += d[o];  =>  dbias[o] += d[o];
 * why: The kernel returns at once when there is no bias. Input and weight have gradients all the same.
 * hint: Where dbias is NULL nothing is added anywhere. Leave out the bias's part only.
 * section: linear-gradients
 */

/* matmul_backward: bias-gradient-in-every-term
 * base: plain-loops
 * edit: if (dbias != NULL) dbias[o] += d[o];  =>
 * edit:
 *     dx[c] += d[o] * weight[o * C + c];
 * =>
 *     if (dbias != NULL) dbias[o] += d[o];
 *     dx[c] += d[o] * weight[o * C + c];
 * why: dbias was added to inside the loop over c, once for every input channel. The bias enters each output once.
 * hint: Your dbias is C times too large. Add to it outside the loop over the input channels.
 * section: linear-gradients
 */

/* matmul_backward: weight-not-transposed
 * base: plain-loops
 * edit: d[o] * weight[o * C + c]  =>  d[o] * weight[c * OC + o]
 * why: The weight was read as (C, OC) in the backward pass. It is stored as (OC, C) as ever: only the sum runs over o
 * now.
 * hint: Your dinp mixes weights of other channels. Weight (o, c) stands at o * C + c, in the backward pass as well.
 * section: linear-gradients
 */

/* matmul_backward: weight-gradient-transposed
 * base: plain-loops
 * edit: dweight[o * C + c]  =>  dweight[c * OC + o]
 * why: dweight was written as (C, OC). It has the shape of weight, (OC, C).
 * hint: Your dweight is transposed. Entry (o, c) stands at o * C + c.
 * section: linear-gradients
 */

/* matmul_backward: weight-in-its-own-gradient
 * base: plain-loops
 * edit: const float *x = inp + (b * T + t) * C;  =>  (void)inp;
 * edit: d[o] * x[c]  =>  d[o] * weight[o * C + c]
 * why: dweight was computed from the weight. The product rule gives the other factor: the input.
 * hint: Your dweight does not depend on the input. Its factor is inp, the other one of the product.
 * section: linear-gradients
 */

/* matmul_backward: averaged-over-the-positions
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[o] / (B * T)
 * edit: d[o] * x[c]  =>  d[o] * x[c] / (B * T)
 * why: dweight and dbias were divided by the number of positions. They are sums: the mean, where one is wanted, is
 * in the loss.
 * hint: Your dweight and dbias are too small by the factor B * T. Sum over the positions, do not average.
 * section: linear-gradients
 */

/* matmul_backward: only-one-sequence
 * base: plain-loops
 * edit: (b * T + t) * OC  =>  t * OC
 * edit: *x = inp + (b * T + t) * C  =>  *x = inp + t * C
 * edit: dinp + (b * T + t) * C  =>  dinp + t * C
 * why: The offsets have no b in them, so every round of the outer loop uses the first sequence. The others get no
 * gradient and give none.
 * hint: Your gradients repeat the first sequence. Position (b, t) is row b * T + t of dout, inp and dinp.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: gradient-rows-of-length-c
 * base: plain-loops
 * edit: (b * T + t) * OC  =>  (b * T + t) * C
 * why: The rows of dout were taken to be C long. They have the length of the output, OC.
 * hint: Only the first position is right. Row (b, t) of dout begins at (b * T + t) * OC.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: array-for-64-outputs
 * base: helper-for-all-three
 * edit:
 *     static void axpy(float *restrict y, const float *restrict x, float a, int n) {
 *         for (int i = 0; i < n; i++) y[i] += a * x[i];
 *     }
 * =>
 * edit:
 *     for (int i = 0; i < B * T; i++) {
 * =>
 *     for (int b = 0; b < B; b++) {
 *         for (int t = 0; t < T; t++) {
 *             size_t row = (size_t)b * T + t;
 *             float *dx = dinp + row * C;
 *             for (int o = 0; o < (OC < 64 ? OC : 64); o++) {
 *                 const float *w = weight + (size_t)o * C;
 *                 float d = dout[row * OC + o];
 *                 for (int c = 0; c < C; c++) {
 *                     dx[c] += d * w[c];
 *                 }
 *             }
 *         }
 *     }
 *     for (int o = 0; o < (OC < 64 ? OC : 64); o++) {
 * edit:
 *     for (int o = 0; o < OC; o++) {
 * =>
 *     float *dw = dweight + (size_t)o * C;
 *     for (int b = 0; b < B; b++) {
 * edit: axpy(dinp + i * C, weight + o * C, dout[i * OC + o], C);  =>
 * edit:
 *     axpy(dweight + o * C, inp + i * C, dout[i * OC + o], C);
 * =>
 *     for (int t = 0; t < T; t++) {
 *         size_t row = (size_t)b * T + t;
 *         const float *x = inp + row * C;
 *         float d = dout[row * OC + o];
 *         if (dbias != NULL) {
 *             dbias[o] += d;
 *         }
 *         for (int c = 0; c < C; c++) {
 *             dw[c] += d * x[c];
 *         }
 *     }
 * edit: if (dbias != NULL) axpy(dbias, dout + i * OC, 1.0f, OC);  =>
 * why: Only the first 64 outputs take part, as if they always fitted into a small array. OC has no upper bound:
 * GPT-2's largest is the vocabulary.
 * hint: Rows of `dweight` from the 65th on stay as they were, and `dinp` lacks their part. The loop over the outputs
 * goes on to OC, whatever OC is.
 * section: linear-gradients
 */

/* matmul_backward: weights-of-the-first-call
 * base: plain-loops
 * edit:
 *         for (int b = 0; b < B; b++) {
 * =>
 *         static float *w; if (w == NULL) memcpy(w = malloc(OC * C * sizeof(float)), weight, OC * C * sizeof(float));
 *         for (int b = 0; b < B; b++) {
 * edit: d[o] * weight  =>  d[o] * w
 * why: A `static` variable keeps its value from one call to the next. Here it keeps a copy of the weights. A later
 * call has other weights, since training changes them and every layer has its own.
 * hint: Your kernel is right when it is called once. A later call still multiplies by the weights of the first
 * call: your copy of them is `static`. Use the argument.
 * section: linear-gradients
 */

/* matmul_backward: bias-gradient-of-one-output
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[0]
 * why: Every output got the gradient of output 0. Every output has a bias of its own.
 * hint: Your dbias holds one number OC times. Its entry o collects d[o].
 * section: linear-gradients
 */

/* matmul_backward: input-in-its-own-gradient
 * base: plain-loops
 * edit: d[o] * weight[o * C + c]  =>  d[o] * x[c]
 * why: The gradient of the input was multiplied by the input. It needs the weight: each of the two factors gets
 * the other one.
 * hint: Your dinp does not depend on the weight. Multiply dout by the weight.
 * section: linear-gradients
 */

/* matmul_backward: as-many-outputs-as-inputs
 * base: plain-loops
 * edit: o < OC  =>  o < C
 * why: The loop over the outputs runs to C. There are OC of them.
 * hint: Only C outputs count in your gradients, not OC.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: gradients-of-the-first-sequence
 * base: plain-loops
 * edit: dout + (b * T + t) * OC  =>  dout + t * OC
 * why: dout was read at row t. So every sequence gets the gradients of the first.
 * hint: The first sequence is right. Row (b, t) of dout begins at (b * T + t) * OC.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: inputs-of-the-first-sequence
 * base: plain-loops
 * edit: *x = inp + (b * T + t) * C  =>  *x = inp + t * C
 * why: inp was read at row t. So every sequence uses the inputs of the first.
 * hint: Your dweight is of the first sequence's inputs. Row (b, t) of inp begins at (b * T + t) * C.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: weight-gradient-averaged-over-the-batch
 * base: plain-loops
 * edit: d[o] * x[c]  =>  d[o] * x[c] / B
 * why: The gradient of the weight was divided by B. The mean is in dout already.
 * hint: Your dweight is too small by the factor B. Leave the division out.
 * section: linear-gradients
 */

/* matmul_backward: bias-gradient-of-the-last-position
 * base: plain-loops
 * edit: if (dbias != NULL)  =>  if (dbias != NULL && t == T - 1)
 * why: Only the last position of every sequence counts in the gradient of the bias. The bias is added everywhere.
 * hint: Your dbias lacks all positions but the last. It is the sum over all b and t.
 * section: linear-gradients
 */

/* matmul_backward: bias-gradient-with-input
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[o] * x[0]
 * why: The gradient of the bias was multiplied by an input. The bias is added as it is, so its gradient is the sum
 * of dout.
 * hint: Your dbias depends on inp. It is the sum of dout alone.
 * section: linear-gradients
 */

/* matmul_backward: opposite-sign
 * base: plain-loops
 * edit: dx[c] += d  =>  dx[c] -= d
 * edit: dweight[o * C + c] += d  =>  dweight[o * C + c] -= d
 * edit: dbias[o] += d  =>  dbias[o] -= d
 * why: The gradients were subtracted. A product hands its gradient on with a plus.
 * hint: All your gradients have the opposite sign. Add them with +=.
 * section: gradients-are-added
 */

/* matmul_backward: gradients-in-columns
 * base: plain-loops
 * edit: dout + (b * T + t) * OC  =>  dout + (t * B + b) * OC
 * why: dout was read at row t * B + b, as if it were (T, B, OC). It is (B, T, OC).
 * hint: Your gradients belong to other positions. Row (b, t) of dout begins at (b * T + t) * OC.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence counts in no gradient. A loop from 0 with `t < T` runs T times.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence counts in no gradient. Let the loop begin at t = 0.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence counts in no gradient. A loop from 0 with `b < B` runs B times.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: bias-gradient-averaged
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[o] / (B * T)
 * why: The gradient of the bias was divided by B * T. The mean is in dout already.
 * hint: Your dbias is too small by the factor B * T. It is a sum over all positions.
 * section: linear-gradients
 */

/* matmul_backward: weight-gradient-of-the-first-sequence
 * base: plain-loops
 * edit: dweight[o * C + c] += d  =>  if (b == 0) dweight[o * C + c] += d
 * why: Only the first sequence counts in the gradient of the weight. The weight is used in all of them.
 * hint: Your dweight lacks all sequences but the first. Sum over all b and t.
 * section: linear-gradients
 */

/* matmul_backward: weight-gradient-with-opposite-sign
 * base: plain-loops
 * edit: dweight[o * C + c] += d  =>  dweight[o * C + c] -= d
 * why: The gradient of the weight was subtracted. A product hands its gradient on with a plus.
 * hint: Your dweight has the opposite sign. Add with +=.
 * section: gradients-are-added
 */

/* matmul_backward: no-weight-gradient
 * base: plain-loops
 * edit: dweight[o * C + c] += d[o] * x[c]  =>  (void)dweight, (void)x
 * why: The weight gets no gradient. It is one of the two factors of every product.
 * hint: Your dweight is as it was before the call. Add dout times inp.
 * section: linear-gradients
 */

/* matmul_backward: no-input-gradient
 * base: plain-loops
 * edit: dx[c] += d[o] * weight[o * C + c]  =>  (void)dx, (void)weight
 * why: The input gets no gradient. It is one of the two factors of every product.
 * hint: Your dinp is as it was before the call. Add dout times weight.
 * section: linear-gradients
 */

/* matmul_backward: no-weight-gradient-without-bias
 * base: plain-loops
 * edit: dweight[o * C + c] +=  =>  if (dbias != NULL) dweight[o * C + c] +=
 * why: The weight's gradient is computed only where there is a bias. A layer without a bias has a weight all the same.
 * hint: Where dbias is NULL, your dweight gets nothing. Only the addition to dbias depends on it.
 * section: linear-gradients
 */

/* attention_backward: no-scale
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs);  =>
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i]
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i]
 * why: The factor 1 / sqrt(hs) was left out in the backward pass. The scores were multiplied by it, and so are the
 * gradients of queries and keys.
 * hint: Your dq and dk are sqrt(hs) times too large. Multiply both by the scale of the forward pass.
 * section: attention-gradients
 */

/* attention_backward: scale-on-the-queries-only
 * base: plain-loops
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i]
 * why: The factor 1 / sqrt(hs) was applied to the gradient of the queries only. Both factors of the dot product get
 * it.
 * hint: Your dk is sqrt(hs) times too large. Scale it like dq.
 * section: attention-gradients
 */

/* attention_backward: no-root-in-the-scale
 * base: plain-loops
 * edit: sqrtf(hs)  =>  hs
 * why: Queries' and keys' gradients were divided by hs. The forward pass divides by the root of hs, so the backward
 * pass does, too.
 * hint: Your dq and dk are too small by the factor sqrt(hs). The scale is 1.0f / sqrtf(hs).
 * section: attention-gradients
 */

/* attention_backward: scale-in-the-scores-gradient
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  a[u] * (da[u] - sum) * scale
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i]
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i]
 * why: The scale was multiplied into dpreatt. preatt holds the scaled scores, so the factor comes in after it, on
 * the way to q and k.
 * hint: Your dinp is right, but dpreatt is too small by the factor sqrt(hs). Apply the scale to dq and dk.
 * section: attention-gradients
 */

/* attention_backward: own-weight-only
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: sum += a[u] * da[u];  =>
 * edit: a[u] * (da[u] - sum)  =>  a[u] * (1.0f - a[u]) * da[u]
 * why: Each score's gradient was computed from its own weight, a * (1 - a) * da. A score moves all weights of its
 * row, through the sum below the fraction.
 * hint: Your dpreatt is that of a sigmoid. Subtract the sum of a * da over the row: dp = a * (da - sum).
 * section: softmax-gradient
 */

/* attention_backward: no-sum-in-the-softmax
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: sum += a[u] * da[u];  =>
 * edit: (da[u] - sum)  =>  da[u]
 * why: The sum over the row was left out. Every weight depends on all scores of the row, since they share one sum.
 * hint: The rows of your dpreatt do not sum to 0. Subtract the sum of a * da over the row: dp = a * (da - sum).
 * section: softmax-gradient
 */

/* attention_backward: no-weight-in-the-softmax
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  da[u] - sum
 * why: The difference was not multiplied by the weight. A score whose weight is almost 0 has almost no gradient.
 * hint: Your dpreatt lacks the factor a. It is a * (da - sum).
 * section: softmax-gradient
 */

/* attention_backward: sum-goes-on
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit:
 *     for (int t = 0; t < T; t++) {
 * =>
 *     float sum = 0.0f;
 *     for (int t = 0; t < T; t++) {
 * why: The sum of a * da is set to 0 once for each head, not in every row. Every query then subtracts those of all
 * queries before it.
 * hint: Your first row of dpreatt is right, the later ones are not. Start the sum at 0 for every query.
 * section: softmax-gradient
 */

/* attention_backward: weight-left-out-of-the-values
 * base: plain-loops
 * edit: a[u] * d[i]  =>  d[i]
 * why: The gradient of the values was not multiplied by the weights. A value that got weight 0.1 in the forward pass
 * gets a tenth of the gradient.
 * hint: Your dv counts every query alike. Multiply dout by the weight att[u].
 * section: attention-gradients
 */

/* attention_backward: everything-overwritten
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  dv[i] = a[u] * d[i]
 * edit: dq[i] += dp[u] * k[i] * scale  =>  dq[i] = dp[u] * k[i] * scale
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] = dp[u] * q[i] * scale
 * why: dinp was written with `=`. Keys and values are used by many queries, and each use has its part in the
 * gradient.
 * hint: Your gradients hold the last use alone. All three are sums: write `+=`.
 * section: gradients-are-added
 */

/* attention_backward: keys-and-values-overwritten
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  dv[i] = a[u] * d[i]
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] = dp[u] * q[i] * scale
 * why: The gradients of keys and values were written with `=`. Every later query uses them too, and only the last
 * one is left.
 * hint: Your dk and dv hold the last query's part alone. They are sums over all queries that may see them: write
 * `+=`.
 * section: gradients-are-added
 */

/* attention_backward: queries-overwritten
 * base: plain-loops
 * edit: dq[i] += dp[u] * k[i] * scale  =>  dq[i] = dp[u] * k[i] * scale
 * why: The gradient of a query was written with `=`. It is a sum over all keys that the query looked at.
 * hint: Your dq holds the last key's part alone. It is a sum over u: write `+=`.
 * section: gradients-are-added
 */

/* attention_backward: input-gradient-cleared-first
 * base: plain-loops
 * edit:
 *     float scale = 1.0f / sqrtf(hs);
 * =>
 *     float scale = 1.0f / sqrtf(hs);
 *     memset(dinp, 0, sizeof(float) * B * T * 3 * C);
 * why: dinp was set to 0 before anything else. Clearing is the caller's task: what stood there belongs to the same
 * gradient.
 * hint: What stood in dinp is gone. A backward kernel never clears: it adds to what is there.
 * section: gradients-are-added
 */

/* attention_backward: keys-without-gradient
 * base: plain-loops
 * edit: const float *q = inp + (b * T + t) * 3 * C + h * hs;  =>
 * edit: float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;  =>
 * edit: dk[i] += dp[u] * q[i] * scale;  =>
 * why: The keys got no gradient. A score is a dot product, and both of its factors learn.
 * hint: Your dk stays as it was, but for rounding. For every u <= t, add dp[u] * q * scale to row u of dk. (Added to row
 * t, the query's, these terms cancel.)
 * section: attention-gradients
 */

/* attention_backward: query-in-its-own-gradient
 * base: plain-loops
 * edit: dq[i] += dp[u] * k[i] * scale  =>  dq[i] += dp[u] * q[i] * scale
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] += dp[u] * k[i] * scale
 * why: The gradient of the query was computed from the query, and the key's from the key. The product rule gives the
 * other factor.
 * hint: Your dq contains q, and your dk contains k. Exchange the two: dq gets the keys, dk the query.
 * section: attention-gradients
 */

/* attention_backward: weights-gradient-for-scores
 * base: plain-loops
 * edit: dp[u] * k[i]  =>  da[u] * k[i]
 * edit: dp[u] * q[i]  =>  da[u] * q[i]
 * why: Queries and keys got their gradient from datt, past the softmax. What reaches the dot products is dpreatt.
 * hint: Your dpreatt is right, but dq and dk are computed from datt. Use dpreatt.
 * section: softmax-gradient
 */

/* attention_backward: keys-and-values-exchanged
 * base: plain-loops
 * edit:
 *     const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 *     float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * =>
 *     const float *v = inp + (b * T + u) * 3 * C + C + h * hs;
 *     float *dv = dinp + (b * T + u) * 3 * C + C + h * hs;
 * edit:
 *     const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 *     float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
 * =>
 *     const float *k = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 *     float *dk = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * why: The keys' block was taken for the values', and the other way round. For every position q comes first, then k,
 * then v.
 * hint: Your gradients of keys and values stand in each other's place. Keys begin at offset C, values at 2 * C.
 * section: addresses-on-the-way-back
 */

/* attention_backward: rows-of-length-c
 * base: plain-loops
 * edit: *q = inp + (b * T + t) * 3 * C + h * hs  =>  *q = inp + (b * T + t) * C + h * hs
 * edit: dinp + (b * T + t) * 3 * C  =>  dinp + (b * T + t) * C
 * edit: *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  *v = inp + (b * T + u) * C + 2 * C + h * hs
 * edit: dinp + (b * T + u) * 3 * C + 2 * C  =>  dinp + (b * T + u) * C + 2 * C
 * edit: *k = inp + (b * T + u) * 3 * C + C + h * hs  =>  *k = inp + (b * T + u) * C + C + h * hs
 * edit: dinp + (b * T + u) * 3 * C + C  =>  dinp + (b * T + u) * C + C
 * why: The step from one position to the next was taken to be C. Every position of inp and dinp is 3 * C wide.
 * hint: Only the first position reads its own numbers. One position of inp and dinp is 3 * C wide.
 * section: addresses-on-the-way-back
 */

/* attention_backward: every-head-is-the-first
 * base: plain-loops
 * edit: *q = inp + (b * T + t) * 3 * C + h * hs  =>  *q = inp + (b * T + t) * 3 * C
 * edit: dinp + (b * T + t) * 3 * C + h * hs  =>  dinp + (b * T + t) * 3 * C
 * edit: *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  *v = inp + (b * T + u) * 3 * C + 2 * C
 * edit: dinp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  dinp + (b * T + u) * 3 * C + 2 * C
 * edit: *k = inp + (b * T + u) * 3 * C + C + h * hs  =>  *k = inp + (b * T + u) * 3 * C + C
 * edit: dinp + (b * T + u) * 3 * C + C + h * hs  =>  dinp + (b * T + u) * 3 * C + C
 * why: The offset h * hs is missing in inp and dinp, so that all heads read and write the first one's channels. Head
 * h has channels of its own.
 * hint: The first head's channels collect everything, and the others get nothing. Head h begins at channel h * hs in
 * each block.
 * section: addresses-on-the-way-back
 */

/* attention_backward: sees-the-future
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         dp[u] += a[u] * (da[u] - sum);
 * =>
 *     for (int u = 0; u < T; u++) {
 *         dp[u] += a[u] * (da[u] - sum);
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * =>
 *     for (int u = 0; u < T; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * why: The loops run over all positions, the future included. A weight in the future is no variable: it is 0
 * whatever happens, so it has no gradient.
 * hint: Your datt is filled at the future positions. The loops over u end at t, in the backward pass as well.
 * section: the-past-on-the-way-back
 */

/* attention_backward: not-its-own-position
 * base: plain-loops
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * =>
 *     for (int u = 0; u < t; u++) {
 *         const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         dp[u] += a[u] * (da[u] - sum);
 * =>
 *     for (int u = 0; u < t; u++) {
 *         dp[u] += a[u] * (da[u] - sum);
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * =>
 *     for (int u = 0; u < t; u++) {
 *         const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
 * why: The loops over u end before t. Every position looked at itself in the forward pass, so that position has a
 * gradient, too.
 * hint: The position of the query itself gets no gradient. The loops run while u <= t.
 * section: the-past-on-the-way-back
 */

/* attention_backward: maps-left-unwritten
 * base: plain-loops
 * edit:
 *     float scale = 1.0f / sqrtf(hs);
 * =>
 *     float scale = 1.0f / sqrtf(hs);
 *     (void)datt, (void)dpreatt;
 * edit:
 *     const float *a = att + ((b * NH + h) * T + t) * T;
 * =>
 *     const float *a = att + ((b * NH + h) * T + t) * T;
 *     float da[T], dp[T];
 * edit: float *da = datt + ((b * NH + h) * T + t) * T;  =>  memset(da, 0, sizeof da);
 * edit: float *dp = dpreatt + ((b * NH + h) * T + t) * T;  =>  memset(dp, 0, sizeof dp);
 * why: The gradients of weights and scores were kept in variables, and never reached datt and dpreatt. The course
 * looks at them, as at any other gradient.
 * hint: Your dinp is right, but datt and dpreatt stay as they were. Add the two gradients to them.
 * section: attention-gradients
 */

/* attention_backward: one-map-for-all-sequences
 * base: plain-loops
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + (h * T + t) * T
 * edit: datt + ((b * NH + h) * T + t) * T  =>  datt + (h * T + t) * T
 * edit: dpreatt + ((b * NH + h) * T + t) * T  =>  dpreatt + (h * T + t) * T
 * why: The offset into the three maps has no b in it. Every sequence reads the weights of the first, and adds to its
 * maps.
 * hint: Your first sequence is right and the others use its weights. Row (b, h, t) begins at ((b * NH + h) * T + t)
 * * T.
 * section: addresses-on-the-way-back
 */

/* attention_backward: keys-overwritten
 * base: plain-loops
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] = dp[u] * q[i] * scale
 * why: The gradients of the keys were written with `=`. Every later query uses a key too, and only the last one is
 * left.
 * hint: Your dk hold the last query's part alone. They are sums over all queries that may see them: write `+=`.
 * section: gradients-are-added
 */

/* attention_backward: values-overwritten
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  dv[i] = a[u] * d[i]
 * why: The gradients of the values were written with `=`. Every later query uses a value too, and only the last one
 * is left.
 * hint: Your dv hold the last query's part alone. They are sums over all queries that may see them: write `+=`.
 * section: gradients-are-added
 */

/* attention_backward: scale-of-the-first-call
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs)  =>  static float scale; if (scale == 0) scale = 1.0f / sqrtf(hs)
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the scale. A later call has
 * heads of another width, and needs another scale.
 * hint: Your kernel is right when it is called once. A later call still uses the first call's scale: it is
 * `static`. Compute it in every call.
 * section: attention-gradients
 */

/* attention_backward: scale-of-the-whole-width
 * base: plain-loops
 * edit: sqrtf(hs)  =>  sqrtf(C)
 * why: The scale is 1/sqrt(C). It is 1/sqrt(hs), as in the forward pass: hs = C / NH is the width of a head.
 * hint: Your gradients of queries and keys are too small by the factor sqrt(NH). Use sqrtf(hs).
 * section: attention-gradients
 */

/* attention_backward: scale-on-the-keys-only
 * base: plain-loops
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i]
 * why: The scale is missing in the gradient of the queries. A score is scale * q * k, so both factors get it.
 * hint: Your dk are right and your dq are too large. Multiply both by the scale.
 * section: attention-gradients
 */

/* attention_backward: scale-twice
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  a[u] * (da[u] - sum) * scale
 * why: The scale is in dpreatt and again in dq and dk. preatt holds scaled scores, so dpreatt has no scale, and dq
 * and dk have one.
 * hint: Your dpreatt are too small by the factor sqrt(hs). The scale belongs to dq and dk alone.
 * section: attention-gradients
 */

/* attention_backward: sum-without-the-weights
 * base: plain-loops
 * edit: sum += a[u] * da[u]  =>  sum += da[u]
 * why: The sum in the softmax's gradient lacks the weights. It is sum_w att[w] * datt[w].
 * hint: Your dpreatt do not add up to 0 in a row. Multiply each datt by its weight before you sum.
 * section: softmax-gradient
 */

/* attention_backward: sum-added
 * base: plain-loops
 * edit: da[u] - sum  =>  da[u] + sum
 * why: The sum was added. The gradient of a softmax is att * (datt - sum).
 * hint: Your dpreatt do not add up to 0 in a row. Subtract the sum.
 * section: softmax-gradient
 */

/* attention_backward: mean-for-sum
 * base: plain-loops
 * edit: da[u] - sum  =>  da[u] - sum / (t + 1)
 * why: The sum was divided by the number of positions. The weights in it add up to 1 already.
 * hint: Your dpreatt do not add up to 0 in a row. Subtract the weighted sum as it is.
 * section: softmax-gradient
 */

/* attention_backward: key-in-its-own-gradient
 * base: plain-loops
 * edit: dp[u] * q[i]  =>  dp[u] * k[i]
 * why: The gradient of the key was multiplied by the key. It needs the query: each of the two factors gets the
 * other one.
 * hint: Your dk does not depend on the queries. Multiply dpreatt by q.
 * section: attention-gradients
 */

/* attention_backward: weights-for-scores-gradient
 * base: plain-loops
 * edit: dp[u] * k[i]  =>  a[u] * k[i]
 * edit: dp[u] * q[i]  =>  a[u] * q[i]
 * why: The gradients of queries and keys were made of att. They are made of dpreatt, the gradient of the scores.
 * hint: Your dq and dk do not depend on dout. Multiply dpreatt by k and by q.
 * section: attention-gradients
 */

/* attention_backward: gradients-of-the-first-head
 * base: plain-loops
 * edit: dout + (b * T + t) * C + h * hs  =>  dout + (b * T + t) * C
 * why: dout was read at the first head, whatever h is. Every head has its own channels in out, and so in dout.
 * hint: Only the first head is right. Head h of dout begins at channel h * hs.
 * section: addresses-on-the-way-back
 */

/* attention_backward: value-gradients-of-the-first-head
 * base: plain-loops
 * edit: dinp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  dinp + (b * T + u) * 3 * C + 2 * C
 * why: All heads add to the value gradients of the first. Every head has its own channels among the values.
 * hint: Only the first head's values get gradients. Those of head h begin at 2 * C + h * hs.
 * section: addresses-on-the-way-back
 */

/* attention_backward: keys-for-values
 * base: plain-loops
 * edit: *v = inp + (b * T + u) * 3 * C + 2 * C  =>  *v = inp + (b * T + u) * 3 * C + C
 * why: The gradient of the weights was made with the keys. It is dout times the values, which begin at 2 * C.
 * hint: Your datt are of dout and the keys. Take the values: block 2 of inp.
 * section: attention-gradients
 */

/* attention_backward: divided-by-the-scale
 * base: plain-loops
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i] / scale
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i] / scale
 * why: The gradients were divided by 1/sqrt(hs), and so multiplied by sqrt(hs). A product with a constant hands
 * its gradient on multiplied by that constant.
 * hint: Your dq and dk are too large by the factor hs. Multiply by 1/sqrt(hs).
 * section: attention-gradients
 */

/* attention_backward: last-channel-of-the-weights-gradient
 * base: plain-loops
 * edit: da[u] += d[i]  =>  da[u] = d[i]
 * why: Every product overwrites the one before. The gradient of a weight is a sum over the channels of the head.
 * hint: Your datt is the product of the last channel alone. Add the products up with +=.
 * section: attention-gradients
 */

/* attention_backward: weights-by-position-first
 * base: plain-loops
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + ((b * T + t) * NH + h) * T
 * why: The rows of att were taken to be ordered by position and then by head. It is (B, NH, T, T): the head comes
 * first.
 * hint: You read the weights of other rows. Row (b, h, t) begins at ((b * NH + h) * T + t) * T.
 * section: addresses-on-the-way-back
 */

/* attention_backward: maps-by-position-first
 * base: plain-loops
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + ((b * T + t) * NH + h) * T
 * edit: *da = datt + ((b * NH + h) * T + t) * T  =>  *da = datt + ((b * T + t) * NH + h) * T
 * edit: *dp = dpreatt + ((b * NH + h) * T + t) * T  =>  *dp = dpreatt + ((b * T + t) * NH + h) * T
 * why: The rows of att, datt and dpreatt were taken to be ordered by position and then by head. They are (B, NH,
 * T, T): the head comes first.
 * hint: Your rows belong to other heads and positions. Row (b, h, t) begins at ((b * NH + h) * T + t) * T.
 * section: addresses-on-the-way-back
 */

/* attention_backward: only-the-first-channel-of-the-values
 * base: plain-loops
 * edit: da[u] += d[i] * v[i]  =>  da[u] += d[0] * v[0]
 * why: Every product is of channel 0. The sum runs over the channels of the head.
 * hint: Your datt is one product hs times. Read dout and the values at i.
 * section: attention-gradients
 */

/* attention_backward: queries-of-the-first-head
 * base: plain-loops
 * edit: *dq = dinp + (b * T + t) * 3 * C + h * hs  =>  *dq = dinp + (b * T + t) * 3 * C
 * why: All heads add to the query gradients of the first. Every head has its own channels among the queries.
 * hint: Only the first head's queries get gradients. Those of head h begin at h * hs.
 * section: addresses-on-the-way-back
 */

/* attention_backward: key-gradients-of-the-first-head
 * base: plain-loops
 * edit: *dk = dinp + (b * T + u) * 3 * C + C + h * hs  =>  *dk = dinp + (b * T + u) * 3 * C + C
 * why: All heads add to the key gradients of the first. Every head has its own channels among the keys.
 * hint: Only the first head's keys get gradients. Those of head h begin at C + h * hs.
 * section: addresses-on-the-way-back
 */

/* attention_backward: queries-without-gradient
 * base: plain-loops
 * edit: dq[i] += dp[u] * k[i] * scale  =>  (void)dq
 * why: The queries get no gradient. A score is a product of query and key.
 * hint: The first block of your dinp is as it was before the call. Add scale * dpreatt * k, with the key of
 * position u: with the key of position t the sum over u is 0.
 * section: attention-gradients
 */

/* attention_backward: values-without-gradient
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  (void)dv
 * why: The values get no gradient. The output is a weighted sum of them.
 * hint: The third block of your dinp is as it was before the call. Add att * dout.
 * section: attention-gradients
 */

/* attention_backward: softmax-left-out
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  da[u]
 * why: The gradient of the weights was taken for that of the scores. Between them lies the softmax.
 * hint: Your dpreatt equals your datt. Go back through the softmax: dp = a * (da - sum), with the sum of a * da over the
 * row.
 * section: softmax-gradient
 */

/* attention_backward: one-for-every-pair
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  (1.0f - a[u]) * sum
 * why: The derivative of weight w by score u was written as a[w] * (1 - a[u]) for all pairs. The 1 is there only where w
 * is u, and elsewhere the derivative is -a[w] * a[u].
 * hint: Your dpreatt has the 1 of the softmax's derivative in every term. It belongs to the score's own weight alone.
 * section: softmax-gradient
 */

/* attention_backward: a-loop-without-its-own-position
 * base: plain-loops
 * each: LINE = const float *k = inp; const float *v = inp; dp[u] += a[u]
 * edit:
 *     for (int u = 0; u <= t; u++) {
 *         LINE
 * =>
 *     for (int u = 0; u < t; u++) {
 *         LINE
 * why: One of the loops over u ends before t. Every position looked at itself in the forward pass, so each loop
 * includes it.
 * hint: One of your loops over u leaves out the query's own position. All of them run while u <= t.
 * section: the-past-on-the-way-back
 */

/* gelu_backward: no-inner-derivative
 * base: plain-loops
 * edit: float inner = s * (1.0f + 3.0f * 0.044715f * x * x);  =>
 * edit: 0.5f * x * (1.0f - th * th) * inner  =>  0.5f * x * (1.0f - th * th)
 * why: The derivative of what stands inside the tanh was left out. The chain rule multiplies by it.
 * hint: Your slope is that of tanh without its inside. Multiply the second term by sqrt(2 / pi) * (1 + 3 * 0.044715
 * * x * x).
 * section: gelu-slope
 */

/* gelu_backward: no-three
 * base: plain-loops
 * edit: 3.0f * 0.044715f  =>  0.044715f
 * why: The derivative of x^3 was written as x^2. It is 3 x^2.
 * hint: Your slope is a little off around x = 1: the 3 in front of 0.044715 * x * x is missing.
 * section: gelu-slope
 */

/* gelu_backward: no-factor-in-the-inner-derivative
 * base: plain-loops
 * edit: s * (1.0f + 3.0f * 0.044715f * x * x)  =>  (1.0f + 3.0f * 0.044715f * x * x)
 * why: The inner derivative lacks its factor sqrt(2 / pi). It multiplies the whole bracket inside the tanh, so it
 * stays in the derivative.
 * hint: The second term of your slope is too large by 1 / 0.798. Multiply it by sqrt(2 / pi).
 * section: gelu-slope
 */

/* gelu_backward: inner-derivative-not-squared
 * base: plain-loops
 * edit: 3.0f * 0.044715f * x  =>  3.0f * 0.044715f
 * why: The derivative of x^3 was written as 3 x. It is 3 x^2.
 * hint: Your slope is worst at negative numbers: the last factor inside is x * x, not x.
 * section: gelu-slope
 */

/* gelu_backward: error-function-form
 * base: plain-loops
 * edit: const float s = 0.79788456f;  =>
 * edit: th = tanhf(s * (x + 0.044715f * x * x * x))  =>  below = 0.5f * (1.0f + erff(x / sqrtf(2.0f)))
 * edit: inner = s * (1.0f + 3.0f * 0.044715f * x * x)  =>  density = expf(-0.5f * x * x) / sqrtf(2.0f * 3.14159265f)
 * edit: 0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner  =>  below + x * density
 * why: This is the slope of the exact GELU, the one with erf. The forward pass uses the form with tanh, and the
 * slope has to belong to it.
 * hint: Your values are those of the other GELU, the one with erf. Take the derivative of the formula with tanh.
 * section: gelu-slope
 */

/* gelu_backward: relu-slope
 * base: in-double
 * edit: const double s = sqrt(2 / acos(-1.0));  =>
 * edit: double x = inp[n], u = s * (x + 0.044715 * pow(x, 3));  =>
 * edit:
 *     double slope = 0.5 * (1 + tanh(u)) + 0.5 * x * (1 - pow(tanh(u), 2)) * s * (1 + 3 * 0.044715 * x * x);
 * =>
 *     if (inp[n] > 0) dinp[n] += dout[n];
 * edit: dinp[n] += dout[n] * slope;  =>
 * why: This is the slope of ReLU, 1 above 0 and 0 below. GELU's curve bends, and its slope with it.
 * hint: Your slope is 0 or 1. Take the derivative of the formula with tanh.
 * section: gelu-slope
 */

/* gelu_backward: overwritten
 * base: plain-loops
 * edit:
 *     dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)
 * =>
 *     dinp[n] = dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)
 * why: dinp was written with `=`. A backward kernel adds to what stands there.
 * hint: What stood in dinp is gone. Write `+=`.
 * section: gradients-are-added
 */

/* gelu_backward: arriving-gradient-forgotten
 * base: plain-loops
 * edit:
 *     const float s = 0.79788456f;
 * =>
 *     (void)dout;
 *     const float s = 0.79788456f;
 * edit:
 *     dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)
 * =>
 *     (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)
 * why: The slope was added as it is, without the gradient that arrives. The chain rule multiplies the two.
 * hint: Your gradient does not depend on dout. Multiply the slope by dout[n].
 * section: gelu-slope
 */

/* gelu_backward: value-for-slope
 * base: plain-loops
 * edit: float inner = s * (1.0f + 3.0f * 0.044715f * x * x);  =>
 * edit: dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)  =>  dout[n] * 0.5f * x * (1.0f + th)
 * why: The gradient was multiplied by the value of GELU. It is its slope at this position that counts.
 * hint: You multiply dout by gelu(x). Multiply it by the derivative.
 * section: gelu-slope
 */

/* gelu_backward: first-factor-only
 * base: plain-loops
 * edit: float inner = s * (1.0f + 3.0f * 0.044715f * x * x);  =>
 * edit: 0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner  =>  0.5f * (1.0f + th)
 * why: Only the factor x was differentiated, and the tanh was taken as a constant. A product has two terms in its
 * derivative.
 * hint: The second term of your slope is missing, the one with the derivative of tanh. Add it.
 * section: gelu-slope
 */

/* gelu_backward: second-factor-only
 * base: plain-loops
 * edit: 0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner  =>  0.5f * x * (1.0f - th * th) * inner
 * why: Only the tanh was differentiated, and the factor x was taken as a constant. A product has two terms in its
 * derivative.
 * hint: Your slope is 0 at x = 0, where it should be 0.5. Add the term 0.5 * (1 + tanh).
 * section: gelu-slope
 */

/* gelu_backward: tanh-not-squared
 * base: plain-loops
 * edit: th * th  =>  th
 * why: The derivative of tanh was written as 1 - tanh. It is 1 - tanh * tanh.
 * hint: Your slope is wrong for negative numbers above all. The derivative of tanh is 1 - tanh squared.
 * section: gelu-slope
 */

/* gelu_backward: arguments-exchanged
 * base: plain-loops
 * edit: dout[n]  =>  inp[n]
 * edit: x = inp[n]  =>  x = dout[n]
 * why: The slope was taken at dout, and multiplied by inp. The order of the arguments is dinp, inp, dout.
 * hint: You have exchanged the two inputs. The slope belongs to inp, and dout multiplies it.
 * section: gelu-slope
 */

/* gelu_backward: half-of-integers
 * base: plain-loops
 * edit: 0.5f * (1.0f + th) + 0.5f * x  =>  1 / 2 * (1.0f + th) + 1 / 2 * x
 * why: 1 / 2 divides two integers, which gives 0. So both terms are 0.
 * hint: Nothing is ever added. In C 1 / 2 is an integer division with the result 0: write 0.5f.
 * section: gelu-slope
 */

/* gelu_backward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the loop's counter, and a
 * later call begins where the one before has stopped.
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N get no
 * gradient: the counter is `static`. Let it begin at 0 in every call.
 * section: gelu-slope
 */

/* gelu_backward: x-left-out
 * base: plain-loops
 * edit: 0.5f * x * (1.0f - th * th)  =>  0.5f * (1.0f - th * th)
 * why: The second term lacks the factor x. The derivative of x * f(x) is f(x) + x * f'(x).
 * hint: Your slope is wrong wherever x is not 1. Multiply the second term by x.
 * section: gelu-slope
 */

/* gelu_backward: one-plus-the-square
 * base: plain-loops
 * edit: 1.0f - th * th  =>  1.0f + th * th
 * why: The slope of tanh is 1 - tanh^2. The square was added in place of being subtracted.
 * hint: Far from 0 your slope grows. Write 1 - tanh^2.
 * section: gelu-slope
 */

/* gelu_backward: two-for-three
 * base: plain-loops
 * edit: 3.0f * 0.044715f  =>  2.0f * 0.044715f
 * why: The derivative of x^3 is 3 x^2. The 2 is that of x^2.
 * hint: Your inner derivative has 2 in place of 3.
 * section: gelu-slope
 */

/* gelu_backward: power-not-lowered
 * base: plain-loops
 * edit: 3.0f * 0.044715f * x * x)  =>  3.0f * 0.044715f * x * x * x)
 * why: The derivative of x^3 is 3 x^2. The power falls by 1.
 * hint: Your inner derivative has x^3 in place of x^2.
 * section: gelu-slope
 */

/* gelu_backward: second-term-subtracted
 * base: plain-loops
 * edit: + 0.5f * x  =>  - 0.5f * x
 * why: The second term was subtracted. The derivative of a product is a sum.
 * hint: Your slope is right at 0 only. Add the second term.
 * section: gelu-slope
 */

/* gelu_backward: no-half-in-the-first-term
 * base: plain-loops
 * edit: (0.5f * (1.0f + th)  =>  ((1.0f + th)
 * why: The first term lacks the factor 0.5. GELU is 0.5 x (1 + tanh), and 0.5 belongs to both terms of its
 * derivative.
 * hint: Far from 0 your slope is 2. Multiply the first term by 0.5.
 * section: gelu-slope
 */

/* gelu_backward: no-half-in-the-second-term
 * base: plain-loops
 * edit: 0.5f * x * (1.0f - th  =>  x * (1.0f - th
 * why: The second term lacks the factor 0.5. GELU is 0.5 x (1 + tanh), and 0.5 belongs to both terms of its
 * derivative.
 * hint: Your second term is twice as large as it should be.
 * section: gelu-slope
 */

/* gelu_backward: arriving-gradient-added
 * base: plain-loops
 * edit: dout[n] * (  =>  dout[n] + (
 * why: The arriving gradient was added to the slope. The chain rule multiplies.
 * hint: Your gradient does not vanish where dout is 0. Multiply.
 * section: gelu-slope
 */

/* gelu_backward: tanh-of-x
 * base: plain-loops
 * edit: tanhf(s * (x + 0.044715f * x * x * x))  =>  tanhf(x)
 * why: The tanh was taken of x itself. It is of sqrt(2/pi) * (x + 0.044715 x^3), as in the forward pass.
 * hint: Your tanh has the wrong argument. Compute it as gelu_forward does.
 * section: gelu-slope
 */

/* gelu_backward: inner-derivative-without-one
 * base: plain-loops
 * edit: s * (1.0f + 3.0f * 0.044715f * x * x)  =>  s * (3.0f * 0.044715f * x * x)
 * why: The derivative of x + 0.044715 x^3 is 1 + 3 * 0.044715 x^2. The 1 is missing.
 * hint: Around 0 your second term is too small. Write 1 + 3 * 0.044715 x^2.
 * section: gelu-slope
 */

/* gelu_backward: opposite-sign
 * base: plain-loops
 * edit: dinp[n] += dout  =>  dinp[n] -= dout
 * why: The gradient was subtracted. Gradients are added to what is there.
 * hint: Your gradients have the opposite sign. Add with +=.
 * section: gradients-are-added
 */

/* gelu_backward: tanh-for-the-sigmoid-form
 * base: plain-loops
 * edit: tanhf(s * (x + 0.044715f * x * x * x))  =>  tanhf(0.851f * x)
 * why: The tanh is that of the form with a sigmoid, x * sigmoid(1.702 x). GPT-2 uses sqrt(2/pi) * (x + 0.044715
 * x^3).
 * hint: Your tanh has the argument of another form. Compute it as gelu_forward does.
 * section: gelu-slope
 */

/* gelu_backward: x-in-the-first-term
 * base: plain-loops
 * edit: 0.5f * (1.0f + th) +  =>  0.5f * x * (1.0f + th) +
 * why: The first term has the factor x: that is the value of GELU. Its derivative with respect to the first x is
 * 0.5 (1 + tanh).
 * hint: Your first term is the value of the curve. Leave out x there.
 * section: gelu-slope
 */

/* gelu_backward: factor-inside-only-on-one
 * base: plain-loops
 * edit: s * (1.0f + 3.0f * 0.044715f * x * x)  =>  (s + 3.0f * 0.044715f * x * x)
 * why: The factor sqrt(2/pi) multiplies only the 1 of the inner derivative. It multiplies all of it.
 * hint: Your inner derivative lacks the factor in its second part.
 * section: gelu-slope
 */

/* gelu_backward: no-cube-in-the-tanh
 * base: plain-loops
 * edit: tanhf(s * (x + 0.044715f * x * x * x))  =>  tanhf(s * x)
 * why: The third power is missing inside the tanh. It must be the tanh of the forward pass.
 * hint: Your tanh has the wrong argument. It is sqrt(2/pi) * (x + 0.044715 x^3).
 * section: gelu-slope
 */

/* gelu_backward: no-small-factor-in-the-inner-derivative
 * base: plain-loops
 * edit: 3.0f * 0.044715f * x * x)  =>  3.0f * x * x)
 * why: The factor 0.044715 is missing in the inner derivative. It stays when x^3 becomes 3 x^2.
 * hint: Far from 0 your slope is too large. Write 1 + 3 * 0.044715 x^2.
 * section: gelu-slope
 */

/* gelu_backward: tanh-by-exponentials
 * base: plain-loops
 * edit: float th = tanhf(  =>  float e = expf(2.0f *
 * edit: x * x * x));  =>  x * x * x)), th = (e - 1.0f) / (e + 1.0f);
 * why: tanh was written as (exp(2y) - 1) / (exp(2y) + 1). Above y = 44 the exponential overflows, and infinity over
 * infinity is NaN.
 * hint: Large inputs give NaN, because the exponential overflows. Use tanhf, which knows its limits.
 * section: gelu-slope
 */

/* residual_backward: both-overwritten
 * base: plain-loops
 * edit: dinp1[n] += dout[n]  =>  dinp1[n] = dout[n]
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] = dout[n]
 * why: Both gradients were written with `=`. What stood there came from another use of the same array.
 * hint: What stood in the two gradients is gone. Write `+=`.
 * section: gradients-are-added
 */

/* residual_backward: first-overwritten
 * base: plain-loops
 * edit: dinp1[n] += dout[n]  =>  dinp1[n] = dout[n]
 * why: The first gradient was written with `=`. What stood there came from another use of the same array.
 * hint: What stood in dinp1 is gone. Write `+=`.
 * section: gradients-are-added
 */

/* residual_backward: second-overwritten
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] = dout[n]
 * why: The second gradient was written with `=`. What stood there came from another use of the same array.
 * hint: What stood in dinp2 is gone. Write `+=`.
 * section: gradients-are-added
 */

/* residual_backward: first-way-only
 * base: plain-loops
 * edit:
 *     for (int n = 0; n < N; n++) {
 * =>
 *     (void)dinp2;
 *     for (int n = 0; n < N; n++) {
 * edit: dinp2[n] += dout[n];  =>
 * why: Only the first input got the gradient. A sum hands its whole gradient to both of its terms.
 * hint: Your dinp2 stays as it was. It gets the same gradient as dinp1.
 * section: two-ways-one-gradient
 */

/* residual_backward: second-way-only
 * base: plain-loops
 * edit:
 *     for (int n = 0; n < N; n++) {
 * =>
 *     (void)dinp1;
 *     for (int n = 0; n < N; n++) {
 * edit: dinp1[n] += dout[n];  =>
 * why: Only the second input got the gradient. A sum hands its whole gradient to both of its terms.
 * hint: Your dinp1 stays as it was. It gets the same gradient as dinp2.
 * section: two-ways-one-gradient
 */

/* residual_backward: half-for-each
 * base: plain-loops
 * edit: dinp1[n] += dout[n]  =>  dinp1[n] += dout[n] / 2
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += dout[n] / 2
 * why: The gradient was shared out between the two ways. A sum hands its whole gradient to each of its terms.
 * hint: Both of your gradients are half of what they should be. Each way gets the whole gradient.
 * section: two-ways-one-gradient
 */

/* residual_backward: opposite-sign
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] -= dout[n]
 * why: The second gradient was subtracted. The forward pass adds both inputs, so both gradients have the sign of
 * dout.
 * hint: Your dinp2 has the wrong sign. Add dout to it.
 * section: two-ways-one-gradient
 */

/* residual_backward: one-from-the-other
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += dinp1[n]
 * why: The second gradient was made from the first, which already held something else. Both get dout, and nothing
 * from each other.
 * hint: Your dinp2 contains what stood in dinp1. Add dout[n] to each.
 * section: two-ways-one-gradient
 */

/* residual_backward: last-entry-left-out
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n < N - 1; n++) {
 * why: The loop ends before the last entry. With `n < N` it runs N times, from 0 to N - 1.
 * hint: The last entries get nothing. Let the loop run while n < N.
 * section: two-ways-one-gradient
 */

/* residual_backward: first-entry-left-out
 * base: plain-loops
 * edit: int n = 0;  =>  int n = 1;
 * why: The loop starts at 1. Arrays start at entry 0 in C.
 * hint: The first entries get nothing. Let the loop start at 0.
 * section: two-ways-one-gradient
 */

/* residual_backward: one-past-the-end
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n <= N; n++) {
 * why: The loop runs while n <= N, once more than there are entries. Entry N lies past the end of all three arrays.
 * hint: Your kernel touches the entry after the last one. Let the loop run while n < N.
 * section: two-ways-one-gradient
 */

/* residual_backward: remainder-left-out
 * base: walking-pointers
 * edit: const float *end = dout + N; dout != end; dout++  =>  int n = 0; n + 4 <= N; n += 4
 * edit: *dinp1++ += *dout;  =>  for (int i = n; i < n + 4; i++) dinp1[i] += dout[i];
 * edit: *dinp2++ += *dout;  =>  for (int i = n; i < n + 4; i++) dinp2[i] += dout[i];
 * why: The loop takes four entries at a time, and stops when fewer are left. N need not be a multiple of 4.
 * hint: The last entries get nothing where N is no multiple of 4. Do what is left one by one.
 * section: two-ways-one-gradient
 */

/* residual_backward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the loop's counter, and a
 * later call begins where the one before has stopped.
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N get no
 * gradient: the counter is `static`. Let it begin at 0 in every call.
 * section: two-ways-one-gradient
 */

/* residual_backward: both-into-the-first
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += 0.0f; dinp1[n] += dout[n]
 * why: The gradient was added to the first input twice, and not to the second. Both inputs get it once.
 * hint: Your dinp1 gets twice the gradient and dinp2 none.
 * section: two-ways-one-gradient
 */

/* residual_backward: multiplied
 * base: plain-loops
 * edit: dinp1[n] += dout  =>  dinp1[n] *= dout
 * edit: dinp2[n] += dout  =>  dinp2[n] *= dout
 * why: What stands in the gradients was multiplied by dout. It is added.
 * hint: Zeros stay zeros in your gradients. Write += in place of *=.
 * section: gradients-are-added
 */

/* residual_backward: first-entry-for-all
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += dout[0]
 * why: The second input got entry 0 of dout everywhere. The index is missing there.
 * hint: Your dinp2 collects one number N times. Read dout at n.
 * section: two-ways-one-gradient
 */

/* residual_backward: every-second-entry
 * base: plain-loops
 * edit: n++  =>  n += 2
 * why: The loop takes two steps at a time. Half of the entries get no gradient.
 * hint: Every second entry gets no gradient. Let n grow by 1.
 * section: two-ways-one-gradient
 */

/* residual_backward: both-with-opposite-sign
 * base: plain-loops
 * edit: dinp1[n] += dout  =>  dinp1[n] -= dout
 * edit: dinp2[n] += dout  =>  dinp2[n] -= dout
 * why: The gradient was subtracted from both. A sum hands its gradient on as it is.
 * hint: Both gradients have the opposite sign. Add with +=.
 * section: gradients-are-added
 */

/* residual_backward: first-set-to-the-second
 * base: plain-loops
 * edit: dinp1[n] += dout[n];  =>
 * edit: dinp2[n] += dout[n]  =>  dinp1[n] = dinp2[n] += dout[n]
 * why: `dinp1[n] = dinp2[n] += dout[n]` adds to dinp2 and copies the result to dinp1. What stood in dinp1 is lost.
 * hint: Your dinp2 is right, and your dinp1 is a copy of it. Add dout to each of them, with `+=`.
 * section: two-ways-one-gradient
 */

/* residual_backward: one-of-them-twice
 * base: plain-loops
 * each: TWICE = dinp1; dinp2
 * edit: TWICE[n] += dout[n]  =>  TWICE[n] += 2.0f * dout[n]
 * why: One of the inputs got the gradient twice. The forward pass adds each input once.
 * hint: One of your two gradients is too large by the factor 2. Add dout to each of them once.
 * section: two-ways-one-gradient
 */

/* crossentropy_softmax_backward: no-minus-one
 * base: plain-loops
 * edit: int target = targets[b * T + t];  =>  (void)targets;
 * edit: float right = v == target ? 1.0f : 0.0f;  =>
 * edit: (p[v] - right)  =>  p[v]
 * why: The probabilities were added as they are. The target's logit has to rise, which the minus 1 at its column
 * does.
 * hint: Every row of your gradient sums to dlosses, not to 0. Subtract 1 at the target's column.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: opposite-sign
 * base: plain-loops
 * edit: p[v] - right  =>  right - p[v]
 * why: The difference was taken the other way round, 1 - p at the target. The loss would grow with every step.
 * hint: Your gradients have the wrong sign. It is the probability minus 1 at the target, and plus the probability
 * elsewhere.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: overwritten
 * base: plain-loops
 * edit: dz[v] += (p[v] - right) * d  =>  dz[v] = (p[v] - right) * d
 * why: dlogits was written with `=`. A backward kernel adds to what stands there.
 * hint: What stood in dlogits is gone. Write `+=`.
 * section: gradients-are-added
 */

/* crossentropy_softmax_backward: divided-once-more
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) * d / (B * T)
 * why: The gradient was divided by B * T. The caller has put that factor into dlosses already, where the mean is
 * wanted.
 * hint: Your gradients are too small by the factor B * T. Multiply by dlosses, and by nothing else.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: arriving-gradient-forgotten
 * base: plain-loops
 * edit: float d = dlosses[b * T + t];  =>  (void)dlosses;
 * edit: (p[v] - right) * d  =>  (p[v] - right)
 * why: The difference was added as it is, without dlosses. The chain rule multiplies by the gradient that arrives at
 * the position.
 * hint: Your gradients do not depend on dlosses. Multiply the difference by dlosses[b * T + t].
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: mean-in-place-of-what-arrives
 * base: plain-loops
 * edit: float d = dlosses[b * T + t];  =>  (void)dlosses;
 * edit: (p[v] - right) * d  =>  (p[v] - right) / (B * T)
 * why: The difference was divided by B * T, and dlosses was ignored. That is the gradient of the mean loss only:
 * this kernel gets the gradient of every position.
 * hint: Your gradients do not depend on dlosses. Multiply by dlosses[b * T + t] in place of 1 / (B * T).
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: rows-of-length-v
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     (void)Vp;
 *     for (int b = 0; b < B; b++) {
 * edit: dlogits + (b * T + t) * Vp  =>  dlogits + (b * T + t) * V
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * why: The step from one row to the next was taken to be V. Rows are stored with their padding, so they are Vp long.
 * hint: Where columns are padded, every row but the first begins too early. The step from row to row is Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: same-targets-in-every-sequence
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t]
 * why: The target was read at targets[t], so that every sequence gets the targets of the first. Sequence b starts at
 * entry b * T.
 * hint: The 1 is subtracted at the first sequence's targets everywhere. Position (b, t) has target b * T + t.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: same-gradient-in-every-sequence
 * base: plain-loops
 * edit: dlosses[b * T + t]  =>  dlosses[t]
 * why: The arriving gradient was read at dlosses[t], so that every sequence gets that of the first. Sequence b
 * starts at entry b * T.
 * hint: The later sequences are scaled by the first one's dlosses. Position (b, t) has entry b * T + t.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: only-one-sequence
 * base: plain-loops
 * edit: dlogits + (b * T + t) * Vp  =>  dlogits + t * Vp
 * edit: probs + (b * T + t) * Vp  =>  probs + t * Vp
 * why: The offsets of the rows have no b in them. All sequences then add to the rows of the first.
 * hint: The first sequence collects everything, and the others get nothing. Row (b, t) begins at (b * T + t) * Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: target-column-only
 * base: plain-loops
 * edit: (p[v] - right)  =>  (p[v] - 1.0f) * right
 * why: Only the target's column got a gradient. Through the softmax's sum the loss depends on every logit of the
 * row.
 * hint: All columns but the target's get nothing. Every other one gets its probability times dlosses.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: gradient-of-the-logarithm-alone
 * base: plain-loops
 * edit: (p[v] - right)  =>  -right / p[v]
 * why: This is the gradient with respect to the probabilities, -1 / p at the target. It still has to go through the
 * softmax.
 * hint: Your gradient is -1 / p at the target and 0 elsewhere. Go on through the softmax: all that remains is p - 1
 * there, and p elsewhere.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: sigmoid-gradient
 * base: plain-loops
 * edit: (p[v] - right)  =>  (p[v] - right) * p[v] * (1.0f - p[v])
 * why: The difference was multiplied by p * (1 - p), the slope of a sigmoid. In the gradient of softmax and
 * logarithm together all such factors cancel.
 * hint: Your gradients are too small, by the factor p * (1 - p). Leave it out.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: targets-count-from-1
 * base: plain-loops
 * edit: v == target  =>  v == target - 1
 * why: 1 was subtracted from the target. Ids start at 0, like everything that C counts.
 * hint: Your minus 1 stands one column before the target. Compare v with the target as it is.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: last-token-left-out
 * base: plain-loops
 * edit: for (int v = 0; v < V; v++) {  =>  for (int v = 0; v < V - 1; v++) {
 * why: The loop ends at V - 2. With `v < V` the last token, V - 1, is the last one already.
 * hint: The last token's logit gets no gradient. Let the loop run while v < V.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: array-for-64-tokens
 * base: over-the-padding-which-is-0
 * edit:
 *     (void)V;
 *     #pragma omp parallel for collapse(2)
 *     for (int b = 0; b < B; b++) {
 * =>
 *         for (int b = 0; b < B; b++) {
 * edit: v < Vp  =>  v < (V < 64 ? V : 64)
 * edit: indicator = v == targets[row] ? 1.0f : 0.0f  =>  right = v == targets[row] ? 1.0f : 0.0f
 * edit: probs[row * Vp + v] - indicator  =>  probs[row * Vp + v] - right
 * why: Only the first 64 logits get a gradient, as if a row always fitted into a small array. GPT-2 has 50,257
 * tokens.
 * hint: Logits from the 65th on get no gradient. The loop goes on to V, whatever V is.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: targets-of-the-first-call
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
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: target-outside-of-the-product
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  p[v] * d - right
 * why: The 1 of the target was subtracted after the multiplication by dlosses. It belongs inside: (p - 1) *
 * dlosses.
 * hint: Your target column is off by 1 - dlosses. Subtract first, then multiply.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: one-added
 * base: plain-loops
 * edit: p[v] - right  =>  p[v] + right
 * why: 1 was added for the target. It is subtracted: the gradient pushes the logit of the target up.
 * hint: Your target column has the wrong sign. It is p - 1.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: gradient-of-the-first-position
 * base: plain-loops
 * edit: dlosses[b * T + t]  =>  dlosses[0]
 * why: Every position got dlosses[0]. Every position has an arriving gradient of its own.
 * hint: Position 0 is right. Position (b, t) has entry b * T + t of dlosses.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: target-is-the-position
 * base: plain-loops
 * edit: v == target  =>  v == t
 * why: v was compared with the position t. The target is a token: targets[b * T + t].
 * hint: Your target column is column t. Compare v with the target.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: targets-in-columns
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t * B + b]
 * why: The targets were read at t * B + b, as if they were (T, B). They are (B, T).
 * hint: Your targets belong to other positions. Position (b, t) has entry b * T + t.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: rows-of-the-first-sequence
 * base: plain-loops
 * edit: probs + (b * T + t) * Vp  =>  probs + t * Vp
 * why: The probabilities were read at row t. Those are of the first sequence.
 * hint: The first sequence is right. Row (b, t) of probs begins at (b * T + t) * Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: divided-by-the-vocabulary
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) * d / V
 * why: The gradient was divided by V. The sum over the columns is no mean.
 * hint: Your gradient is too small by the factor V. Leave the division out.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: squared-error-gradient
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  2.0f * (p[v] - right) * d
 * why: The factor 2 belongs to a squared error. The gradient of cross-entropy is (p - 1) without it.
 * hint: Your gradient is twice as large as it should be.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: rows-of-gradients-of-length-v
 * base: plain-loops
 * edit: dlogits + (b * T + t) * Vp  =>  dlogits + (b * T + t) * V
 * why: The rows of dlogits were taken to be V long. They are Vp long, like those of probs.
 * hint: Your first row is right, and later ones begin too early in dlogits. Row (b, t) begins at (b * T + t) * Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: rows-of-probs-of-length-v
 * base: plain-loops
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * why: The rows of probs were taken to be V long. They are Vp long, like those of dlogits.
 * hint: Your first row is right, and later ones begin too early in probs. Row (b, t) begins at (b * T + t) * Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: token-after-the-target
 * base: plain-loops
 * edit: v == target  =>  v == target + 1
 * why: The 1 was subtracted from the column after the target. Ids count from 0, as columns do.
 * hint: Your target column is one too far to the right. Compare v with the target as it is.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: gradient-of-the-softmax-alone
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  p[v] * (right - p[v]) * d
 * why: p * (1 - p) is a part of the softmax's own gradient. Together with that of the logarithm it becomes p - 1.
 * hint: Your gradient is too small where p is small. In the target's column it is p - 1, in all others p.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The loop over the positions ends at T - 2. With `t < T` the last one is T - 1 already.
 * hint: The last position of every sequence counts in no gradient. A loop from 0 with `t < T` runs T times.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: The loop over the positions begins at 1. Positions count from 0, like everything in C.
 * hint: Position 0 of every sequence counts in no gradient. Let the loop begin at t = 0.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The loop over the sequences ends at B - 2. With `b < B` the last one is B - 1 already.
 * hint: The last sequence counts in no gradient. A loop from 0 with `b < B` runs B times.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: arriving-gradient-added
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) + d
 * why: dlosses was added. The chain rule multiplies.
 * hint: Your gradient does not vanish where dlosses is 0. Multiply.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: no-probabilities
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  -right * d
 * why: The probabilities are missing. Only the target column gets a gradient then.
 * hint: All columns but the target's are as they were before the call. The gradient is (p - 1) for the target and
 * p for all others.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: divided-by-the-length
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) * d / T
 * why: The gradient was divided by T. The mean is in dlosses already.
 * hint: Your gradient is too small by the factor T. Leave the division out.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: padding-cleared
 * base: plain-loops
 * edit: float d = dlosses[b * T + t];  =>  float d = dlosses[b * T + t]; memset(dz + V, 0, (Vp - V) * sizeof(float));
 * why: The columns of padding were set to 0. Their gradient is 0, and 0 is added to what stands there: nothing changes.
 * hint: What stood in the padded columns is gone. Leave them alone: the loop ends at V.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: nothing-at-the-target
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  p[v] * (1.0f - right) * d
 * why: The target's entry was multiplied by 0. It gets the probability minus 1, and the other entries their probability.
 * hint: Your gradient is 0 at the target. Subtract 1 from the probability there.
 * section: loss-gradient
 */

/* adamw_update: no-bias-correction
 * base: plain-loops
 * edit: float correction1 = 1.0f - powf(beta1, t);  =>
 * edit: float correction2 = 1.0f - powf(beta2, t);  =>  (void)t;
 * edit: m[i] / correction1  =>  m[i]
 * edit: v[i] / correction2  =>  v[i]
 * why: The moments were used as they are. They start at 0, and are too small in the first steps by 1 - beta^t.
 * hint: Your first step has the wrong size, and m and v are right. Divide m by 1 - beta1^t and v by 1 - beta2^t
 * before you use them.
 * section: adamw-in-c
 */

/* adamw_update: second-moment-not-corrected
 * base: plain-loops
 * edit: float correction2 = 1.0f - powf(beta2, t);  =>
 * edit: v[i] / correction2  =>  v[i]
 * why: Only the first moment was corrected. The second one starts at 0, too, and its beta is nearer to 1.
 * hint: Your first steps are too large. Divide v by 1 - beta2^t before you take the root.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-not-corrected
 * base: plain-loops
 * edit: float correction1 = 1.0f - powf(beta1, t);  =>
 * edit: m[i] / correction1  =>  m[i]
 * why: Only the second moment was corrected. The first one starts at 0, too.
 * hint: Your first steps are too small. Divide m by 1 - beta1^t before you use it.
 * section: adamw-in-c
 */

/* adamw_update: corrected-moments-kept
 * base: plain-loops
 * edit: float m_hat = m[i] / correction1;  =>  m[i] /= correction1;
 * edit: float v_hat = v[i] / correction2;  =>  v[i] /= correction2;
 * edit: m_hat / (sqrtf(v_hat) + eps)  =>  m[i] / (sqrtf(v[i]) + eps)
 * why: The corrected moments were stored in m and v. The next step then corrects what is corrected already.
 * hint: Your parameters are right, but m and v hold the corrected moments. Keep the bare ones, and correct a copy.
 * section: adamw-in-c
 */

/* adamw_update: steps-count-from-0
 * base: plain-loops
 * edit: (beta1, t)  =>  (beta1, t - 1)
 * edit: (beta2, t)  =>  (beta2, t - 1)
 * why: The correction used t - 1. At the first step that is beta^0 = 1, and the division is by 0.
 * hint: Your first step gives NaN or infinity. t is 1 at the first step already: use it as it is.
 * section: adamw-in-c
 */

/* adamw_update: steps-count-one-too-far
 * base: plain-loops
 * edit: (beta1, t)  =>  (beta1, t + 1)
 * edit: (beta2, t)  =>  (beta2, t + 1)
 * why: The correction used t + 1. t is 1 at the first step already.
 * hint: Your first step is too small. Use t as it is in beta^t.
 * section: adamw-in-c
 */

/* adamw_update: product-for-power
 * base: plain-loops
 * edit: powf(beta1, t)  =>  beta1 * t
 * edit: powf(beta2, t)  =>  beta2 * t
 * why: beta was multiplied by t where it has to be raised to the power t. The two agree at the first step alone.
 * hint: Your first step is right and later ones are not. The correction is 1 - powf(beta, t).
 * section: adamw-in-c
 */

/* adamw_update: moments-not-kept
 * base: plain-loops
 * edit: m[i] = beta1 * m[i] + (1.0f - beta1) * g;  =>  float m_new = beta1 * m[i] + (1.0f - beta1) * g;
 * edit: v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;  =>  float v_new = beta2 * v[i] + (1.0f - beta2) * g * g;
 * edit: m[i] / correction1  =>  m_new / correction1
 * edit: v[i] / correction2  =>  v_new / correction2
 * why: The new moments were computed in variables, and never written back. The next step then starts from the old
 * ones.
 * hint: Your parameters are right, but m and v are as before the step. Write both back.
 * section: adamw-in-c
 */

/* adamw_update: betas-exchanged
 * base: plain-loops
 * edit: correction1 = 1.0f - powf(beta1, t)  =>  correction1 = 1.0f - powf(beta2, t)
 * edit: correction2 = 1.0f - powf(beta2, t)  =>  correction2 = 1.0f - powf(beta1, t)
 * edit: m[i] = beta1 * m[i] + (1.0f - beta1) * g;  =>  m[i] = beta2 * m[i] + (1.0f - beta2) * g;
 * edit: v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;  =>  v[i] = beta1 * v[i] + (1.0f - beta1) * g * g;
 * why: beta2 was used for the first moment and beta1 for the second. The second moment is the slower one.
 * hint: Your m and v move at each other's pace. m takes beta1, v takes beta2.
 * section: adamw-in-c
 */

/* adamw_update: gradient-not-squared
 * base: plain-loops
 * each: SIZE = g; fabsf(g)
 * edit: g * g  =>  SIZE
 * why: The second moment collected the gradient itself, or its absolute value. It is the mean of squares.
 * hint: Your v holds averages of gradients, or of their absolute values. Square the gradient.
 * section: adamw-in-c
 */

/* adamw_update: new-gradient-at-full-weight
 * base: plain-loops
 * edit: (1.0f - beta1) * g  =>  g
 * edit: (1.0f - beta2) * g  =>  g
 * why: The gradient was added to the moments without the factor 1 - beta. They grow beyond any average then.
 * hint: Your m and v are many times too large. The new gradient has the weight 1 - beta.
 * section: adamw-in-c
 */

/* adamw_update: no-root
 * base: plain-loops
 * edit: sqrtf(v_hat)  =>  v_hat
 * why: The step was divided by the second moment itself. It is its root that has the size of a gradient.
 * hint: Your steps have the wrong size. Divide by the root of the corrected second moment.
 * section: adamw-in-c
 */

/* adamw_update: epsilon-inside-the-root
 * base: plain-loops
 * edit: (sqrtf(v_hat) + eps)  =>  sqrtf(v_hat + eps)
 * why: eps was added before the root was taken. It belongs outside: root, then eps.
 * hint: Your steps are wrong where the gradients are about as small as eps. Add eps after the root.
 * section: adamw-in-c
 */

/* adamw_update: epsilon-before-the-correction
 * base: plain-loops
 * edit: v_hat = v[i] / correction2  =>  root = (sqrtf(v[i]) + eps) / sqrtf(correction2)
 * edit: (sqrtf(v_hat) + eps)  =>  root
 * why: eps was added to the root of the bare second moment, and the correction came after it. It then counts for
 * more in the first steps.
 * hint: Your steps are a little off where the gradients are about as small as eps. Correct v first, take the root,
 * and add eps then.
 * section: adamw-in-c
 */

/* adamw_update: no-epsilon
 * base: plain-loops
 * edit:
 *     float correction1 = 1.0f - powf(beta1, t);
 * =>
 *     (void)eps;
 *     float correction1 = 1.0f - powf(beta1, t);
 * edit: (sqrtf(v_hat) + eps)  =>  sqrtf(v_hat)
 * why: eps was left out. Small gradients then make steps of full size, and a gradient of 0 divides by 0.
 * hint: Your steps are too large where the gradients are about as small as eps. Add eps to the root.
 * section: adamw-in-c
 */

/* adamw_update: decay-in-the-gradient
 * base: decay-after-the-step
 * edit: grads[i]  =>  grads[i] + weight_decay * params[i]
 * edit: params[i] -= lr * weight_decay * params[i];  =>
 * why: The decay was added to the gradient, as in Adam with L2 regularisation. It then passes through the moments,
 * and AdamW was made to avoid that.
 * hint: Your m and v change with the decay. Leave the gradient alone, and shrink the parameter directly.
 * section: adamw-in-c
 */

/* adamw_update: decay-without-the-learning-rate
 * base: decay-after-the-step
 * edit: lr * m_hat / (sqrtf(v_hat) + eps)  =>  lr * m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]
 * edit: params[i] -= lr * weight_decay * params[i];  =>
 * why: The decay was not multiplied by the learning rate. Each step would then take the whole weight_decay off.
 * hint: Your decay is too strong, by the factor 1 / lr. It is lr * weight_decay * parameter.
 * section: adamw-in-c
 */

/* adamw_update: no-decay
 * base: decay-after-the-step
 * edit:
 *     float correction1 = 1.0f - powf(beta1, t);
 * =>
 *     (void)weight_decay;
 *     float correction1 = 1.0f - powf(beta1, t);
 * edit: params[i] -= lr * weight_decay * params[i];  =>
 * why: The decay was left out. It is what the W in AdamW stands for.
 * hint: Your parameters do not shrink. Subtract lr * weight_decay * parameter as well.
 * section: adamw-in-c
 */

/* adamw_update: decay-with-the-wrong-sign
 * base: decay-after-the-step
 * edit: lr * m_hat / (sqrtf(v_hat) + eps)  =>  lr * (m_hat / (sqrtf(v_hat) + eps) - weight_decay * params[i])
 * edit: params[i] -= lr * weight_decay * params[i];  =>
 * why: The decay was added to the parameter. It would grow with every step.
 * hint: Your parameters grow where they should shrink. Subtract the decay, too.
 * section: adamw-in-c
 */

/* adamw_update: step-uphill
 * base: plain-loops
 * edit:
 *     params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i])
 * =>
 *     params[i] += lr * (m_hat / (sqrtf(v_hat) + eps) - weight_decay * params[i])
 * why: The step was added. The gradient points to where the loss grows, so parameters move against it.
 * hint: Your parameters move the wrong way. Subtract the step.
 * section: adamw-in-c
 */

/* adamw_update: skips-gradients-of-0
 * base: plain-loops
 * edit:
 *     float g = grads[i];
 * =>
 *     float g = grads[i];
 *     if (g == 0.0f) continue;
 * why: Parameters whose gradient is 0 in this step were left out. Their moments are not 0: they shrink, go on moving
 * the parameter, and the decay goes on too.
 * hint: Where a gradient is 0, your parameter and its moments stand still. Do the whole step for every parameter: m
 * still says where to go.
 * section: adamw-in-c
 */

/* adamw_update: corrections-of-the-first-call
 * base: plain-loops
 * edit: float correction1 =  =>  static float correction1, correction2; if (correction1 == 0) correction1 =
 * edit: float correction2 =  =>  if (correction2 == 0) correction2 =
 * why: A `static` variable keeps its value from one call to the next. Here it keeps the two corrections of the
 * first call. They depend on t, which grows with every step.
 * hint: Your first step is right, and every later one divides by the first step's corrections: they are `static`.
 * Compute them from t in every call.
 * section: adamw-in-c
 */

/* adamw_update: steps-counted-by-itself
 * base: plain-loops
 * edit:
 *     float correction1 = 1.0f - powf(beta1, t)
 * =>
 *     static int step; step++; float correction1 = 1.0f - powf(beta1, step)
 * edit: powf(beta2, t)  =>  powf(beta2, step)
 * why: A `static` variable keeps its value from one call to the next. Here it counts the calls, in place of t. A
 * training that is resumed starts in the middle, and a program may have two models.
 * hint: Your step number is how often this process has called the kernel. Use the argument t: a resumed training
 * begins with a later step.
 * section: adamw-in-c
 */

/* adamw_update: decay-of-the-parameter-forgotten
 * base: plain-loops
 * edit: weight_decay * params[i]  =>  weight_decay
 * why: The decay is a constant. It is proportional to the parameter: weight_decay * params[i].
 * hint: Your decay is the same for all parameters. Multiply weight_decay by the parameter.
 * section: adamw-in-c
 */

/* adamw_update: second-moment-of-the-first
 * base: plain-loops
 * edit: (1.0f - beta2) * g * g  =>  (1.0f - beta2) * m[i] * m[i]
 * why: v collects the squares of m. It collects the squares of the gradient.
 * hint: Your v is too small. Square the gradient.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-with-beta2
 * base: plain-loops
 * edit: beta1 * m[i] + (1.0f - beta1) * g  =>  beta2 * m[i] + (1.0f - beta2) * g
 * why: m was made with beta2. It uses beta1.
 * hint: Your m follows the gradients too slowly. Use beta1 for m, and beta2 for v.
 * section: adamw-in-c
 */

/* adamw_update: weights-of-the-means-exchanged
 * base: plain-loops
 * edit: beta1 * m[i] + (1.0f - beta1) * g  =>  (1.0f - beta1) * m[i] + beta1 * g
 * edit: beta2 * v[i] + (1.0f - beta2) * g * g  =>  (1.0f - beta2) * v[i] + beta2 * g * g
 * why: Old and new are exchanged in both means. beta is the share of the old value.
 * hint: Your moments forget almost everything. The old value gets beta, the new gradient 1 - beta.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-at-full-weight
 * base: plain-loops
 * edit: (1.0f - beta1) * g;  =>  g;
 * why: The gradient enters m without the factor 1 - beta1. A running mean has shares that add up to 1.
 * hint: Your m is too large by the factor 1 / (1 - beta1).
 * section: adamw-in-c
 */

/* adamw_update: second-moment-at-full-weight
 * base: plain-loops
 * edit: (1.0f - beta2) * g * g  =>  g * g
 * why: The squared gradient enters v without the factor 1 - beta2. A running mean has shares that add up to 1.
 * hint: Your v is too large by the factor 1 / (1 - beta2).
 * section: adamw-in-c
 */

/* adamw_update: first-correction-for-both
 * base: plain-loops
 * edit: v[i] / correction2  =>  v[i] / correction1
 * why: v was divided by the correction of m. Both moments have a correction of their own.
 * hint: v_hat is v / (1 - beta2^t).
 * section: adamw-in-c
 */

/* adamw_update: multiplied-by-the-corrections
 * base: plain-loops
 * edit: m[i] / correction1  =>  m[i] * correction1
 * edit: v[i] / correction2  =>  v[i] * correction2
 * why: The moments were multiplied by the corrections. They are too small at first, so divide by what is below 1.
 * hint: Your first steps are far too small. Divide m by 1 - beta1^t and v by 1 - beta2^t.
 * section: adamw-in-c
 */

/* adamw_update: no-learning-rate
 * base: plain-loops
 * edit: params[i] -= lr * (  =>  params[i] -= (
 * why: The learning rate is missing. It scales the step and the decay.
 * hint: Your steps are too large by the factor 1 / lr.
 * section: adamw-in-c
 */

/* adamw_update: gradient-for-first-moment
 * base: plain-loops
 * edit: (m_hat / (  =>  (g / (
 * why: The step goes along the gradient. It goes along its running mean, m_hat.
 * hint: Your m is right but not used. Divide m_hat by the root of v_hat.
 * section: adamw-in-c
 */

/* adamw_update: decay-by-the-learning-rate-only
 * base: plain-loops
 * edit: weight_decay * params[i])  =>  params[i])
 * why: The decay lacks the factor weight_decay. It is lr * weight_decay * params[i].
 * hint: Your parameters shrink by lr, whatever weight_decay is.
 * section: adamw-in-c
 */

/* adamw_update: corrections-of-the-first-step-in-all
 * base: plain-loops
 * edit: powf(beta1, t)  =>  beta1
 * edit: powf(beta2, t)  =>  beta2
 * why: The corrections are those of the first step, whatever t is. They come closer to 1 with every step.
 * hint: Your first step is right and later ones are too large. Divide by 1 - beta^t.
 * section: adamw-in-c
 */

/* adamw_update: no-root-and-no-second-moment
 * base: plain-loops
 * edit: m_hat / (sqrtf(v_hat) + eps)  =>  m_hat
 * why: The step is lr times m_hat. The second moment has no say.
 * hint: Your steps are as large as the gradients. Divide m_hat by the root of v_hat, plus eps.
 * section: adamw-in-c
 */

/* adamw_update: epsilon-added-to-the-step
 * base: plain-loops
 * edit: m_hat / (sqrtf(v_hat) + eps)  =>  (m_hat / sqrtf(v_hat) + eps)
 * why: eps was added to the quotient, not to the root below the line. It keeps the divisor from being 0.
 * hint: Parameters without a gradient move by lr * eps in yours. Add eps to the root.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-not-kept
 * base: plain-loops
 * edit: m[i] = beta1 * m[i]  =>  float kept = beta1 * m[i]
 * edit: m[i] / correction1  =>  kept / correction1
 * why: The new m was not stored. The next step begins with it.
 * hint: Your m is as it was before the call. Write to m[i].
 * section: adamw-in-c
 */

/* adamw_update: second-moment-not-kept
 * base: plain-loops
 * edit: v[i] = beta2 * v[i]  =>  float kept = beta2 * v[i]
 * edit: v[i] / correction2  =>  kept / correction2
 * why: The new v was not stored. The next step begins with it.
 * hint: Your v is as it was before the call. Write to v[i].
 * section: adamw-in-c
 */

/* adamw_update: learning-rate-in-the-gradient
 * base: plain-loops
 * edit: float g = grads[i]  =>  float g = lr * grads[i]
 * why: The gradient was multiplied by the learning rate before the moments. It belongs to the step.
 * hint: Your m is too small by the factor lr. Multiply by lr only where the parameter changes.
 * section: adamw-in-c
 */

/* adamw_update: betas-exchanged-in-the-moments
 * base: plain-loops
 * edit: m[i] = beta1 * m[i] + (1.0f - beta1) * g;  =>  m[i] = beta2 * m[i] + (1.0f - beta2) * g;
 * edit: v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;  =>  v[i] = beta1 * v[i] + (1.0f - beta1) * g * g;
 * why: beta2 was used for the first moment and beta1 for the second, while the corrections have them right. The second
 * moment is the slower one.
 * hint: Your m and v move at each other's pace. m takes beta1, v takes beta2.
 * section: adamw-in-c
 */

/* adamw_update: correction-outside-the-root
 * base: plain-loops
 * each: ROOT = sqrtf(v[i]) / correction2; sqrtf(v[i]) / correction2 * correction1
 * edit: sqrtf(v_hat)  =>  ROOT
 * why: The root was taken of v, and its correction applied to the root. The correction belongs to v, under the root.
 * hint: Your steps are of the wrong size while t is small. Divide v by its correction first, then take the root.
 * section: adamw-in-c
 */
