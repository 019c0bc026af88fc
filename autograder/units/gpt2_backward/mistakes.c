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
 * why: Rows that are used more than once hold only their last gradient, and what stood in the tables is gone. You
 * overwrote both tables. Which assignment collects gradients?
 * hint: Rows that are used more than once hold only their last gradient, and what stood in the tables is gone. Add
 * instead of assigning.
 * section: gradients-are-added
 */

/* encoder_backward: tokens-overwritten
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] = d[c]
 * why: Tokens that occur more than once hold only their last gradient. You overwrote the token's row. From which
 * positions does it collect?
 * hint: Tokens that occur more than once hold only their last gradient. Add instead of assigning: a row collects from
 * every position of its token.
 * section: gradients-are-added
 */

/* encoder_backward: padding-id-left-out
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] += inp[b * T + t] ? d[c] : 0.0f
 * why: Row 0 of dwte stays empty. You left id 0 out as if it were padding, which it is elsewhere in this course. Which
 * token of GPT-2 has the id 0?
 * hint: Row 0 of your dwte gets no gradient. GPT-2 has no padding: id 0 is a token like any other.
 * section: table-gradients
 */

/* encoder_backward: positions-overwritten
 * base: plain-loops
 * edit: dposition[c] += d[c]  =>  dposition[c] = d[c]
 * why: Your dwpe holds the last sequence's gradients. You overwrote the position's row. From which sequences does it
 * collect?
 * hint: Your dwpe holds the last sequence's gradients. Add instead of assigning: a position's row collects from all
 * sequences.
 * section: gradients-are-added
 */

/* encoder_backward: no-gradient-for-tokens
 * base: plain-loops
 * edit: float *dtoken = dwte + inp[b * T + t] * C;  =>  (void)dwte, (void)inp;
 * edit: dtoken[c] += d[c];  =>
 * why: Your dwte stays as it was. You gave the gradient to the positions alone. Which terms did the sum of the forward
 * pass have?
 * hint: Your dwte stays as it was. Add the same gradient to the row of the token.
 * section: table-gradients
 */

/* encoder_backward: no-gradient-for-positions
 * base: plain-loops
 * edit: float *dposition = dwpe + t * C;  =>  (void)dwpe;
 * edit: dposition[c] += d[c];  =>
 * why: Your dwpe stays as it was. You gave the gradient to the tokens alone. Which terms did the sum of the forward
 * pass have?
 * hint: Your dwpe stays as it was. Add the same gradient to the row of the position.
 * section: table-gradients
 */

/* encoder_backward: half-for-each
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] += d[c] / 2
 * edit: dposition[c] += d[c]  =>  dposition[c] += d[c] / 2
 * why: Both gradients are half of what they should be. You divided the arriving gradient between the two. How much of
 * it does each term of a sum get?
 * hint: Both of your gradients are half of what they should be. Each term of a sum gets the whole gradient.
 * section: table-gradients
 */

/* encoder_backward: positions-of-the-first-sequence
 * base: plain-loops
 * edit: dposition[c] += d[c];  =>  if (b == 0) dposition[c] += d[c];
 * why: Your dwpe misses all sequences but the first. You collected from a single one. Which sequences used these rows?
 * hint: Your dwpe misses all sequences but the first. Add in every round of the loop over b.
 * section: table-gradients
 */

/* encoder_backward: averaged-over-the-batch
 * base: plain-loops
 * edit: dposition[c] += d[c]  =>  dposition[c] += d[c] / B
 * why: Your dwpe is B times too small. You averaged over the batch. Which reduction does a shared row get, and where is
 * the mean taken?
 * hint: Your dwpe is too small by the factor B. Sum over the batch instead of averaging.
 * section: table-gradients
 */

/* encoder_backward: positions-go-on-counting
 * base: plain-loops
 * edit: dwpe + t * C  =>  dwpe + (b * T + t) * C
 * why: Each sequence adds to rows of dwpe of its own. You counted positions through the whole batch. At which position
 * does every sequence begin?
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
 * why: Your dwte collects by position, not by token. You wrote to row t. Which row did the forward pass read?
 * hint: Your dwte collects by position, not by token. Its row is the id that stands at position (b, t).
 * section: table-gradients
 */

/* encoder_backward: same-ids-in-every-sequence
 * base: plain-loops
 * edit: inp[b * T + t]  =>  inp[t]
 * why: The gradients of later sequences go to the tokens of the first. Your index into the ids does not depend on b.
 * Which id belongs to position (b, t)?
 * hint: The gradients of later sequences go to the tokens of the first one. The ids of sequence b come after T ids for
 * each earlier sequence.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: same-gradients-in-every-sequence
 * base: plain-loops
 * edit: (b * T + t)  =>  t
 * why: Your sums repeat the gradients of the first sequence. Your offset into dout does not depend on b. Where does row
 * (b, t) begin?
 * hint: Your sums repeat the first sequence. Row (b, t) of dout comes after b whole sequences and t rows.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: table-rows-of-length-t
 * base: plain-loops
 * edit: inp[b * T + t] * C  =>  inp[b * T + t] * T
 * why: Your gradients begin in the middle of other tokens' rows. You assumed rows of length T in dwte. How long is a
 * row of this table?
 * hint: Your gradients begin in the middle of other tokens' rows. A row of dwte has C entries.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: places-not-in-rows-of-c
 * base: two-sweeps
 * each: PLACE = c * T + t; t * T + c
 * edit: dwpe[t * C + c]  =>  dwpe[PLACE]
 * why: Your gradients of one position are spread over several rows of dwpe. You did not step through it in rows of
 * length C. At which entry does row t begin?
 * hint: Your gradients of one position are spread over several rows of dwpe. Row t begins after t rows of C entries.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: positions-cleared-first
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     memset(dwpe, 0, sizeof(float) * T * C);
 *     for (int b = 0; b < B; b++) {
 * why: What stood in dwpe is gone. You cleared its rows before adding, which is the caller's task. What does a backward
 * kernel do with the numbers that it finds?
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
 * why: Gradients of ids above 255 end in the row of another token. You used a type of one byte, which begins at 0 again
 * after 255, but GPT-2 has 50,257 tokens. Which type can hold them?
 * hint: Gradients of ids above 255 end in the row of another token. Keep ids in an `int`, or in a `size_t` for the
 * address.
 * section: table-gradients
 */

/* encoder_backward: table-of-the-first-call
 * base: plain-loops
 * edit: float *dtoken = dwte +  =>  static float *table; if (table == NULL) table = dwte; float *dtoken = table +
 * why: Your kernel is right when it is called once, and later calls still add to the first call's table. You kept it in
 * a `static` variable, which holds its value from call to call. Which table does each call receive?
 * hint: Your kernel is right when it is called once. In a later call it still adds to the dwte of the first call:
 * leave out `static`, and use the argument.
 * section: gradients-are-added
 */

/* encoder_backward: opposite-sign
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] -= d[c]
 * edit: dposition[c] += d[c]  =>  dposition[c] -= d[c]
 * why: Both tables have the opposite sign. You subtracted the gradient. With which sign does a sum pass it on?
 * hint: Both tables have the opposite sign. Add the gradient instead.
 * section: table-gradients
 */

/* encoder_backward: last-channel-left-out
 * base: plain-loops
 * edit: c < C  =>  c < C - 1
 * why: The last channel of every row gets no gradient. Your loop ends one channel too early. Which condition makes it
 * run C times from 0?
 * hint: The last channel of every row gets no gradient. The loop has to run over all C channels.
 * section: table-gradients
 */

/* encoder_backward: position-of-the-sequence
 * base: plain-loops
 * edit: dwpe + t * C  =>  dwpe + b * C
 * why: All positions of a sequence add to one row. You chose the row of dwpe by the number of the sequence. Which of b
 * and t is the position?
 * hint: All positions of a sequence add to one row. The row of dwpe is t.
 * section: table-gradients
 */

/* encoder_backward: first-position-for-all
 * base: two-sweeps
 * edit: dwpe[t * C + c]  =>  dwpe[c]
 * why: Row 0 of dwpe gets the gradients of all positions. Your index does not depend on t. To which row does
 * position t add?
 * hint: Row 0 of dwpe gets the gradients of all positions. Position t adds to row t, so t belongs in the index.
 * section: table-gradients
 */

/* encoder_backward: position-of-the-token-id
 * base: plain-loops
 * edit: dwpe + t * C  =>  dwpe + inp[b * T + t] * C
 * why: Your position gradients follow the tokens. You chose the row of dwpe by the token. To what does a position
 * vector belong?
 * hint: Your position gradients follow the tokens. The row of dwpe is t.
 * section: table-gradients
 */

/* encoder_backward: gradients-in-columns
 * base: plain-loops
 * edit: dout + (b * T + t) * C  =>  dout + (t * B + b) * C
 * why: Your gradients belong to other positions. You read dout as (T, B, C). Where does row (b, t) begin?
 * hint: Your gradients belong to other positions. dout is (B, T, C): the rows of one sequence stand together.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: sequences-one-row-apart
 * base: plain-loops
 * edit: dout + (b * T + t) * C  =>  dout + (b + t) * C
 * why: Only the first sequence is right. You put sequences one row apart in dout. How many rows does a sequence have?
 * hint: Only the first sequence is right. Row (b, t) of dout comes after b whole sequences of T rows, and t rows.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: averaged-over-the-sequence
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] += d[c] / T
 * why: Your dwte is T times too small. You divided by the number of positions. Which reduction does a shared row get?
 * hint: Your dwte is too small by the factor T. Leave the division out.
 * section: table-gradients
 */

/* encoder_backward: averaged-over-all-positions
 * base: plain-loops
 * edit: dtoken[c] += d[c]  =>  dtoken[c] += d[c] / (B * T)
 * edit: dposition[c] += d[c]  =>  dposition[c] += d[c] / (B * T)
 * why: Both tables are B * T times too small. You divided by the number of positions. Where has the mean already been
 * taken?
 * hint: Both tables are too small by the factor B * T. Leave the division out.
 * section: table-gradients
 */

/* encoder_backward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence counts in no gradient. Your loop ends one position too early. Which
 * condition makes it run T times from 0?
 * hint: The last position of every sequence counts in no gradient. The loop has to run over all T positions.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence counts in no gradient. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence counts in no gradient. Positions count from 0.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence counts in no gradient. Your loop ends one sequence too early. Which condition makes it run B
 * times from 0?
 * hint: The last sequence counts in no gradient. The loop has to run over all B sequences.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: only-one-sequence
 * base: plain-loops
 * edit: b < B  =>  b < 1
 * why: Only the first sequence counts in your gradients. Your loop makes a single round. How many sequences are there?
 * hint: Only the first sequence counts in your gradients. Let b run to B.
 * section: addresses-on-the-way-back
 */

/* encoder_backward: one-table-twice
 * base: plain-loops
 * each: TABLE = dtoken; dposition
 * edit: TABLE[c] += d[c]  =>  TABLE[c] += 2.0f * d[c]
 * why: One of your two tables is twice as large as it should be. You added the gradient to it twice. How often does
 * each vector enter an output?
 * hint: One of your two tables is too large by the factor 2. Add dout to each of them once.
 * section: table-gradients
 */

/* layernorm_backward: input-gradient-overwritten
 * base: plain-loops
 * edit: dx[c] += rstd[i] * (g - mean_g - n * mean_gn)  =>  dx[c] = rstd[i] * (g - mean_g - n * mean_gn)
 * why: What stood in dinp is gone. You overwrote it, but the residual connection has put its gradient there. Which
 * assignment collects gradients?
 * hint: What stood in dinp is gone. Add to it instead of assigning.
 * section: gradients-are-added
 */

/* layernorm_backward: parameter-gradients-overwritten
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] = d[c]
 * edit: dweight[c] += d[c] * n  =>  dweight[c] = d[c] * n
 * why: Your dweight and dbias hold the last position's gradients. You overwrote them at every position. From which
 * positions do they collect?
 * hint: Your dweight and dbias hold the last position's gradients. They are sums over all positions: add instead of
 * assigning.
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
 * why: Your dinp lacks two terms. You treated mean and standard deviation as constants. On which channels of the row do
 * they depend?
 * hint: Your dinp takes the direct path alone. Two terms are missing: one for the path through the mean, and one for
 * the path through the standard deviation.
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
 * why: Your dinp lacks one term, the path through the standard deviation. You treated it as a constant. On which
 * channels of the row does it depend?
 * hint: Your dinp lacks the path through the standard deviation. Differentiate rstd with respect to one entry, and
 * subtract that term inside the bracket.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-path-through-the-mean
 * base: plain-loops
 * edit: float mean_g = 0.0f, mean_gn = 0.0f;  =>  float mean_gn = 0.0f;
 * edit: mean_g += g / C;  =>
 * edit: g - mean_g  =>  g
 * why: Your dinp lacks one term, the path through the mean. You treated the mean as a constant. On which channels of
 * the row does it depend?
 * hint: Your dinp lacks the path through the mean. Every entry has the share 1 / C in it, and the mean moves all
 * outputs of the row.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-for-means
 * base: plain-loops
 * edit: mean_g += g / C  =>  mean_g += g
 * edit: g * n / C  =>  g * n
 * why: The two terms that you subtract in dinp are C times too large. You used sums. Which reduction did the forward
 * pass use for its statistics?
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
 * why: Your dinp is right only where the weight is 1. You left the weight out. By what was the normalised input
 * multiplied in the forward pass?
 * hint: Your dinp is right only where the weight is 1. Start from g = dout * weight.
 * section: layernorm-gradients
 */

/* layernorm_backward: rstd-forgotten
 * base: plain-loops
 * edit: rstd[i] * (g - mean_g - n * mean_gn)  =>  (g - mean_g - n * mean_gn)
 * why: Your dinp is off by one factor in each row. You left out the division by the standard deviation. Which stored
 * number stands for it?
 * hint: Your dinp is off by one factor in each row: rstd. Multiply the bracket by it.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-go-on
 * base: plain-loops
 * each: RESET = (void)0; if (i % T == 0) mean_g = mean_gn = 0
 * edit: float mean_g = 0.0f, mean_gn = 0.0f;  =>
 * edit: for (int i = 0; i < B * T; i++) {  =>  float mean_g = 0, mean_gn = 0; for (int i = 0; i < B * T; i++) { RESET;
 * why: Your first row of dinp is right, and later ones are not. You let the two means go on from row to row. When
 * should they start at 0?
 * hint: Your first row of dinp is right, and the later ones are not. Start both means at 0 in every row.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-of-the-raw-input
 * base: plain-loops
 * each: INPUT = x[c]; x[c] * rstd[i]
 * edit: d[c] * n  =>  d[c] * INPUT
 * why: The mean of the input is not subtracted in your dweight. You multiplied by an input that is not centred. What
 * did the weight multiply in the forward pass?
 * hint: The mean is not subtracted in your dweight. Its factor is the normalised input, which is centred and scaled.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-not-scaled
 * base: plain-loops
 * edit: d[c] * n  =>  d[c] * (x[c] - mean[i])
 * why: Your dweight lacks the division by the standard deviation. You multiplied by the centred input. What did the
 * weight multiply in the forward pass?
 * hint: Your dweight lacks the factor rstd. Its factor is the normalised input, which is centred and scaled.
 * section: layernorm-gradients
 */

/* layernorm_backward: parameter-gradients-with-weight
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += g
 * edit: d[c] * n  =>  g * n
 * why: Your dweight and dbias contain the weight as a factor. You multiplied by it too early. Which of the three
 * gradients has the weight as a factor?
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
 * why: Your dweight and dbias stay as they were. You gave a gradient to the input alone. Which parameters of the layer
 * learn?
 * hint: Your dweight and dbias stay as they were. Add dout * normalised input to the one and dout to the other.
 * section: layernorm-gradients
 */

/* layernorm_backward: averaged-over-the-positions
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += d[c] / (B * T)
 * edit: d[c] * n  =>  d[c] * n / (B * T)
 * why: Your dweight and dbias are B * T times too small. You averaged over the positions. Where has the mean already
 * been taken?
 * hint: Your dweight and dbias are too small by the factor B * T. Sum over the positions instead of averaging.
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
 * why: Your gradients are right for the first sequence alone. You left b out of the index into mean and rstd. Which
 * entry belongs to position (b, t)?
 * hint: Your gradients are right for the first sequence alone. mean and rstd have an entry for every position of every
 * sequence.
 * section: addresses-on-the-way-back
 */

/* layernorm_backward: weight-gradient-overwritten
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  dweight[c] = d[c] * n
 * why: Your dweight holds the last position's gradient. You overwrote it at every position. From which positions does
 * it collect?
 * hint: Your dweight holds the last position's gradient. It is a sum over all positions: add instead of assigning.
 * section: gradients-are-added
 */

/* layernorm_backward: bias-gradient-overwritten
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] = d[c]
 * why: Your dbias holds the last position's gradient. You overwrote it at every position. From which positions does it
 * collect?
 * hint: Your dbias holds the last position's gradient. It is a sum over all positions: add instead of assigning.
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
 * why: Your kernel is right when it is called once, and a later call with wider rows writes past the end. You gave a
 * `static` buffer the size that the first call needs. What can be computed again instead of stored?
 * hint: Your kernel is right when it is called once. A later call may have a larger C: your `static` buffer is too
 * small for it. Compute its numbers again where you need them.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-of-the-last-call
 * base: plain-loops
 * edit: float mean_g = 0.0f, mean_gn = 0.0f;  =>  static float mean_g, mean_gn; if (i > 0) mean_g = mean_gn = 0.0f;
 * why: Your kernel is right when it is called once, and a later call begins with the sums of the call before. You made
 * them `static`. When should they be set to 0?
 * hint: Your kernel is right when it is called once. A later call begins with the sums of the call before: they
 * are `static`. Set them to 0 at the beginning of every row.
 * section: layernorm-gradients
 */

/* layernorm_backward: bias-gradient-with-weight
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += g
 * why: Your dbias contains the weight as a factor. You used dout * weight, but the bias is added after that
 * multiplication. Which gradient arrives at it?
 * hint: Your dbias contains the weight as a factor. It is the sum of dout.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-with-weight
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  dweight[c] += g * n
 * why: Your dweight contains the weight as a factor. You kept the factor that is differentiated. What is left of a
 * product when one factor is differentiated?
 * hint: Your dweight contains the weight as a factor. It is the sum of dout times the normalised input.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-without-input
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  dweight[c] += d[c]
 * why: Your dweight equals dbias. You left out what the weight multiplies. Which number is that?
 * hint: Your dweight equals dbias. Multiply dout by the normalised input.
 * section: layernorm-gradients
 */

/* layernorm_backward: first-sum-for-mean
 * base: plain-loops
 * edit: mean_g += g / C  =>  mean_g += g
 * why: In your dinp the term of the mean is C times too large. You subtracted the sum of g. Which share does each
 * channel have in a mean?
 * hint: In your dinp the term of the mean is too large by the factor C: it is the mean of dout * weight over the row.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-sum-for-mean
 * base: plain-loops
 * edit: mean_gn += g * n / C  =>  mean_gn += g * n
 * why: In your dinp the term of the standard deviation is C times too large. You subtracted a sum. Which share does
 * each channel have in a variance?
 * hint: In your dinp the term of the standard deviation is too large by the factor C. It needs the mean of dout *
 * weight * n over the row.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-term-without-the-input
 * base: plain-loops
 * edit: n * mean_gn  =>  mean_gn
 * why: In your dinp the term of the standard deviation is the same for all channels. You left a factor out. Which
 * number of each channel multiplies it?
 * hint: In your dinp the term of the standard deviation is the same for all channels. It lacks the normalised input n.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-term-not-scaled
 * base: plain-loops
 * edit: n * mean_gn  =>  (x[c] - mean[i]) * mean_gn
 * why: Your dweight is right, and dinp is not. In the term of the standard deviation you multiplied by the centred
 * input, which is not scaled. What did the forward pass multiply it by?
 * hint: In your dinp the term of the standard deviation is off by the factor 1 / rstd. Multiply the mean by n, the
 * normalised input.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-term-scaled-twice
 * base: plain-loops
 * edit: n * mean_gn  =>  n * rstd[i] * mean_gn
 * why: Your dweight is right, and dinp is not. You put rstd into the term of the standard deviation once too often.
 * Which factor of that term contains rstd already?
 * hint: In your dinp the term of the standard deviation is off by the factor rstd. The normalised input contains rstd
 * already.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-term-added
 * base: plain-loops
 * edit: - n * mean_gn  =>  + n * mean_gn
 * why: In your dinp the term of the standard deviation has the wrong sign. You added it. What does the formula do with
 * both means?
 * hint: In your dinp the term of the standard deviation has the wrong sign. Both means are subtracted.
 * section: layernorm-gradients
 */

/* layernorm_backward: first-term-added
 * base: plain-loops
 * edit: (g - mean_g  =>  (g + mean_g
 * why: In your dinp the term of the mean has the wrong sign. You added it. What does the formula do with both means?
 * hint: In your dinp the term of the mean has the wrong sign. Both means are subtracted.
 * section: layernorm-gradients
 */

/* layernorm_backward: rstd-twice
 * base: plain-loops
 * edit: rstd[i] * (g  =>  rstd[i] * rstd[i] * (g
 * why: Your dinp contains rstd once too often. You multiplied the bracket by it twice. How often does the bracket need
 * it?
 * hint: Your dinp is off by the factor rstd. Multiply by rstd once.
 * section: layernorm-gradients
 */

/* layernorm_backward: divided-by-rstd
 * base: plain-loops
 * edit: rstd[i] * (g  =>  1.0f / rstd[i] * (g
 * why: Your dinp is off by the square of rstd. You divided by it. What did the forward pass do with rstd?
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
 * why: Your dweight is off by the means of the rows. You did not centre the normalised input. What did the forward pass
 * subtract?
 * hint: Your dweight is off by the means of the rows. Subtract the mean of the row before you multiply by rstd.
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
 * why: Your normalised input has the wrong size. You divided by rstd. What does the r in its name stand for?
 * hint: Your normalised input has the wrong size. rstd is one over the standard deviation: multiply by it.
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
 * why: Your dweight is off by the standard deviation. You did not scale the normalised input. By which stored number
 * did the forward pass multiply?
 * hint: Your dweight is off by the factor 1 / rstd. Multiply the centred input by rstd.
 * section: layernorm-gradients
 */

/* layernorm_backward: only-one-sequence
 * base: plain-loops
 * edit: i < B * T  =>  i < T
 * why: Only the first sequence counts in your gradients. Your loop ends after T positions. How many positions are there
 * in all?
 * hint: Only the first sequence counts in your gradients. Let the loop run to B * T.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-divided-by-positions
 * base: plain-loops
 * edit: g / C  =>  g / (B * T)
 * edit: g * n / C  =>  g * n / (B * T)
 * why: The terms that you subtract have the wrong size. You divided sums over a row by the number of positions. How
 * many terms do they have?
 * hint: The terms that you subtract have the wrong size. Divide the sums over a row by the number of its channels.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-gradient-with-opposite-sign
 * base: plain-loops
 * edit: dweight[c] += d[c]  =>  dweight[c] -= d[c]
 * why: Your dweight has the opposite sign. You subtracted the gradient. With which sign does the weight enter the
 * output?
 * hint: Your dweight has the opposite sign. Add the gradient instead.
 * section: gradients-are-added
 */

/* layernorm_backward: bias-gradient-averaged
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  dbias[c] += d[c] / (B * T)
 * why: Your dbias is B * T times too small. You averaged over the positions. Where has the mean already been taken?
 * hint: Your dbias is too small by the factor B * T. It is a sum over all positions.
 * section: layernorm-gradients
 */

/* layernorm_backward: input-gradient-with-opposite-sign
 * base: plain-loops
 * edit: dx[c] += rstd  =>  dx[c] -= rstd
 * why: Your dinp has the opposite sign. You subtracted the gradient. How are gradients collected?
 * hint: Your dinp has the opposite sign. Add the gradient instead.
 * section: gradients-are-added
 */

/* layernorm_backward: no-weight-gradient
 * base: plain-loops
 * edit: dweight[c] += d[c] * n  =>  (void)dweight
 * why: Your dweight is as it was before the call. You gave the weight no gradient. What does it multiply in the forward
 * pass?
 * hint: Your dweight is as it was before the call. Add dout times the normalised input.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-bias-gradient
 * base: plain-loops
 * edit: dbias[c] += d[c]  =>  (void)dbias
 * why: Your dbias is as it was before the call. You gave the bias no gradient. To what is it added in the forward pass?
 * hint: Your dbias is as it was before the call. Add dout of every position.
 * section: layernorm-gradients
 */

/* layernorm_backward: no-input-gradient
 * base: plain-loops
 * edit: dx[c] += rstd[i] * (g - mean_g - n * mean_gn)  =>  (void)dx
 * why: Your dinp is as it was before the call. You computed the sums and did not use them. Which three terms does the
 * bracket of the formula have?
 * hint: Your dinp is as it was before the call. Combine g with the two means, and add the result.
 * section: layernorm-gradients
 */

/* layernorm_backward: sums-without-the-weight
 * base: plain-loops
 * edit: mean_g += g  =>  mean_g += d[c]
 * edit: mean_gn += g  =>  mean_gn += d[c]
 * why: The two means in your dinp lack the weight. You took them of dout. Which gradient passes through the statistics?
 * hint: The two means in your dinp lack the weight. Take them of dout * weight, as in the first term.
 * section: layernorm-gradients
 */

/* layernorm_backward: weight-outside-of-the-means
 * base: plain-loops
 * edit: mean_g += g  =>  mean_g += d[c]
 * edit: mean_gn += g  =>  mean_gn += d[c]
 * edit: (g - mean_g - n * mean_gn)  =>  (g - weight[c] * (mean_g + n * mean_gn))
 * why: Your dinp is right only where all channels have the same weight. You took the weight out of both means,
 * although they run over channels with different weights. Which gradient is averaged over the row?
 * hint: Your dinp is right only where all channels have the same weight. Multiply dout by the weight before you take
 * the two means.
 * section: layernorm-gradients
 */

/* matmul_backward: input-gradient-overwritten
 * base: plain-loops
 * edit: dx[c] += d[o] * weight[o * C + c]  =>  dx[c] = d[o] * weight[o * C + c]
 * why: Your dinp holds the last output channel's part alone. You overwrote it in the loop. Which output channels use
 * each input?
 * hint: Your dinp holds the last output channel's part alone. It is a sum over o: add instead of assigning.
 * section: gradients-are-added
 */

/* matmul_backward: input-gradient-cleared-first
 * base: plain-loops
 * edit:
 *     float *dx = dinp + (b * T + t) * C;
 * =>
 *     float *dx = dinp + (b * T + t) * C;
 *     memset(dx, 0, C * sizeof(float));
 * why: What stood in dinp is gone. You cleared its rows before adding, which is the caller's task. What does a backward
 * kernel do with the numbers that it finds?
 * hint: What stood in dinp is gone. A backward kernel never clears: it adds to what is there.
 * section: gradients-are-added
 */

/* matmul_backward: gradients-cleared-first
 * base: plain-loops
 * edit:
 *     for (int b = 0; b < B; b++) {
 * =>
 *     memset(dinp, 0, sizeof(float) * B * T * C), memset(dweight, 0, sizeof(float) * OC * C);
 *     for (int b = 0; b < B; b++) {
 * why: What stood in dinp and dweight is gone. You cleared them before adding, which is the caller's task. What does
 * a backward kernel do with the numbers that it finds?
 * hint: What stood in dinp and dweight is gone. A backward kernel never clears: it adds to what is there.
 * section: gradients-are-added
 */

/* matmul_backward: weight-gradient-overwritten
 * base: plain-loops
 * edit: dweight[o * C + c] += d[o] * x[c]  =>  dweight[o * C + c] = d[o] * x[c]
 * why: Your dweight holds the last position's part alone. You overwrote it. Which positions use the weight?
 * hint: Your dweight holds the last position's part alone. It is a sum over all positions: add instead of assigning.
 * section: gradients-are-added
 */

/* matmul_backward: bias-gradient-overwritten
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] = d[o]
 * why: Your dbias holds the last position's part alone. You overwrote it. Which positions use the bias?
 * hint: Your dbias holds the last position's part alone. It is a sum over all positions: add instead of assigning.
 * section: gradients-are-added
 */

/* matmul_backward: bias-without-test
 * base: plain-loops
 * edit: if (dbias != NULL) dbias[o] += d[o];  =>  dbias[o] += d[o];
 * why: Your kernel writes through a NULL pointer where a layer has no bias. You did not test for it. When may dbias be
 * written?
 * hint: Your kernel writes through a NULL pointer where the layer has no bias. Test first whether there is a bias.
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
 * why: Your dbias stays as it was. You gave the bias no gradient. To which positions is it added in the forward pass?
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
 * why: Where dbias is NULL, nothing is added anywhere. You return at once. Which part of the work depends on the bias?
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
 * why: Your dbias is C times too large. You added to it inside the loop over the input channels. How often does the
 * bias enter an output?
 * hint: Your dbias is C times too large. Add to it outside the loop over the input channels.
 * section: linear-gradients
 */

/* matmul_backward: weight-not-transposed
 * base: plain-loops
 * edit: d[o] * weight[o * C + c]  =>  d[o] * weight[c * OC + o]
 * why: Your dinp mixes weights of other channels. You read the weight as (C, OC). In which layout is it stored in both
 * passes?
 * hint: Your dinp mixes weights of other channels. The weight is (OC, C) in the backward pass as well: row o holds C
 * entries.
 * section: linear-gradients
 */

/* matmul_backward: weight-gradient-transposed
 * base: plain-loops
 * edit: dweight[o * C + c]  =>  dweight[c * OC + o]
 * why: Your dweight is transposed. You wrote it as (C, OC). Which shape does the gradient of a weight have?
 * hint: Your dweight is transposed. It has the shape of the weight, (OC, C): row o holds C entries.
 * section: linear-gradients
 */

/* matmul_backward: weight-in-its-own-gradient
 * base: plain-loops
 * edit: const float *x = inp + (b * T + t) * C;  =>  (void)inp;
 * edit: d[o] * x[c]  =>  d[o] * weight[o * C + c]
 * why: Your dweight does not depend on the input. You multiplied by the weight itself. Which factor does the product
 * rule leave?
 * hint: Your dweight does not depend on the input. Multiply dout by the other factor of the product, which is inp.
 * section: linear-gradients
 */

/* matmul_backward: averaged-over-the-positions
 * base: plain-loops
 * each: ROWS = (B * T); 1
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[o] / ROWS
 * edit: d[o] * x[c]  =>  d[o] * x[c] / (B * T)
 * why: Your dweight is B * T times too small. You averaged over the positions. Where has the mean already been
 * taken?
 * hint: Your dweight is too small by the factor B * T. Sum over the positions instead of averaging.
 * section: linear-gradients
 */

/* matmul_backward: only-one-sequence
 * base: plain-loops
 * edit: (b * T + t) * OC  =>  t * OC
 * edit: *x = inp + (b * T + t) * C  =>  *x = inp + t * C
 * edit: dinp + (b * T + t) * C  =>  dinp + t * C
 * why: Your gradients repeat the first sequence. Your offsets do not depend on b. Which row belongs to position (b, t)?
 * hint: Your gradients repeat the first sequence. Row (b, t) of dout, inp and dinp comes after b whole sequences and t
 * rows.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: gradient-rows-of-length-c
 * base: plain-loops
 * edit: (b * T + t) * OC  =>  (b * T + t) * C
 * why: Only the first position is right. You assumed rows of length C in dout. How long is a row of the output?
 * hint: Only the first position is right. A row of dout has OC entries.
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
 * why: Rows of dweight from the 65th on stay as they were, and dinp lacks their part. You assumed that the outputs fit
 * into a small array. Up to which number should the loop run?
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
 * why: Your kernel is right when it is called once, and later calls still use the first call's weights. You keep them
 * in a `static` copy. Which weights does each call receive?
 * hint: Your kernel is right when it is called once. A later call still multiplies by the weights of the first
 * call: your copy of them is `static`. Use the argument.
 * section: linear-gradients
 */

/* matmul_backward: bias-gradient-of-one-output
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[0]
 * why: Your dbias holds one number OC times. You gave every output the gradient of output 0. Which gradient belongs to
 * output o?
 * hint: Your dbias holds one number OC times. Its entry o collects the gradient of output o.
 * section: linear-gradients
 */

/* matmul_backward: input-in-its-own-gradient
 * base: plain-loops
 * edit: d[o] * weight[o * C + c]  =>  d[o] * x[c]
 * why: Your dinp does not depend on the weight. You multiplied by the input itself. Which factor does the product rule
 * leave?
 * hint: Your dinp does not depend on the weight. Multiply dout by the weight.
 * section: linear-gradients
 */

/* matmul_backward: as-many-outputs-as-inputs
 * base: plain-loops
 * edit: o < OC  =>  o < C
 * why: Only C outputs count in your gradients. Your loop has the wrong end. How many outputs are there?
 * hint: Only C outputs count in your gradients. Let the loop over the outputs run to OC.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: gradients-of-the-first-sequence
 * base: plain-loops
 * edit: dout + (b * T + t) * OC  =>  dout + t * OC
 * why: The first sequence is right, and all others get its gradients. Your rows of dout do not depend on b. Where does
 * row (b, t) begin?
 * hint: All sequences get the gradients of the first. Row (b, t) of dout comes after b whole sequences and t rows.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: inputs-of-the-first-sequence
 * base: plain-loops
 * edit: *x = inp + (b * T + t) * C  =>  *x = inp + t * C
 * why: Your dweight uses the first sequence's inputs for all. Your rows of inp do not depend on b. Where does row (b,
 * t) begin?
 * hint: Your dweight uses the first sequence's inputs for all. Row (b, t) of inp comes after b whole sequences and t
 * rows.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: weight-gradient-averaged-over-the-batch
 * base: plain-loops
 * edit: d[o] * x[c]  =>  d[o] * x[c] / B
 * why: Your dweight is B times too small. You averaged over the batch. Where has the mean already been taken?
 * hint: Your dweight is too small by the factor B. Leave the division out.
 * section: linear-gradients
 */

/* matmul_backward: bias-gradient-of-the-last-position
 * base: plain-loops
 * edit: if (dbias != NULL)  =>  if (dbias != NULL && t == T - 1)
 * why: Your dbias lacks all positions but the last of each sequence. You collected at the last position only. To which
 * positions is the bias added?
 * hint: Your dbias lacks all positions but the last. It is the sum over all b and t.
 * section: linear-gradients
 */

/* matmul_backward: bias-gradient-with-input
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[o] * x[0]
 * why: Your dbias depends on the input. You multiplied by it, but the bias is added as it is. Which gradient arrives at
 * a term of a sum?
 * hint: Your dbias depends on inp. It is the sum of dout alone.
 * section: linear-gradients
 */

/* matmul_backward: opposite-sign
 * base: plain-loops
 * edit: dx[c] += d  =>  dx[c] -= d
 * edit: dweight[o * C + c] += d  =>  dweight[o * C + c] -= d
 * edit: dbias[o] += d  =>  dbias[o] -= d
 * why: All gradients have the opposite sign. You subtracted them. With which sign does a product enter the sum?
 * hint: All your gradients have the opposite sign. Add them instead.
 * section: gradients-are-added
 */

/* matmul_backward: gradients-in-columns
 * base: plain-loops
 * edit: dout + (b * T + t) * OC  =>  dout + (t * B + b) * OC
 * why: Your gradients belong to other positions. You read dout as (T, B, OC). Where does row (b, t) begin?
 * hint: Your gradients belong to other positions. dout is (B, T, OC): the rows of one sequence stand together.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence counts in no gradient. Your loop ends one position too early. Which
 * condition makes it run T times from 0?
 * hint: The last position of every sequence counts in no gradient. The loop has to run over all T positions.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence counts in no gradient. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence counts in no gradient. Positions count from 0.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence counts in no gradient. Your loop ends one sequence too early. Which condition makes it run B
 * times from 0?
 * hint: The last sequence counts in no gradient. The loop has to run over all B sequences.
 * section: addresses-on-the-way-back
 */

/* matmul_backward: bias-gradient-averaged
 * base: plain-loops
 * edit: dbias[o] += d[o]  =>  dbias[o] += d[o] / (B * T)
 * why: Your dbias is B * T times too small. You averaged over the positions. Where has the mean already been taken?
 * hint: Your dbias is too small by the factor B * T. It is a sum over all positions.
 * section: linear-gradients
 */

/* matmul_backward: weight-gradient-of-the-first-sequence
 * base: plain-loops
 * edit: dweight[o * C + c] += d  =>  if (b == 0) dweight[o * C + c] += d
 * why: Your dweight lacks all sequences but the first. You collected from a single one. Which sequences use the weight?
 * hint: Your dweight lacks all sequences but the first. Sum over all b and t.
 * section: linear-gradients
 */

/* matmul_backward: weight-gradient-with-opposite-sign
 * base: plain-loops
 * edit: dweight[o * C + c] += d  =>  dweight[o * C + c] -= d
 * why: Your dweight has the opposite sign. You subtracted the gradient. With which sign does a product enter the sum?
 * hint: Your dweight has the opposite sign. Add the gradient instead.
 * section: gradients-are-added
 */

/* matmul_backward: no-weight-gradient
 * base: plain-loops
 * edit: dweight[o * C + c] += d[o] * x[c]  =>  (void)dweight, (void)x
 * why: Your dweight is as it was before the call. You gave the weight no gradient. By which factor is it multiplied in
 * the forward pass?
 * hint: Your dweight is as it was before the call. Add dout times inp.
 * section: linear-gradients
 */

/* matmul_backward: no-input-gradient
 * base: plain-loops
 * edit: dx[c] += d[o] * weight[o * C + c]  =>  (void)dx, (void)weight
 * why: Your dinp is as it was before the call. You gave the input no gradient. By which factor is it multiplied in the
 * forward pass?
 * hint: Your dinp is as it was before the call. Add dout times weight.
 * section: linear-gradients
 */

/* matmul_backward: no-weight-gradient-without-bias
 * base: plain-loops
 * edit: dweight[o * C + c] +=  =>  if (dbias != NULL) dweight[o * C + c] +=
 * why: Where dbias is NULL, your dweight gets nothing. You put dweight under the condition that belongs to dbias. Which
 * of the two depends on the bias?
 * hint: Where dbias is NULL, your dweight gets nothing. Only the addition to dbias depends on that test.
 * section: linear-gradients
 */

/* attention_backward: no-scale
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs);  =>
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i]
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i]
 * why: Your dq and dk are sqrt(hs) times too large. You left the scale out of the backward pass. By what were the
 * scores multiplied in the forward pass?
 * hint: Your dq and dk are sqrt(hs) times too large. Multiply both by the scale of the forward pass.
 * section: attention-gradients
 */

/* attention_backward: scale-on-the-queries-only
 * base: plain-loops
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i]
 * why: Your dk is sqrt(hs) times too large. You scaled the gradient of the queries alone. Which factors of the dot
 * product get the scale?
 * hint: Your dk is sqrt(hs) times too large. Scale it like dq.
 * section: attention-gradients
 */

/* attention_backward: no-root-in-the-scale
 * base: plain-loops
 * edit: sqrtf(hs)  =>  hs
 * why: Your dq and dk are sqrt(hs) times too small. You divided by hs itself. Which scale did the forward pass use?
 * hint: Your dq and dk are too small by the factor sqrt(hs). The forward pass divides by the root of hs.
 * section: attention-gradients
 */

/* attention_backward: scale-in-the-scores-gradient
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  a[u] * (da[u] - sum) * scale
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i]
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i]
 * why: Your dinp is right, but dpreatt is sqrt(hs) times too small. You put the scale into it, although preatt holds
 * scaled scores. In which gradients does the scale belong?
 * hint: Your dinp is right, but dpreatt is too small by the factor sqrt(hs). Apply the scale to dq and dk.
 * section: attention-gradients
 */

/* attention_backward: own-weight-only
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: sum += a[u] * da[u];  =>
 * edit: a[u] * (da[u] - sum)  =>  a[u] * (1.0f - a[u]) * da[u]
 * why: Your dpreatt is that of a sigmoid. You used only a score's own weight, but a score moves all weights of its row.
 * Which sum over the row is missing?
 * hint: Your dpreatt is that of a sigmoid. Before you multiply by the weight, subtract from datt the weighted sum of
 * datt over the row.
 * section: softmax-gradient
 */

/* attention_backward: no-sum-in-the-softmax
 * base: plain-loops
 * edit: float sum = 0.0f;  =>
 * edit: sum += a[u] * da[u];  =>
 * edit: (da[u] - sum)  =>  da[u]
 * why: The rows of your dpreatt do not sum to 0. You left out the sum over the row. Which weights depend on a single
 * score?
 * hint: The rows of your dpreatt do not sum to 0. Before you multiply by the weight, subtract from datt the weighted
 * sum of datt over the row.
 * section: softmax-gradient
 */

/* attention_backward: no-weight-in-the-softmax
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  da[u] - sum
 * why: Your dpreatt is too large where weights are small. You left out a factor. How much does a score change the
 * output if its weight is almost 0?
 * hint: Your dpreatt is too large where weights are small. Multiply each difference by its weight.
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
 * why: Your first row of dpreatt is right, and later ones are not. You let the sum go on from query to query. When
 * should it start at 0?
 * hint: Your first row of dpreatt is right, and later ones are not. Start the sum at 0 for every query.
 * section: softmax-gradient
 */

/* attention_backward: sum-so-far
 * base: plain-loops
 * edit: dp[u] += a[u] * (da[u] - sum);  =>
 * edit: sum += a[u] * da[u];  =>  sum += a[u] * da[u]; dp[u] += a[u] * (da[u] - sum);
 * why: Your last key of every row is right, and earlier ones are not. You used the sum before all keys were in it.
 * How many sweeps over the keys does the softmax need?
 * hint: You subtracted a sum that was not complete. Compute the sum in one sweep over the keys, and dpreatt in the
 * next.
 * section: softmax-gradient
 */

/* attention_backward: weight-left-out-of-the-values
 * base: plain-loops
 * edit: a[u] * d[i]  =>  d[i]
 * why: Your dv counts every query alike. You left out the weights. What share of the gradient does a value with weight
 * 0.1 get?
 * hint: Your dv counts every query alike. Multiply dout by the weight that the query gave the value.
 * section: attention-gradients
 */

/* attention_backward: weights-of-the-value-transposed
 * base: plain-loops
 * edit: a[u] * d[i]  =>  att[((b * NH + h) * T + u) * T + t] * d[i]
 * why: Your dq and dk are right, and most of dv is missing. You exchanged the query and the key in att. Which of the
 * two chooses the row?
 * hint: Your dv has the weights of row u, which are 0 at t > u. The query t chooses the row of att, the key u the
 * column.
 * section: attention-gradients
 */

/* attention_backward: values-of-the-query
 * base: plain-loops
 * edit: *dv = dinp + (b * T + u)  =>  *dv = dinp + (b * T + t)
 * why: Each dv holds what belongs to other positions. You added the gradient to the value at the query's position t.
 * Whose value did weight u multiply?
 * hint: Each dv holds what belongs to other positions. The weight of query t for key u multiplied value u, so add to dv
 * at position u.
 * section: attention-gradients
 */

/* attention_backward: everything-overwritten
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  dv[i] = a[u] * d[i]
 * edit: dq[i] += dp[u] * k[i] * scale  =>  dq[i] = dp[u] * k[i] * scale
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] = dp[u] * q[i] * scale
 * why: Your gradients hold the last use alone. You overwrote dinp, but keys and values are used by many queries. Which
 * assignment collects gradients?
 * hint: Your gradients hold the last use alone. All three are sums: add instead of assigning.
 * section: gradients-are-added
 */

/* attention_backward: keys-and-values-overwritten
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  dv[i] = a[u] * d[i]
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] = dp[u] * q[i] * scale
 * why: Your dk and dv hold the last query's part alone. You overwrote them. Which queries use a key and its value?
 * hint: Your dk and dv hold the last query's part alone. They are sums over all queries that may see them: add instead
 * of assigning.
 * section: gradients-are-added
 */

/* attention_backward: queries-overwritten
 * base: plain-loops
 * edit: dq[i] += dp[u] * k[i] * scale  =>  dq[i] = dp[u] * k[i] * scale
 * why: Your dq holds the last key's part alone. You overwrote it. Which keys did the query look at?
 * hint: Your dq holds the last key's part alone. It is a sum over u: add instead of assigning.
 * section: gradients-are-added
 */

/* attention_backward: input-gradient-cleared-first
 * base: plain-loops
 * edit:
 *     float scale = 1.0f / sqrtf(hs);
 * =>
 *     float scale = 1.0f / sqrtf(hs);
 *     memset(dinp, 0, sizeof(float) * B * T * 3 * C);
 * why: What stood in dinp is gone. You cleared it before adding, which is the caller's task. What does a backward
 * kernel do with the numbers that it finds?
 * hint: What stood in dinp is gone. A backward kernel never clears: it adds to what is there.
 * section: gradients-are-added
 */

/* attention_backward: keys-without-gradient
 * base: plain-loops
 * edit: const float *q = inp + (b * T + t) * 3 * C + h * hs;  =>
 * edit: float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;  =>
 * edit: dk[i] += dp[u] * q[i] * scale;  =>
 * why: Your dk stays as it was, up to rounding. You gave the keys no gradient, or added it to the query's row, where
 * the terms cancel. To which row does the gradient of a key belong?
 * hint: Your dk stays as it was, up to rounding. For every u <= t, add to dk at position u. (Added at the query's
 * position t, these terms cancel.)
 * section: attention-gradients
 */

/* attention_backward: query-in-its-own-gradient
 * base: plain-loops
 * edit: dq[i] += dp[u] * k[i] * scale  =>  dq[i] += dp[u] * q[i] * scale
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] += dp[u] * k[i] * scale
 * why: Your dq contains the query, and your dk the key. You kept the factor that is differentiated. Which factor does
 * the product rule leave?
 * hint: Your dq contains q, and your dk contains k. Exchange the two: dq gets the keys, dk the query.
 * section: attention-gradients
 */

/* attention_backward: weights-gradient-for-scores
 * base: plain-loops
 * edit: dp[u] * k[i]  =>  da[u] * k[i]
 * edit: dp[u] * q[i]  =>  da[u] * q[i]
 * why: Your dpreatt is right, but dq and dk are wrong. You computed them from datt, past the softmax. Which gradient
 * reaches the dot products?
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
 * why: The gradients of keys and values are exchanged. You took one block for the other. In which order do the three
 * blocks of a position stand?
 * hint: Your gradients of keys and values are exchanged. Keys are the second block of a position, values the third.
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
 * why: Only the first position reads its own numbers. You put positions C apart. How wide is a position of inp and
 * dinp?
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
 * why: The first head's channels collect everything, and the others get nothing. Your offsets do not depend on h. At
 * which channel does head h begin?
 * hint: The first head's channels collect everything, and the others get nothing. In each block, head h begins after h
 * heads of hs channels.
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
 * why: Your datt is filled at future positions. You let the loops run on to positions whose weights are always 0. At
 * which position should the loops end?
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
 * why: The query's own position gets no gradient. Your loops end one position too early. Which positions did it look at
 * in the forward pass?
 * hint: The position of the query itself gets no gradient. The loops over u include u = t.
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
 * why: Your dinp is right, but datt and dpreatt stay as they were. You kept these gradients in variables. Which arrays
 * should they reach?
 * hint: Your dinp is right, but datt and dpreatt stay as they were. Add the two gradients to them.
 * section: attention-gradients
 */

/* attention_backward: one-map-for-all-sequences
 * base: plain-loops
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + (h * T + t) * T
 * edit: datt + ((b * NH + h) * T + t) * T  =>  datt + (h * T + t) * T
 * edit: dpreatt + ((b * NH + h) * T + t) * T  =>  dpreatt + (h * T + t) * T
 * why: Your first sequence is right, and the others use its weights. Your offset into the maps does not depend on b. In
 * which order do the axes of the maps stand?
 * hint: Your first sequence is right and the others use its weights. The axes of the maps are (B, NH, T, T): sequence b
 * begins after b * NH whole maps.
 * section: addresses-on-the-way-back
 */

/* attention_backward: keys-overwritten
 * base: plain-loops
 * edit: dk[i] += dp[u] * q[i] * scale  =>  dk[i] = dp[u] * q[i] * scale
 * why: Your dk holds the last query's part alone. You overwrote it. Which queries use a key?
 * hint: Your dk holds the last query's part alone. It is a sum over all queries that see the key: add instead of
 * assigning.
 * section: gradients-are-added
 */

/* attention_backward: values-overwritten
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  dv[i] = a[u] * d[i]
 * why: Your dv holds the last query's part alone. You overwrote it. Which queries use a value?
 * hint: Your dv holds the last query's part alone. It is a sum over all queries that see the value: add instead of
 * assigning.
 * section: gradients-are-added
 */

/* attention_backward: scale-of-the-first-call
 * base: plain-loops
 * edit: float scale = 1.0f / sqrtf(hs)  =>  static float scale; if (scale == 0) scale = 1.0f / sqrtf(hs)
 * why: Your kernel is right when it is called once, and later calls still use the first call's scale. You kept it in a
 * `static` variable, which holds its value from call to call. On what does the scale depend?
 * hint: Your kernel is right when it is called once. A later call still uses the first call's scale: it is
 * `static`. Compute it in every call.
 * section: attention-gradients
 */

/* attention_backward: scale-of-the-whole-width
 * base: plain-loops
 * edit: sqrtf(hs)  =>  sqrtf(C)
 * why: Your dq and dk are sqrt(NH) times too small. You used the root of the width of all heads together. Which width
 * did the forward pass use?
 * hint: Your gradients of queries and keys are too small by the factor sqrt(NH). Use the width of one head.
 * section: attention-gradients
 */

/* attention_backward: scale-on-the-keys-only
 * base: plain-loops
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i]
 * why: Your dk is right, and your dq is too large. You scaled the gradient of the keys alone. Which factors of the dot
 * product get the scale?
 * hint: Your dk is right and your dq is too large. Multiply both by the scale.
 * section: attention-gradients
 */

/* attention_backward: scale-twice
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  a[u] * (da[u] - sum) * scale
 * why: Your dpreatt is sqrt(hs) times too small. You applied the scale there and again in dq and dk. Which of these
 * gradients contain it?
 * hint: Your dpreatt is too small by the factor sqrt(hs). The scale belongs to dq and dk alone.
 * section: attention-gradients
 */

/* attention_backward: sum-without-the-weights
 * base: plain-loops
 * edit: sum += a[u] * da[u]  =>  sum += da[u]
 * why: The rows of your dpreatt do not sum to 0. You left the weights out of the sum over the row. By what is each datt
 * multiplied in that sum?
 * hint: The rows of your dpreatt do not sum to 0. Multiply each datt by its weight before you sum.
 * section: softmax-gradient
 */

/* attention_backward: sum-added
 * base: plain-loops
 * edit: da[u] - sum  =>  da[u] + sum
 * why: The rows of your dpreatt do not sum to 0. You added the sum over the row. Which sign does it have in the
 * gradient of a softmax?
 * hint: The rows of your dpreatt do not sum to 0. Subtract the sum.
 * section: softmax-gradient
 */

/* attention_backward: mean-for-sum
 * base: plain-loops
 * edit: da[u] - sum  =>  da[u] - sum / (t + 1)
 * why: The rows of your dpreatt do not sum to 0. You averaged over the row, although its weights already add up to 1.
 * Which reduction does the formula have?
 * hint: The rows of your dpreatt do not sum to 0. Subtract the weighted sum as it is.
 * section: softmax-gradient
 */

/* attention_backward: key-in-its-own-gradient
 * base: plain-loops
 * edit: dp[u] * q[i]  =>  dp[u] * k[i]
 * why: Your dk does not depend on the queries. You multiplied by the key itself. Which factor does the product rule
 * leave?
 * hint: Your dk does not depend on the queries. Multiply dpreatt by q.
 * section: attention-gradients
 */

/* attention_backward: weights-for-scores-gradient
 * base: plain-loops
 * edit: dp[u] * k[i]  =>  a[u] * k[i]
 * edit: dp[u] * q[i]  =>  a[u] * q[i]
 * why: Your dq and dk do not depend on dout. You used the weights where a gradient belongs. Which gradient reaches the
 * dot products?
 * hint: Your dq and dk do not depend on dout. Multiply dpreatt by k and by q.
 * section: attention-gradients
 */

/* attention_backward: gradients-of-the-first-head
 * base: plain-loops
 * edit: dout + (b * T + t) * C + h * hs  =>  dout + (b * T + t) * C
 * why: Only the first head is right. You read dout at the first head for all. At which channel does head h begin?
 * hint: Only the first head is right. In dout, head h begins after h heads of hs channels.
 * section: addresses-on-the-way-back
 */

/* attention_backward: value-gradients-of-the-first-head
 * base: plain-loops
 * edit: dinp + (b * T + u) * 3 * C + 2 * C + h * hs  =>  dinp + (b * T + u) * 3 * C + 2 * C
 * why: Only the first head's values get gradients. You let all heads add there. At which channel do the values of head
 * h begin?
 * hint: Only the first head's values get gradients. In the third block of a position, head h begins after h heads of hs
 * channels.
 * section: addresses-on-the-way-back
 */

/* attention_backward: keys-for-values
 * base: plain-loops
 * edit: *v = inp + (b * T + u) * 3 * C + 2 * C  =>  *v = inp + (b * T + u) * 3 * C + C
 * why: Your datt does not depend on the values. You multiplied dout by the keys. What did the weights multiply in the
 * forward pass?
 * hint: Your datt is computed from dout and the keys. Take the values, the third block of inp.
 * section: attention-gradients
 */

/* attention_backward: divided-by-the-scale
 * base: plain-loops
 * edit: dp[u] * k[i] * scale  =>  dp[u] * k[i] / scale
 * edit: dp[u] * q[i] * scale  =>  dp[u] * q[i] / scale
 * why: Your dq and dk are hs times too large. You divided by the scale. What did the forward pass do with it?
 * hint: Your dq and dk are too large by the factor hs. Multiply by the scale.
 * section: attention-gradients
 */

/* attention_backward: last-channel-of-the-weights-gradient
 * base: plain-loops
 * edit: da[u] += d[i]  =>  da[u] = d[i]
 * why: Your datt is the product of the last channel alone. You overwrite each product with the next. Which assignment
 * adds them up?
 * hint: Your datt is the product of the last channel alone. Add the products of all channels.
 * section: attention-gradients
 */

/* attention_backward: weights-by-position-first
 * base: plain-loops
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + ((b * T + t) * NH + h) * T
 * why: Your gradients are made with the weights of other rows. You ordered att by position and then by head. In which
 * order do its axes stand?
 * hint: You read the weights of other rows. The axes are (B, NH, T, T): the head comes before the position.
 * section: addresses-on-the-way-back
 */

/* attention_backward: maps-by-position-first
 * base: plain-loops
 * edit: *a = att + ((b * NH + h) * T + t) * T  =>  *a = att + ((b * T + t) * NH + h) * T
 * edit: *da = datt + ((b * NH + h) * T + t) * T  =>  *da = datt + ((b * T + t) * NH + h) * T
 * edit: *dp = dpreatt + ((b * NH + h) * T + t) * T  =>  *dp = dpreatt + ((b * T + t) * NH + h) * T
 * why: Your rows belong to other heads and positions. You ordered the maps by position and then by head. In which order
 * do their axes stand?
 * hint: Your rows belong to other heads and positions. The axes are (B, NH, T, T): the head comes before the position.
 * section: addresses-on-the-way-back
 */

/* attention_backward: only-the-first-channel-of-the-values
 * base: plain-loops
 * edit: da[u] += d[i] * v[i]  =>  da[u] += d[0] * v[0]
 * why: Your datt is one product hs times. You always read channel 0. Which index runs over the channels of a head?
 * hint: Your datt is one product hs times. Read dout and the values at the channel of each round.
 * section: attention-gradients
 */

/* attention_backward: queries-of-the-first-head
 * base: plain-loops
 * edit: *dq = dinp + (b * T + t) * 3 * C + h * hs  =>  *dq = dinp + (b * T + t) * 3 * C
 * why: Only the first head's queries get gradients. You let all heads add there. At which channel do the queries of
 * head h begin?
 * hint: Only the first head's queries get gradients. In the first block of a position, head h begins after h heads of
 * hs channels.
 * section: addresses-on-the-way-back
 */

/* attention_backward: key-gradients-of-the-first-head
 * base: plain-loops
 * edit: *dk = dinp + (b * T + u) * 3 * C + C + h * hs  =>  *dk = dinp + (b * T + u) * 3 * C + C
 * why: Only the first head's keys get gradients. You let all heads add there. At which channel do the keys of head h
 * begin?
 * hint: Only the first head's keys get gradients. In the second block of a position, head h begins after h heads of hs
 * channels.
 * section: addresses-on-the-way-back
 */

/* attention_backward: queries-without-gradient
 * base: plain-loops
 * edit: dq[i] += dp[u] * k[i] * scale  =>  (void)dq
 * why: The first block of your dinp is as it was, up to rounding. You gave the queries no gradient, or one made with
 * the wrong key, whose terms cancel. Which key belongs to the score at u?
 * hint: The first block of your dinp is as it was before the call. Multiply dpreatt and the scale by the key of
 * position u: with the key of position t, the sum over u is 0.
 * section: attention-gradients
 */

/* attention_backward: values-without-gradient
 * base: plain-loops
 * edit: dv[i] += a[u] * d[i]  =>  (void)dv
 * why: The third block of your dinp is as it was before the call. You gave the values no gradient. What multiplies them
 * in the forward pass?
 * hint: The third block of your dinp is as it was before the call. Add dout times the weights.
 * section: attention-gradients
 */

/* attention_backward: softmax-left-out
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  da[u]
 * why: Your dpreatt equals your datt. You passed the gradient on without the softmax. Which step lies between scores
 * and weights?
 * hint: Your dpreatt equals your datt. Go back through the softmax, in which every score moves all weights of its row.
 * section: softmax-gradient
 */

/* attention_backward: one-for-every-pair
 * base: plain-loops
 * edit: a[u] * (da[u] - sum)  =>  (1.0f - a[u]) * sum
 * why: The rows of your dpreatt do not sum to 0. For all pairs you used the derivative of a weight with respect to its
 * own score. What is its derivative with respect to another score of the row?
 * hint: The rows of your dpreatt do not sum to 0. Every term has the 1 of the softmax's derivative. That 1 belongs to
 * the score's own weight alone.
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
 * why: The query's own position is missing from one gradient. You let one of the loops over u end one position too
 * early. Which positions did the query look at in the forward pass?
 * hint: One of your loops over u leaves out the query's own position. All of them include u = t.
 * section: the-past-on-the-way-back
 */

/* attention_backward: keys-without-the-softmax
 * base: plain-loops
 * edit: dp[u] * q[i]  =>  da[u] * q[i]
 * why: The gradient of your keys is too large, while that of the queries is right. You computed it from the gradient of
 * the weights. Through which operation must that gradient go before it reaches the keys?
 * hint: Your keys get the gradient of the weights, from before the softmax's backward pass. Use that of the scores.
 * section: softmax-gradient
 */

/* gelu_backward: no-inner-derivative
 * base: plain-loops
 * edit: float inner = s * (1.0f + 3.0f * 0.044715f * x * x);  =>
 * edit: 0.5f * x * (1.0f - th * th) * inner  =>  0.5f * x * (1.0f - th * th)
 * why: Your slope lacks the derivative of what stands inside the tanh. You stopped too early. What does the chain rule
 * multiply by?
 * hint: The second term of your slope lacks a factor. Multiply it by the derivative of what stands inside the tanh.
 * section: gelu-slope
 */

/* gelu_backward: inner-derivative-is-the-factor
 * base: plain-loops
 * edit: s * (1.0f + 3.0f * 0.044715f * x * x)  =>  s
 * why: Your slope is right near 0 and wrong further out. You took the factor alone as the derivative of the inside.
 * What is the derivative of the cube?
 * hint: Your inner derivative lacks the cube's part. Differentiate both terms of the bracket.
 * section: gelu-slope
 */

/* gelu_backward: another-factor
 * base: plain-loops
 * each: FACTOR = sqrtf(2.0f) / 3.14159265f; 2.0f / 3.14159265f; sqrtf(3.14159265f / 2.0f)
 * edit: 0.79788456f  =>  FACTOR
 * why: Near 0 your slope should rise by 0.8 per unit of x, but does not. You used a factor inside the tanh that is not
 * the root of 2 / pi. Which number do you get for it?
 * hint: Near 0 your slope rises at the wrong rate. The factor inside the tanh is the root of the whole fraction 2 / pi,
 * about 0.798.
 * section: gelu-slope
 */

/* gelu_backward: no-three
 * base: plain-loops
 * edit: 3.0f * 0.044715f  =>  0.044715f
 * why: Your slope is slightly off around x = 1.5 and x = -1.5. You left a factor out of the derivative of the cube.
 * What is the derivative of x^3?
 * hint: Your slope is slightly off around x = 1.5 and x = -1.5: the exponent of the cube becomes a factor.
 * section: gelu-slope
 */

/* gelu_backward: no-factor-in-the-inner-derivative
 * base: plain-loops
 * edit: s * (1.0f + 3.0f * 0.044715f * x * x)  =>  (1.0f + 3.0f * 0.044715f * x * x)
 * why: The second term of your slope is 1 / 0.798 times too large. You left the factor of the bracket out of the inner
 * derivative. What happens to a constant factor when you differentiate?
 * hint: The second term of your slope is too large by 1 / 0.798. Multiply it by sqrt(2 / pi).
 * section: gelu-slope
 */

/* gelu_backward: inner-derivative-not-squared
 * base: plain-loops
 * edit: 3.0f * 0.044715f * x  =>  3.0f * 0.044715f
 * why: Your slope is worst at negative numbers. You gave the derivative of the cube the wrong power. What is the
 * derivative of x^3?
 * hint: Your slope is worst at negative numbers: the derivative of a cube is a square, which is never negative.
 * section: gelu-slope
 */

/* gelu_backward: error-function-form
 * base: plain-loops
 * edit: const float s = 0.79788456f;  =>
 * edit: th = tanhf(s * (x + 0.044715f * x * x * x))  =>  below = 0.5f * (1.0f + erff(x / sqrtf(2.0f)))
 * edit: inner = s * (1.0f + 3.0f * 0.044715f * x * x)  =>  density = expf(-0.5f * x * x) / sqrtf(2.0f * 3.14159265f)
 * edit: 0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner  =>  below + x * density
 * why: Your slope differs slightly from that of the forward pass. You differentiated the exact GELU, with the error
 * function. Which form does the forward pass use?
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
 * why: Your slope is 0 or 1. You took the slope of ReLU, while GELU bends. Which formula should be differentiated?
 * hint: Your slope is 0 or 1. Take the derivative of the formula with tanh.
 * section: gelu-slope
 */

/* gelu_backward: overwritten
 * base: plain-loops
 * edit:
 *     dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)
 * =>
 *     dinp[n] = dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)
 * why: What stood in dinp is gone. You overwrote it. Which assignment collects gradients?
 * hint: What stood in dinp is gone. Add instead of assigning.
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
 * why: Your gradient does not depend on dout. You added the slope alone. What does the chain rule multiply it by?
 * hint: Your gradient does not depend on dout. Multiply the slope by the gradient that arrives.
 * section: gelu-slope
 */

/* gelu_backward: value-for-slope
 * base: plain-loops
 * edit: float inner = s * (1.0f + 3.0f * 0.044715f * x * x);  =>
 * edit: dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner)  =>  dout[n] * 0.5f * x * (1.0f + th)
 * why: Your gradient is dout times the value of GELU. You took the value instead of the slope. Which of the two does
 * the chain rule need?
 * hint: You multiply dout by gelu(x). Multiply it by the derivative.
 * section: gelu-slope
 */

/* gelu_backward: first-factor-only
 * base: plain-loops
 * edit: float inner = s * (1.0f + 3.0f * 0.044715f * x * x);  =>
 * edit: 0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner  =>  0.5f * (1.0f + th)
 * why: Your slope lacks its second term. You treated the tanh as a constant. How many terms does the derivative of a
 * product have?
 * hint: The second term of your slope is missing, the one with the derivative of tanh. Add it.
 * section: gelu-slope
 */

/* gelu_backward: second-factor-only
 * base: plain-loops
 * edit: 0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner  =>  0.5f * x * (1.0f - th * th) * inner
 * why: Your slope is 0 at x = 0, where it should be 0.5. You treated the factor x as a constant. How many terms does
 * the derivative of a product have?
 * hint: Your slope is 0 at x = 0, where it should be 0.5. Add the term in which x is differentiated.
 * section: gelu-slope
 */

/* gelu_backward: tanh-not-squared
 * base: plain-loops
 * edit: th * th  =>  th
 * why: Your slope is wrong, most of all for negative numbers. You did not square the tanh in its derivative. What is
 * the derivative of tanh?
 * hint: Your slope is wrong, most of all for negative numbers. The derivative of tanh is 1 - tanh squared.
 * section: gelu-slope
 */

/* gelu_backward: root-of-the-inner-slope
 * base: in-double
 * edit: (1 - pow(tanh(u), 2))  =>  1 / cosh(u)
 * why: Your slope is right at 0 and wrong further out. You used 1 / cosh, but the slope of tanh is the square of that.
 * What is 1 - tanh squared in terms of cosh?
 * hint: Your slope is wrong away from 0. The slope of tanh is the square of 1 / cosh.
 * section: gelu-slope
 */

/* gelu_backward: arguments-exchanged
 * base: plain-loops
 * edit: dout[n]  =>  inp[n]
 * edit: x = inp[n]  =>  x = dout[n]
 * why: Your gradient has the two arrays exchanged. You took the slope at dout and multiplied by inp. In which order do
 * the arguments come?
 * hint: You have exchanged the two inputs. The slope belongs to inp, and dout multiplies it.
 * section: gelu-slope
 */

/* gelu_backward: half-of-integers
 * base: plain-loops
 * edit: 0.5f * (1.0f + th) + 0.5f * x  =>  1 / 2 * (1.0f + th) + 1 / 2 * x
 * why: Nothing is ever added. You divided two integers, which gives an integer in C, here 0. How can you write one half
 * as a float?
 * hint: Nothing is ever added. In C 1 / 2 is an integer division with the result 0: write one half as a float.
 * section: gelu-slope
 */

/* gelu_backward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: In a second call, the first entries get no gradient. You made the counter `static`, so it goes on where the last
 * call stopped. Where should it begin in every call?
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N get no
 * gradient: the counter is `static`. Let it begin at 0 in every call.
 * section: gelu-slope
 */

/* gelu_backward: x-left-out
 * base: plain-loops
 * edit: 0.5f * x * (1.0f - th * th)  =>  0.5f * (1.0f - th * th)
 * why: Your slope at x = 0 is about 0.9, where it should be 0.5. You left a factor out of the second term. What is the
 * derivative of x times f(x)?
 * hint: Your slope at x = 0 is about 0.9, where it should be 0.5. Multiply the second term by x.
 * section: gelu-slope
 */

/* gelu_backward: one-plus-the-square
 * base: plain-loops
 * edit: 1.0f - th * th  =>  1.0f + th * th
 * why: Far from 0 your slope grows. You added the square in the derivative of tanh. Which sign does it have?
 * hint: Far from 0 your slope grows. Subtract the square from 1.
 * section: gelu-slope
 */

/* gelu_backward: two-for-three
 * base: plain-loops
 * edit: 3.0f * 0.044715f  =>  2.0f * 0.044715f
 * why: Your inner derivative is slightly off. You wrote the factor of another power. What is the derivative of x^3?
 * hint: Your inner derivative has the factor 2. The derivative of a cube has another one.
 * section: gelu-slope
 */

/* gelu_backward: power-not-lowered
 * base: plain-loops
 * edit: 3.0f * 0.044715f * x * x)  =>  3.0f * 0.044715f * x * x * x)
 * why: Your inner derivative grows too fast. You did not lower the power. What is the derivative of x^3?
 * hint: Your inner derivative still contains x^3. Lower the power by one.
 * section: gelu-slope
 */

/* gelu_backward: second-term-subtracted
 * base: plain-loops
 * edit: + 0.5f * x  =>  - 0.5f * x
 * why: Your slope is right at 0 and far out, and wrong in between. You subtracted the second term. How are the two
 * terms of a product's derivative combined?
 * hint: Your slope is right at 0 and far out, and wrong in between. Add the second term.
 * section: gelu-slope
 */

/* gelu_backward: no-half-in-the-first-term
 * base: plain-loops
 * edit: (0.5f * (1.0f + th)  =>  ((1.0f + th)
 * why: For large positive x your slope is 2. You left a factor out of the first term. Which constant belongs to both
 * terms?
 * hint: For large positive x your slope is 2. Halve the first term.
 * section: gelu-slope
 */

/* gelu_backward: no-half-in-the-second-term
 * base: plain-loops
 * edit: 0.5f * x * (1.0f - th  =>  x * (1.0f - th
 * why: Your second term is twice as large as it should be. You left a factor out of it. Which constant belongs to both
 * terms?
 * hint: Your second term is twice as large as it should be. Both terms contain one half.
 * section: gelu-slope
 */

/* gelu_backward: arriving-gradient-added
 * base: plain-loops
 * edit: dout[n] * (  =>  dout[n] + (
 * why: Your gradient does not vanish where dout is 0. You added the arriving gradient. What does the chain rule do with
 * it?
 * hint: Your gradient does not vanish where dout is 0. Multiply by dout instead of adding it.
 * section: gelu-slope
 */

/* gelu_backward: tanh-of-x
 * base: plain-loops
 * edit: tanhf(s * (x + 0.044715f * x * x * x))  =>  tanhf(x)
 * why: Your slope belongs to another curve. You took the tanh of x itself. What stands inside it in the forward pass?
 * hint: Your tanh has the wrong argument. Compute it as gelu_forward does.
 * section: gelu-slope
 */

/* gelu_backward: inner-derivative-without-one
 * base: plain-loops
 * edit: s * (1.0f + 3.0f * 0.044715f * x * x)  =>  s * (3.0f * 0.044715f * x * x)
 * why: Around 0 your second term is too small. You left a term out of the inner derivative. What is the derivative of
 * x?
 * hint: Around 0 your second term is too small. The bracket holds x as well as its cube: add the derivative of x.
 * section: gelu-slope
 */

/* gelu_backward: opposite-sign
 * base: plain-loops
 * edit: dinp[n] += dout  =>  dinp[n] -= dout
 * why: Your gradients have the opposite sign. You subtracted them. How are gradients collected?
 * hint: Your gradients have the opposite sign. Add them instead.
 * section: gradients-are-added
 */

/* gelu_backward: tanh-for-the-sigmoid-form
 * base: plain-loops
 * edit: tanhf(s * (x + 0.044715f * x * x * x))  =>  tanhf(0.851f * x)
 * why: Your slope belongs to another curve, the form with a sigmoid. You took its argument for the tanh. What stands
 * inside the tanh in the forward pass?
 * hint: Your tanh has the argument of another form. Compute it as gelu_forward does.
 * section: gelu-slope
 */

/* gelu_backward: x-in-the-first-term
 * base: plain-loops
 * edit: 0.5f * (1.0f + th) +  =>  0.5f * x * (1.0f + th) +
 * why: Your first term is the value of the curve. You kept the factor x there. What is the derivative of x?
 * hint: Your first term is the value of the curve. The derivative of x is 1, so leave x out there.
 * section: gelu-slope
 */

/* gelu_backward: factor-inside-only-on-one
 * base: plain-loops
 * edit: s * (1.0f + 3.0f * 0.044715f * x * x)  =>  (s + 3.0f * 0.044715f * x * x)
 * why: Your inner derivative lacks its factor in the second part. You multiplied only the 1. Which part of the bracket
 * does the factor multiply?
 * hint: Your inner derivative lacks the factor in its second part. Multiply the whole bracket.
 * section: gelu-slope
 */

/* gelu_backward: no-cube-in-the-tanh
 * base: plain-loops
 * edit: tanhf(s * (x + 0.044715f * x * x * x))  =>  tanhf(s * x)
 * why: Your slope belongs to another curve. You left out the cube inside the tanh. What stands inside it in the forward
 * pass?
 * hint: Your tanh has the wrong argument. It lacks the cube: compute it as gelu_forward does.
 * section: gelu-slope
 */

/* gelu_backward: no-small-factor-in-the-inner-derivative
 * base: plain-loops
 * edit: 3.0f * 0.044715f * x * x)  =>  3.0f * x * x)
 * why: Away from 0 the second term of your slope is too large. You left the small factor out of the inner derivative.
 * What happens to a constant factor when you differentiate?
 * hint: Away from 0 the second term of your slope is too large. The cube keeps its factor 0.044715 when you
 * differentiate.
 * section: gelu-slope
 */

/* gelu_backward: tanh-by-exponentials
 * base: plain-loops
 * edit: float th = tanhf(  =>  float e = expf(2.0f *
 * edit: x * x * x));  =>  x * x * x)), th = (e - 1.0f) / (e + 1.0f);
 * why: Large positive inputs give NaN. You wrote tanh with an exponential, and it overflows, which gives infinity over
 * infinity. Which function computes tanh without overflow?
 * hint: Large positive inputs give NaN, because the exponential overflows. Use tanhf, which knows its limits.
 * section: gelu-slope
 */

/* residual_backward: both-overwritten
 * base: plain-loops
 * edit: dinp1[n] += dout[n]  =>  dinp1[n] = dout[n]
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] = dout[n]
 * why: What stood in the two gradients is gone. You overwrote them, although another use of the same array may have put
 * something there. Which assignment collects gradients?
 * hint: What stood in the two gradients is gone. Add instead of assigning.
 * section: gradients-are-added
 */

/* residual_backward: first-overwritten
 * base: plain-loops
 * edit: dinp1[n] += dout[n]  =>  dinp1[n] = dout[n]
 * why: What stood in dinp1 is gone. You overwrote it. Which assignment collects gradients?
 * hint: What stood in dinp1 is gone. Add instead of assigning.
 * section: gradients-are-added
 */

/* residual_backward: second-overwritten
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] = dout[n]
 * why: What stood in dinp2 is gone. You overwrote it. Which assignment collects gradients?
 * hint: What stood in dinp2 is gone. Add instead of assigning.
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
 * why: Your dinp2 stays as it was. You gave the gradient to the first input alone. How much of it does each term of a
 * sum get?
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
 * why: Your dinp1 stays as it was. You gave the gradient to the second input alone. How much of it does each term of a
 * sum get?
 * hint: Your dinp1 stays as it was. It gets the same gradient as dinp2.
 * section: two-ways-one-gradient
 */

/* residual_backward: half-for-each
 * base: plain-loops
 * edit: dinp1[n] += dout[n]  =>  dinp1[n] += dout[n] / 2
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += dout[n] / 2
 * why: Both gradients are half of what they should be. You divided the arriving gradient between the two. How much of
 * it does each term of a sum get?
 * hint: Both of your gradients are half of what they should be. Each input gets the whole gradient.
 * section: two-ways-one-gradient
 */

/* residual_backward: opposite-sign
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] -= dout[n]
 * why: Your dinp2 has the wrong sign. You subtracted. With which sign did the second input enter the sum?
 * hint: Your dinp2 has the wrong sign. Add dout to it.
 * section: two-ways-one-gradient
 */

/* residual_backward: one-from-the-other
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += dinp1[n]
 * why: Your dinp2 contains what stood in dinp1. You made the second gradient from the first. Which array do both come
 * from?
 * hint: Your dinp2 contains what stood in dinp1. Add dout to each of them.
 * section: two-ways-one-gradient
 */

/* residual_backward: last-entry-left-out
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n < N - 1; n++) {
 * why: The last entry gets nothing. Your loop ends too early. Which condition makes it run N times from 0?
 * hint: The last entry gets nothing. Let the loop run over all N entries.
 * section: two-ways-one-gradient
 */

/* residual_backward: first-entry-left-out
 * base: plain-loops
 * edit: int n = 0;  =>  int n = 1;
 * why: The first entry gets nothing. Your loop begins at 1. From which number do entries count in C?
 * hint: The first entry gets nothing. Entries count from 0.
 * section: two-ways-one-gradient
 */

/* residual_backward: one-past-the-end
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++) {  =>  for (int n = 0; n <= N; n++) {
 * why: Your kernel touches the entry after the last one. Your loop runs once more than there are entries. Which number
 * does the last of N entries have?
 * hint: Your kernel touches the entry after the last one. The last of N entries has the number N - 1.
 * section: two-ways-one-gradient
 */

/* residual_backward: remainder-left-out
 * base: walking-pointers
 * edit: const float *end = dout + N; dout != end; dout++  =>  int n = 0; n + 4 <= N; n += 4
 * edit: *dinp1++ += *dout;  =>  for (int i = n; i < n + 4; i++) dinp1[i] += dout[i];
 * edit: *dinp2++ += *dout;  =>  for (int i = n; i < n + 4; i++) dinp2[i] += dout[i];
 * why: The last entries get nothing where N is no multiple of 4. Your loop takes four entries at a time and stops too
 * early. What is needed for the remainder?
 * hint: The last entries get nothing where N is no multiple of 4. Do what is left one by one.
 * section: two-ways-one-gradient
 */

/* residual_backward: goes-on-where-the-last-call-stopped
 * base: plain-loops
 * edit: for (int n = 0; n < N; n++)  =>  static int n; for (; n < N; n++)
 * why: In a second call, the first entries get no gradient. You made the counter `static`, so it goes on where the last
 * call stopped. Where should it begin in every call?
 * hint: Your kernel is right when it is called once. In a later call the entries before the last call's N get no
 * gradient: the counter is `static`. Let it begin at 0 in every call.
 * section: two-ways-one-gradient
 */

/* residual_backward: both-into-the-first
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += 0.0f; dinp1[n] += dout[n]
 * why: Your dinp1 gets twice the gradient, and dinp2 none. You added both times to the first. How often does each input
 * get the gradient?
 * hint: Your dinp1 gets twice the gradient, and dinp2 none. Add dout to each of them once.
 * section: two-ways-one-gradient
 */

/* residual_backward: multiplied
 * base: plain-loops
 * edit: dinp1[n] += dout  =>  dinp1[n] *= dout
 * edit: dinp2[n] += dout  =>  dinp2[n] *= dout
 * why: Zeros stay zeros in your gradients. You multiplied what stands there. How are gradients collected?
 * hint: Zeros stay zeros in your gradients. Add to them instead of multiplying.
 * section: gradients-are-added
 */

/* residual_backward: first-entry-for-all
 * base: plain-loops
 * edit: dinp2[n] += dout[n]  =>  dinp2[n] += dout[0]
 * why: Your dinp2 collects one number N times. You always read entry 0 of dout. Which entry of dout belongs to entry n?
 * hint: Your dinp2 collects one number N times. Entry n gets entry n of dout.
 * section: two-ways-one-gradient
 */

/* residual_backward: every-second-entry
 * base: plain-loops
 * edit: n++  =>  n += 2
 * why: Every second entry gets no gradient. Your loop takes two steps at a time. By how much should the index grow?
 * hint: Every second entry gets no gradient. Let n grow by 1.
 * section: two-ways-one-gradient
 */

/* residual_backward: both-with-opposite-sign
 * base: plain-loops
 * edit: dinp1[n] += dout  =>  dinp1[n] -= dout
 * edit: dinp2[n] += dout  =>  dinp2[n] -= dout
 * why: Both gradients have the opposite sign. You subtracted. With which sign does a sum pass its gradient on?
 * hint: Both gradients have the opposite sign. Add the gradient instead.
 * section: gradients-are-added
 */

/* residual_backward: first-set-to-the-second
 * base: plain-loops
 * edit: dinp1[n] += dout[n];  =>
 * edit: dinp2[n] += dout[n]  =>  dinp1[n] = dinp2[n] += dout[n]
 * why: Your dinp2 is right, and your dinp1 is a copy of it. You assigned to both in one statement, which overwrites
 * what stood in dinp1. What should each of them receive?
 * hint: Your dinp2 is right, and your dinp1 is a copy of it. Add dout to each of them in a statement of its own.
 * section: two-ways-one-gradient
 */

/* residual_backward: one-of-them-twice
 * base: plain-loops
 * each: TWICE = dinp1; dinp2
 * edit: TWICE[n] += dout[n]  =>  TWICE[n] += 2.0f * dout[n]
 * why: One of your two gradients is twice as large as it should be. You added the arriving gradient to it twice. How
 * often did the forward pass add each input?
 * hint: One of your two gradients is too large by the factor 2. Add dout to each of them once.
 * section: two-ways-one-gradient
 */

/* crossentropy_softmax_backward: no-minus-one
 * base: plain-loops
 * edit: int target = targets[b * T + t];  =>  (void)targets;
 * edit: float right = v == target ? 1.0f : 0.0f;  =>
 * edit: (p[v] - right)  =>  p[v]
 * why: Every row of your gradient sums to dlosses, not to 0. You added the probabilities as they are. What is different
 * at the target's column?
 * hint: Every row of your gradient sums to dlosses, not to 0. Subtract 1 at the target's column.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: minus-one-for-every-token
 * base: plain-loops
 * edit: float right = v == target ? 1.0f : 0.0f;  =>
 * edit: dz[v] += (p[v] - right) * d  =>  dz[v] += p[v] * d, dz[target] -= d
 * why: Your gradient at the target is far too low. You subtracted there once for every token of the vocabulary. In
 * which loop does that line belong?
 * hint: Your gradient at the target is far too low. Subtract there once per position, after the loop over the
 * tokens.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: target-of-the-first-row
 * base: plain-loops
 * edit: float right = v == target ? 1.0f : 0.0f;  =>
 * edit: (p[v] - right)  =>  p[v]
 * edit: float d = dlosses[b * T + t];  =>  float d = dlosses[b * T + t]; dlogits[target] -= d;
 * why: Row 0 gets the -1 of all positions, and the other rows none. You left the row out of the index for the target.
 * Where does row (b, t) begin?
 * hint: Row 0 gets the -1 of all positions. Count the target's column from the beginning of its row.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: opposite-sign
 * base: plain-loops
 * edit: p[v] - right  =>  right - p[v]
 * why: Your gradients have the wrong sign, so the loss grows with every step. You took the difference in reverse. Which
 * sign raises the target's logit in a step against the gradient?
 * hint: Your gradients have the wrong sign. Take the probability minus 1 at the target, and the probability elsewhere.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: overwritten
 * base: plain-loops
 * edit: dz[v] += (p[v] - right) * d  =>  dz[v] = (p[v] - right) * d
 * why: What stood in dlogits is gone. You overwrote it. Which assignment collects gradients?
 * hint: What stood in dlogits is gone. Add instead of assigning.
 * section: gradients-are-added
 */

/* crossentropy_softmax_backward: target-overwritten
 * base: plain-loops
 * edit: dz[v] += (p[v] - right) * d  =>  dz[v] = (v == target ? 0.0f : dz[v]) + (p[v] - right) * d
 * why: Earlier gradients in the target's column of dlogits are lost. You overwrote the target's entry in each row and added to
 * all others. Which assignment collects gradients?
 * hint: Earlier gradients in the target's column of dlogits are lost. Add there, too, instead of assigning.
 * section: gradients-are-added
 */

/* crossentropy_softmax_backward: divided-once-more
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) * d / (B * T)
 * why: Your gradients are B * T times too small. You divided by the number of positions. Where has the mean already
 * been taken?
 * hint: Your gradients are too small by the factor B * T. Multiply by dlosses, and by nothing else.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: arriving-gradient-forgotten
 * base: plain-loops
 * edit: float d = dlosses[b * T + t];  =>  (void)dlosses;
 * edit: (p[v] - right) * d  =>  (p[v] - right)
 * why: Your gradients do not depend on dlosses. You left out the arriving gradient. What does the chain rule multiply
 * the difference by?
 * hint: Your gradients do not depend on dlosses. Multiply the difference by the entry of dlosses for its position.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: mean-in-place-of-what-arrives
 * base: plain-loops
 * edit: float d = dlosses[b * T + t];  =>  (void)dlosses;
 * edit: (p[v] - right) * d  =>  (p[v] - right) / (B * T)
 * why: Your gradients do not depend on dlosses. You divided by the number of positions, which is right for the mean
 * loss only. Which gradient arrives at each position?
 * hint: Your gradients do not depend on dlosses. Multiply by the entry of dlosses for the position instead of dividing.
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
 * why: Where columns are padded, every row but the first begins too early. You put rows V apart. How long is a row with
 * its padding?
 * hint: Where columns are padded, every row but the first begins too early. The step from row to row is Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: same-targets-in-every-sequence
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t]
 * why: The 1 is subtracted at the first sequence's targets everywhere. Your index does not depend on b. Which target
 * belongs to position (b, t)?
 * hint: The 1 is subtracted at the first sequence's targets everywhere. The targets of sequence b come after T targets
 * for each earlier sequence.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: same-gradient-in-every-sequence
 * base: plain-loops
 * edit: dlosses[b * T + t]  =>  dlosses[t]
 * why: Later sequences are scaled by the first one's dlosses. Your index does not depend on b. Which entry belongs to
 * position (b, t)?
 * hint: The later sequences are scaled by the first one's dlosses. The entries of sequence b come after T entries for
 * each earlier sequence.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: targets-and-gradients-of-the-first-sequence
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t]
 * edit: dlosses[b * T + t]  =>  dlosses[t]
 * why: The first sequence is right, and all others use its targets and its dlosses. You left b out of both indices.
 * Which entry of an array (B, T) belongs to position (b, t)?
 * hint: The first sequence is right, and all others use its targets and its dlosses. The entries of sequence b come
 * after T entries for each earlier sequence.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: only-one-sequence
 * base: plain-loops
 * edit: dlogits + (b * T + t) * Vp  =>  dlogits + t * Vp
 * edit: probs + (b * T + t) * Vp  =>  probs + t * Vp
 * why: The first sequence collects everything, and the others get nothing. Your row offsets do not depend on b. Where
 * does row (b, t) begin?
 * hint: The first sequence collects everything, and the others get nothing. Row (b, t) comes after b whole sequences
 * and t rows.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: target-column-only
 * base: plain-loops
 * edit: (p[v] - right)  =>  (p[v] - 1.0f) * right
 * why: All columns but the target's get nothing. You left them out, but through the sum of the softmax the loss depends
 * on every logit. Which gradient do the other columns get?
 * hint: All columns but the target's get nothing. Every other column gets its probability times dlosses.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: gradient-of-the-logarithm-alone
 * base: plain-loops
 * edit: (p[v] - right)  =>  -right / p[v]
 * why: Your gradient is that of the logarithm alone, with respect to the probabilities. You stopped too early. Which
 * step lies between logits and probabilities?
 * hint: Your gradient is -1 / p at the target and 0 elsewhere. Go on through the softmax: all that remains is p - 1
 * there, and p elsewhere.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: sigmoid-gradient
 * base: plain-loops
 * edit: (p[v] - right)  =>  (p[v] - right) * p[v] * (1.0f - p[v])
 * why: Your gradients are too small. You multiplied by the slope of a sigmoid. What remains when the derivatives of
 * softmax and logarithm are multiplied?
 * hint: Your gradients are too small, by the factor p * (1 - p). Leave it out.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: multiplied-by-the-probability
 * base: plain-loops
 * edit: (p[v] - right)  =>  p[v] * (p[v] - right)
 * why: Your gradients are too small, most of all for unlikely tokens. You multiplied by the probability. What
 * remains when the derivatives of softmax and logarithm are multiplied?
 * hint: Your gradients are too small, by the factor p. Leave it out: the logarithm's derivative has cancelled it.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: targets-count-from-1
 * base: plain-loops
 * edit: v == target  =>  v == target - 1
 * why: Your 1 is subtracted one column before the target. You counted the ids from 1. From which number do ids count?
 * hint: Your minus 1 stands one column before the target. Compare v with the target as it is.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: last-token-left-out
 * base: plain-loops
 * edit: for (int v = 0; v < V; v++) {  =>  for (int v = 0; v < V - 1; v++) {
 * why: The last token's logit gets no gradient. Your loop ends one token too early. Which condition makes it run V
 * times from 0?
 * hint: The last token's logit gets no gradient. The loop has to run over all V tokens.
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
 * why: Logits from the 65th on get no gradient. You assumed that a row fits into a small array, and GPT-2 has 50,257
 * tokens. Up to which number should the loop run?
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
 * why: Your kernel is right when it is called once, and later calls still use the first call's targets. You keep them
 * in a `static` copy. Which targets does each call receive?
 * hint: Your kernel is right when it is called once. A later call still uses the targets of the first call: your
 * copy of them is `static`. Read the argument in every call.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: target-outside-of-the-product
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  p[v] * d - right
 * why: Your target column is off by 1 - dlosses. You subtracted the 1 after the multiplication. Which of the two comes
 * first?
 * hint: Your target column is off by 1 - dlosses. Subtract first, then multiply.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: one-added
 * base: plain-loops
 * edit: p[v] - right  =>  p[v] + right
 * why: Your target column has the wrong sign. You added 1. In which direction should the target's logit move in a step
 * against the gradient?
 * hint: Your target column has the wrong sign. It is p - 1.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: gradient-of-the-first-position
 * base: plain-loops
 * edit: dlosses[b * T + t]  =>  dlosses[0]
 * why: Position 0 is right, and all others use its arriving gradient. You always read entry 0 of dlosses. Which entry
 * of dlosses belongs to position (b, t)?
 * hint: All positions use the arriving gradient of position 0. dlosses has an entry for each position of each sequence.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: target-is-the-position
 * base: plain-loops
 * edit: v == target  =>  v == t
 * why: Your target column is column t. You compared with the position. Which array holds the target token?
 * hint: Your target column is column t. Compare v with the target.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: targets-in-columns
 * base: plain-loops
 * edit: targets[b * T + t]  =>  targets[t * B + b]
 * why: Your targets belong to other positions. You read them as (T, B). Which entry belongs to position (b, t)?
 * hint: Your targets belong to other positions. targets is (B, T): the entries of one sequence stand together.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: rows-of-the-first-sequence
 * base: plain-loops
 * edit: probs + (b * T + t) * Vp  =>  probs + t * Vp
 * why: The first sequence is right, and all others use its probabilities. Your rows of probs do not depend on b. Where
 * does row (b, t) begin?
 * hint: All sequences use the probabilities of the first. Row (b, t) of probs comes after b whole sequences and t rows.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: divided-by-the-vocabulary
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) * d / V
 * why: Your gradient is V times too small. You divided by the number of tokens. Does the loss of a position average
 * over the tokens?
 * hint: Your gradient is too small by the factor V. Leave the division out.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: squared-error-gradient
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  2.0f * (p[v] - right) * d
 * why: Your gradient is twice as large as it should be. You kept the factor of a squared error. Which factor does
 * cross-entropy have?
 * hint: Your gradient is twice as large as it should be. Cross-entropy has no square whose exponent becomes a factor.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: rows-of-gradients-of-length-v
 * base: plain-loops
 * edit: dlogits + (b * T + t) * Vp  =>  dlogits + (b * T + t) * V
 * why: Your first row is right, and later ones begin too early in dlogits. You put its rows V apart. How long is a row
 * with its padding?
 * hint: Your first row is right, and later ones begin too early in dlogits. The step from row to row is Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: rows-of-probs-of-length-v
 * base: plain-loops
 * edit: probs + (b * T + t) * Vp  =>  probs + (b * T + t) * V
 * why: Your first row is right, and later ones begin too early in probs. You put its rows V apart. How long is a row
 * with its padding?
 * hint: Your first row is right, and later ones begin too early in probs. The step from row to row is Vp.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: token-after-the-target
 * base: plain-loops
 * edit: v == target  =>  v == target + 1
 * why: Your target column is one too far to the right. You compared with the id after the target. From which number do
 * ids and columns count?
 * hint: Your target column is one too far to the right. Compare v with the target as it is.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: gradient-of-the-softmax-alone
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  p[v] * (right - p[v]) * d
 * why: Your gradient has the wrong sign and is too small. You stopped at a part of the softmax's own gradient. What
 * remains when the derivative of the logarithm is multiplied in?
 * hint: Your gradient has the wrong sign and is too small. In the target's column it is p - 1, in all others p.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: last-position-left-out
 * base: plain-loops
 * edit: t < T  =>  t < T - 1
 * why: The last position of every sequence counts in no gradient. Your loop ends one position too early. Which
 * condition makes it run T times from 0?
 * hint: The last position of every sequence counts in no gradient. The loop has to run over all T positions.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: first-position-left-out
 * base: plain-loops
 * edit: int t = 0  =>  int t = 1
 * why: Position 0 of every sequence counts in no gradient. Your loop begins at 1. From which number do positions count?
 * hint: Position 0 of every sequence counts in no gradient. Positions count from 0.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: last-sequence-left-out
 * base: plain-loops
 * edit: b < B  =>  b < B - 1
 * why: The last sequence counts in no gradient. Your loop ends one sequence too early. Which condition makes it run B
 * times from 0?
 * hint: The last sequence counts in no gradient. The loop has to run over all B sequences.
 * section: addresses-on-the-way-back
 */

/* crossentropy_softmax_backward: arriving-gradient-added
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) + d
 * why: Your gradient does not vanish where dlosses is 0. You added the arriving gradient. What does the chain rule do
 * with it?
 * hint: Your gradient does not vanish where dlosses is 0. Multiply by dlosses instead of adding it.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: no-probabilities
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  -right * d
 * why: All columns but the target's are as they were before the call. You left out the probabilities. Which gradient do
 * the other columns get?
 * hint: All columns but the target's are as they were before the call. The gradient is (p - 1) for the target and
 * p for all others.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: divided-by-the-length
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  (p[v] - right) * d / T
 * why: Your gradient is T times too small. You divided by the length of the sequence. Where has the mean already been
 * taken?
 * hint: Your gradient is too small by the factor T. Leave the division out.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: padding-cleared
 * base: plain-loops
 * edit: float d = dlosses[b * T + t];  =>  float d = dlosses[b * T + t]; memset(dz + V, 0, (Vp - V) * sizeof(float));
 * why: What stood in the padded columns is gone. You cleared them. Which gradient do these columns have, and what does
 * adding it change?
 * hint: What stood in the padded columns is gone. Leave them alone: the loop ends at V.
 * section: loss-gradient
 */

/* crossentropy_softmax_backward: nothing-at-the-target
 * base: plain-loops
 * edit: (p[v] - right) * d  =>  p[v] * (1.0f - right) * d
 * why: Your gradient is 0 at the target. You multiplied its entry by 0. What does the target's column get instead?
 * hint: Your gradient is 0 at the target. Subtract 1 from the probability there.
 * section: loss-gradient
 */

/* adamw_update: no-bias-correction
 * base: plain-loops
 * edit: float correction1 = 1.0f - powf(beta1, t);  =>
 * edit: float correction2 = 1.0f - powf(beta2, t);  =>  (void)t;
 * edit: m[i] / correction1  =>  m[i]
 * edit: v[i] / correction2  =>  v[i]
 * why: Your first step has the wrong size, and m and v are right. The moments start at 0, and you used them as they
 * are. What corrects their start?
 * hint: Your first step has the wrong size, and m and v are right. Divide m by 1 - beta1^t and v by 1 - beta2^t
 * before you use them.
 * section: adamw-in-c
 */

/* adamw_update: second-moment-not-corrected
 * base: plain-loops
 * edit: float correction2 = 1.0f - powf(beta2, t);  =>
 * edit: v[i] / correction2  =>  v[i]
 * why: Your first steps are too large. You corrected only the first moment. Which other moment starts at 0?
 * hint: Your first steps are too large. Divide v by 1 - beta2^t before you take the root.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-not-corrected
 * base: plain-loops
 * edit: float correction1 = 1.0f - powf(beta1, t);  =>
 * edit: m[i] / correction1  =>  m[i]
 * why: Your first steps are too small. You corrected only the second moment. Which other moment starts at 0?
 * hint: Your first steps are too small. Divide m by 1 - beta1^t before you use it.
 * section: adamw-in-c
 */

/* adamw_update: corrected-moments-kept
 * base: plain-loops
 * edit: float m_hat = m[i] / correction1;  =>  m[i] /= correction1;
 * edit: float v_hat = v[i] / correction2;  =>  v[i] /= correction2;
 * edit: m_hat / (sqrtf(v_hat) + eps)  =>  m[i] / (sqrtf(v[i]) + eps)
 * why: Your first step is right, but m and v hold corrected moments, and the next step corrects them again. You stored
 * the wrong version. Which one should be kept?
 * hint: Your parameters are right, but m and v hold the corrected moments. Keep the bare ones, and correct a copy.
 * section: adamw-in-c
 */

/* adamw_update: steps-count-from-0
 * base: plain-loops
 * edit: (beta1, t)  =>  (beta1, t - 1)
 * edit: (beta2, t)  =>  (beta2, t - 1)
 * why: Your first step gives NaN or infinity. You used t - 1, and beta^0 is 1. Which number does the first step have?
 * hint: Your first step gives NaN or infinity. t is 1 at the first step already: use it as it is.
 * section: adamw-in-c
 */

/* adamw_update: steps-count-one-too-far
 * base: plain-loops
 * edit: (beta1, t)  =>  (beta1, t + 1)
 * edit: (beta2, t)  =>  (beta2, t + 1)
 * why: Your first step has the wrong size. You used t + 1. Which number does the first step have?
 * hint: Your first step is too small. t is 1 at the first step already: use it as it is.
 * section: adamw-in-c
 */

/* adamw_update: product-for-power
 * base: plain-loops
 * edit: powf(beta1, t)  =>  beta1 * t
 * edit: powf(beta2, t)  =>  beta2 * t
 * why: Your first step is right, and later ones are not. You multiplied beta by t. Which operation does the correction
 * use?
 * hint: Your first step is right and later ones are not. The correction uses a power of beta, not a product.
 * section: adamw-in-c
 */

/* adamw_update: moments-not-kept
 * base: plain-loops
 * edit: m[i] = beta1 * m[i] + (1.0f - beta1) * g;  =>  float m_new = beta1 * m[i] + (1.0f - beta1) * g;
 * edit: v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;  =>  float v_new = beta2 * v[i] + (1.0f - beta2) * g * g;
 * edit: m[i] / correction1  =>  m_new / correction1
 * edit: v[i] / correction2  =>  v_new / correction2
 * why: Your parameters are right, but m and v are as before the step. You kept the new moments in variables. With what
 * should the next step begin?
 * hint: Your parameters are right, but m and v are as before the step. Write both back.
 * section: adamw-in-c
 */

/* adamw_update: betas-exchanged
 * base: plain-loops
 * edit: correction1 = 1.0f - powf(beta1, t)  =>  correction1 = 1.0f - powf(beta2, t)
 * edit: correction2 = 1.0f - powf(beta2, t)  =>  correction2 = 1.0f - powf(beta1, t)
 * edit: m[i] = beta1 * m[i] + (1.0f - beta1) * g;  =>  m[i] = beta2 * m[i] + (1.0f - beta2) * g;
 * edit: v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;  =>  v[i] = beta1 * v[i] + (1.0f - beta1) * g * g;
 * why: Your m and v move at each other's pace. You exchanged the two betas. Which moment is the slower one?
 * hint: Your m and v move at each other's pace. m takes beta1, v takes beta2.
 * section: adamw-in-c
 */

/* adamw_update: gradient-not-squared
 * base: plain-loops
 * each: SIZE = g; fabsf(g)
 * edit: g * g  =>  SIZE
 * why: Your v holds averages of gradients, or of their absolute values. You did not square them. Of what is v the
 * running mean?
 * hint: Your v holds averages of gradients, or of their absolute values. Square the gradient.
 * section: adamw-in-c
 */

/* adamw_update: new-gradient-at-full-weight
 * base: plain-loops
 * edit: (1.0f - beta1) * g  =>  g
 * edit: (1.0f - beta2) * g  =>  g
 * why: Your m and v are many times too large. You added the new gradient with full weight. To which number should the
 * shares of old and new add up?
 * hint: Your m and v are many times too large. The new gradient has the weight 1 - beta.
 * section: adamw-in-c
 */

/* adamw_update: no-root
 * base: plain-loops
 * edit: sqrtf(v_hat)  =>  v_hat
 * why: Your steps have the wrong size. You divided by the second moment itself. Which function of it has the size of a
 * gradient?
 * hint: Your steps have the wrong size. Divide by the root of the corrected second moment.
 * section: adamw-in-c
 */

/* adamw_update: epsilon-inside-the-root
 * base: plain-loops
 * edit: (sqrtf(v_hat) + eps)  =>  sqrtf(v_hat + eps)
 * why: Your steps are wrong where gradients are no larger than the root of eps. You added eps under the root. On which
 * side of the root does it belong?
 * hint: Your steps are wrong where gradients are no larger than the root of eps. Add eps after the root.
 * section: adamw-in-c
 */

/* adamw_update: epsilon-before-the-correction
 * base: plain-loops
 * edit: v_hat = v[i] / correction2  =>  root = (sqrtf(v[i]) + eps) / sqrtf(correction2)
 * edit: (sqrtf(v_hat) + eps)  =>  root
 * why: Your steps are slightly off where gradients are about as small as eps. You added eps before the correction. In
 * which order do correction, root and eps come?
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
 * why: Your steps are too large where gradients are about as small as eps, and a parameter whose gradients were all 0
 * becomes NaN. You left eps out. To which number is it added?
 * hint: Your steps are too large where the gradients are about as small as eps. Add eps to the root.
 * section: adamw-in-c
 */

/* adamw_update: decay-in-the-gradient
 * base: decay-after-the-step
 * edit: grads[i]  =>  grads[i] + weight_decay * params[i]
 * edit: params[i] -= lr * weight_decay * params[i];  =>
 * why: Your m and v change with the decay. You added it to the gradient, as Adam with L2 does. What does the decay of
 * AdamW act on?
 * hint: Your m and v change with the decay. Leave the gradient alone, and shrink the parameter directly.
 * section: adamw-in-c
 */

/* adamw_update: decay-without-the-learning-rate
 * base: decay-after-the-step
 * edit: lr * m_hat / (sqrtf(v_hat) + eps)  =>  lr * m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]
 * edit: params[i] -= lr * weight_decay * params[i];  =>
 * why: Your decay is 1 / lr times too strong. You left a factor out of it. What scales both parts of an AdamW update?
 * hint: Your decay is too strong, by the factor 1 / lr. The learning rate scales it as well.
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
 * why: Your parameters do not shrink. You left out the decay. What does the W in AdamW stand for?
 * hint: Your parameters do not shrink. Subtract a share of the parameter itself as well.
 * section: adamw-in-c
 */

/* adamw_update: decay-with-the-wrong-sign
 * base: decay-after-the-step
 * edit: lr * m_hat / (sqrtf(v_hat) + eps)  =>  lr * (m_hat / (sqrtf(v_hat) + eps) - weight_decay * params[i])
 * edit: params[i] -= lr * weight_decay * params[i];  =>
 * why: Your parameters grow where they should shrink. You added the decay. Which sign should it have?
 * hint: Your parameters grow where they should shrink. Subtract the decay, too.
 * section: adamw-in-c
 */

/* adamw_update: step-uphill
 * base: plain-loops
 * edit:
 *     params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i])
 * =>
 *     params[i] += lr * (m_hat / (sqrtf(v_hat) + eps) - weight_decay * params[i])
 * why: Your parameters move uphill. You added the step, but the gradient points to where the loss grows. In which
 * direction should they move?
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
 * why: Where a gradient is 0 in one step, your parameter and its moments stand still. You skipped it. What do its
 * running means still say?
 * hint: Where a gradient is 0, your parameter and its moments stand still. Do the whole step for every parameter: m
 * still says where to go.
 * section: adamw-in-c
 */

/* adamw_update: corrections-of-the-first-call
 * base: plain-loops
 * edit: float correction1 =  =>  static float correction1, correction2; if (correction1 == 0) correction1 =
 * edit: float correction2 =  =>  if (correction2 == 0) correction2 =
 * why: Your first step is right, and later ones use its corrections. You keep them in `static` variables. On what do
 * the corrections depend?
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
 * why: A resumed training starts with the wrong step number, and two models share one count. You count the calls in a
 * `static` variable. Which argument says which step this is?
 * hint: Your step number is how often this process has called the kernel. Use the argument t: a resumed training
 * begins with a later step.
 * section: adamw-in-c
 */

/* adamw_update: decay-of-the-parameter-forgotten
 * base: plain-loops
 * edit: weight_decay * params[i]  =>  weight_decay
 * why: Your decay is the same for all parameters. You subtracted a constant. To what is the decay proportional?
 * hint: Your decay is the same for all parameters. Multiply weight_decay by the parameter.
 * section: adamw-in-c
 */

/* adamw_update: second-moment-of-the-first
 * base: plain-loops
 * edit: (1.0f - beta2) * g * g  =>  (1.0f - beta2) * m[i] * m[i]
 * why: Your v is too small. You squared the running mean. Whose squares does v collect?
 * hint: Your v is too small. Square the gradient.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-with-beta2
 * base: plain-loops
 * edit: beta1 * m[i] + (1.0f - beta1) * g  =>  beta2 * m[i] + (1.0f - beta2) * g
 * why: Your m follows the gradients too slowly. You used the beta of the second moment. Which beta belongs to m?
 * hint: Your m follows the gradients too slowly. Use beta1 for m, and beta2 for v.
 * section: adamw-in-c
 */

/* adamw_update: weights-of-the-means-exchanged
 * base: plain-loops
 * edit: beta1 * m[i] + (1.0f - beta1) * g  =>  (1.0f - beta1) * m[i] + beta1 * g
 * edit: beta2 * v[i] + (1.0f - beta2) * g * g  =>  (1.0f - beta2) * v[i] + beta2 * g * g
 * why: Your moments forget almost everything. You exchanged the shares of old and new. Which of them gets beta?
 * hint: Your moments forget almost everything. The old value gets beta, the new gradient 1 - beta.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-at-full-weight
 * base: plain-loops
 * edit: (1.0f - beta1) * g;  =>  g;
 * why: Your m is 1 / (1 - beta1) times too large. You added the gradient with full weight. To which number should the
 * shares of old and new add up?
 * hint: Your m is too large by the factor 1 / (1 - beta1). Give the gradient the rest of the weight.
 * section: adamw-in-c
 */

/* adamw_update: second-moment-at-full-weight
 * base: plain-loops
 * edit: (1.0f - beta2) * g * g  =>  g * g
 * why: Your v is 1 / (1 - beta2) times too large. You added the squared gradient with full weight. To which number
 * should the shares of old and new add up?
 * hint: Your v is too large by the factor 1 / (1 - beta2). Give the squared gradient the rest of the weight.
 * section: adamw-in-c
 */

/* adamw_update: first-correction-for-both
 * base: plain-loops
 * edit: v[i] / correction2  =>  v[i] / correction1
 * why: Your first steps have the wrong size. You divided v by the correction of m. Which correction belongs to v?
 * hint: Your first steps have the wrong size. Correct v with beta2, and m with beta1.
 * section: adamw-in-c
 */

/* adamw_update: multiplied-by-the-corrections
 * base: plain-loops
 * edit: m[i] / correction1  =>  m[i] * correction1
 * edit: v[i] / correction2  =>  v[i] * correction2
 * why: Your first steps have the wrong size. You multiplied by the corrections, which are below 1. Which operation
 * enlarges a moment that is too small?
 * hint: Your first steps have the wrong size. Divide m by 1 - beta1^t and v by 1 - beta2^t.
 * section: adamw-in-c
 */

/* adamw_update: no-learning-rate
 * base: plain-loops
 * edit: params[i] -= lr * (  =>  params[i] -= (
 * why: Your steps are 1 / lr times too large. You left out the learning rate. Which two parts of the update does it
 * scale?
 * hint: Your steps are too large by the factor 1 / lr. Scale both parts of the update by lr.
 * section: adamw-in-c
 */

/* adamw_update: gradient-for-first-moment
 * base: plain-loops
 * edit: (m_hat / (  =>  (g / (
 * why: Your step goes along the latest gradient. You computed m and did not use it. Which of the two should be divided
 * by the root?
 * hint: Your m is right but not used. Divide the corrected m by the root.
 * section: adamw-in-c
 */

/* adamw_update: decay-by-the-learning-rate-only
 * base: plain-loops
 * edit: weight_decay * params[i])  =>  params[i])
 * why: Your parameters shrink by lr, whatever the decay is. You left a factor out of the decay. Of which three numbers
 * is it the product?
 * hint: Your parameters shrink by lr, whatever weight_decay is. Use that argument as well.
 * section: adamw-in-c
 */

/* adamw_update: corrections-of-the-first-step-in-all
 * base: plain-loops
 * edit: powf(beta1, t)  =>  beta1
 * edit: powf(beta2, t)  =>  beta2
 * why: Your first step is right, and later ones have the wrong size. You used the corrections of the first step for
 * all. How do they change with t?
 * hint: Your first step is right, and later ones have the wrong size. The power of beta in the correction grows with t.
 * section: adamw-in-c
 */

/* adamw_update: no-root-and-no-second-moment
 * base: plain-loops
 * edit: m_hat / (sqrtf(v_hat) + eps)  =>  m_hat
 * why: Your steps are as large as the gradients. You left the second moment out. By what should the first moment be
 * divided?
 * hint: Your steps are as large as the gradients. Divide by the root of the corrected second moment, with eps added.
 * section: adamw-in-c
 */

/* adamw_update: epsilon-added-to-the-step
 * base: plain-loops
 * edit: m_hat / (sqrtf(v_hat) + eps)  =>  (m_hat / sqrtf(v_hat) + eps)
 * why: A parameter whose gradients were all 0 becomes NaN. You added eps to the quotient. Which number should eps keep
 * from being 0?
 * hint: A parameter whose gradients were all 0 becomes NaN, because you divide by 0. Add eps to the root, before the
 * division.
 * section: adamw-in-c
 */

/* adamw_update: first-moment-not-kept
 * base: plain-loops
 * edit: m[i] = beta1 * m[i]  =>  float kept = beta1 * m[i]
 * edit: m[i] / correction1  =>  kept / correction1
 * why: Your m is as it was before the call. You did not store the new one. With what should the next step begin?
 * hint: Your m is as it was before the call. Store the new mean in it.
 * section: adamw-in-c
 */

/* adamw_update: second-moment-not-kept
 * base: plain-loops
 * edit: v[i] = beta2 * v[i]  =>  float kept = beta2 * v[i]
 * edit: v[i] / correction2  =>  kept / correction2
 * why: Your v is as it was before the call. You did not store the new one. With what should the next step begin?
 * hint: Your v is as it was before the call. Store the new mean in it.
 * section: adamw-in-c
 */

/* adamw_update: learning-rate-in-the-gradient
 * base: plain-loops
 * edit: float g = grads[i]  =>  float g = lr * grads[i]
 * why: Your m contains the learning rate as a factor. You multiplied the gradient by it before the moments. Where does
 * the rate belong?
 * hint: Your m contains the factor lr. Multiply by lr only where the parameter changes.
 * section: adamw-in-c
 */

/* adamw_update: betas-exchanged-in-the-moments
 * base: plain-loops
 * edit: m[i] = beta1 * m[i] + (1.0f - beta1) * g;  =>  m[i] = beta2 * m[i] + (1.0f - beta2) * g;
 * edit: v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;  =>  v[i] = beta1 * v[i] + (1.0f - beta1) * g * g;
 * why: Your m and v move at each other's pace. You exchanged the betas in the moments and not in the corrections. Which
 * moment is the slower one?
 * hint: Your m and v move at each other's pace. m takes beta1, v takes beta2.
 * section: adamw-in-c
 */

/* adamw_update: correction-outside-the-root
 * base: plain-loops
 * each: ROOT = sqrtf(v[i]) / correction2; sqrtf(v[i]) / correction2 * correction1
 * edit: sqrtf(v_hat)  =>  ROOT
 * why: Your steps have the wrong size while t is small. You corrected the root of v. On which side of the root does the
 * correction belong?
 * hint: Your steps have the wrong size while t is small. Divide v by its correction first, then take the root.
 * section: adamw-in-c
 */

/* layernorm_backward: first-sum-without-the-weight
 * base: plain-loops
 * edit: mean_g += g  =>  mean_g += d[c]
 * why: The mean in your dinp lacks the weight. You took it of dout. Which gradient passes through the mean of the row?
 * hint: The first of the two means in your dinp lacks the weight. Take it of dout * weight.
 * section: layernorm-gradients
 */

/* layernorm_backward: second-sum-without-the-weight
 * base: plain-loops
 * edit: mean_gn += g  =>  mean_gn += d[c]
 * why: The second mean in your dinp lacks the weight. You took it of dout times the normalised input. Which gradient
 * passes through the deviation of the row?
 * hint: The second of the two means in your dinp lacks the weight. Take it of dout * weight times the normalised input.
 * section: layernorm-gradients
 */
