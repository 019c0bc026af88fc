/* Wrong implementations of unit 16, gpt2_backward, each with the misconception behind it.
 *
 * Every entry is wrong in one respect only. When two would give the same results, the first is named.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

/* encoder_backward: both-overwritten
 * explanation: Both tables were written with `=`. A row that is used many times then keeps the gradient of its last
 * use alone.
 * hint: Rows that are used more than once hold only their last gradient, and what stood in the tables is gone. Write
 * `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] = d[c];
                dplace[c] = d[c];
            }
        }
    }
}

/* encoder_backward: tokens-overwritten
 * explanation: The token's row was written with `=`. A token that occurs twice then keeps the gradient of its last
 * place alone.
 * hint: Tokens that occur more than once hold only their last gradient. Write `+=`: a row collects from every place
 * of its token (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] = d[c];
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: places-overwritten
 * explanation: The place's row was written with `=`. Every sequence uses the same places, so only the last sequence
 * is left.
 * hint: Your dwpe holds the last sequence's gradients. Write `+=`: a place's row collects from all sequences (chapter
 * 16, 'Gradients are added').
 * section: gradients-are-added
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] = d[c];
            }
        }
    }
}

/* encoder_backward: no-gradient-for-tokens
 * explanation: Only the places got a gradient. The sum of the forward pass has two terms, and both get all of it.
 * hint: Your dwte stays as it was. Add the same gradient to the row of the token (chapter 16, 'Gradients of the
 * tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            (void)dwte, (void)inp;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: no-gradient-for-places
 * explanation: Only the tokens got a gradient. The sum of the forward pass has two terms, and both get all of it.
 * hint: Your dwpe stays as it was. Add the same gradient to the row of the place (chapter 16, 'Gradients of the
 * tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            (void)dwpe;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
            }
        }
    }
}

/* encoder_backward: half-for-each
 * explanation: The gradient was shared out between token and place. A sum hands its whole gradient to each of its
 * terms.
 * hint: Both of your gradients are half of what they should be. Each term of a sum gets the whole gradient (chapter
 * 16, 'Gradients of the tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c] / 2;
                dplace[c] += d[c] / 2;
            }
        }
    }
}

/* encoder_backward: places-of-the-first-sequence
 * explanation: The places collect from the first sequence only. All sequences used them.
 * hint: Your dwpe misses all sequences but the first. Add in every round of the loop over b (chapter 16, 'Gradients
 * of the tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                if (b == 0) dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: averaged-over-the-batch
 * explanation: The gradients of the places were divided by B. They are summed: the mean, where one is wanted, is in
 * the loss.
 * hint: Your dwpe is too small by the factor B. Sum over the batch, do not average (chapter 16, 'Gradients of the
 * tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] += d[c] / B;
            }
        }
    }
}

/* encoder_backward: places-go-on-counting
 * explanation: The row of dwpe was computed from b * T + t, which counts on from one sequence to the next. Every
 * sequence begins at place 0.
 * hint: Each sequence adds to rows of dwpe of its own. The row is t, the same for all sequences (chapter 16,
 * 'Gradients of the tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + (b * T + t) * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: place-for-id
 * explanation: The gradient went to row t of dwte. It belongs to the row that the forward pass read, that of the id.
 * hint: Your dwte collects by place, not by token. Its row is inp[b * T + t] (chapter 16, 'Gradients of the tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    (void)inp;
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + t * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: same-ids-in-every-sequence
 * explanation: The id was read at inp[t], so every sequence's gradients go to the tokens of the first. Sequence b
 * starts at entry b * T.
 * hint: The gradients of later sequences go to the tokens of the first one. The id of position (b, t) is inp[b * T +
 * t] (chapter 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: same-gradients-in-every-sequence
 * explanation: The offset into dout has no b in it. Every sequence adds the gradients of the first.
 * hint: Your sums repeat the first sequence. Row (b, t) of dout begins at (b * T + t) * C (chapter 16, 'Addresses on
 * the way back').
 * section: addresses-on-the-way-back
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + t * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: table-rows-of-length-t
 * explanation: The rows of dwte were taken to be T long. They are C long, whatever the sequences' length is.
 * hint: Your gradients begin in the middle of other tokens' rows. A row of dwte has C entries (chapter 16, 'Addresses
 * on the way back').
 * section: addresses-on-the-way-back
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * T;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: places-cleared-first
 * explanation: The rows of the places were set to 0 before the sum. What stood there belonged to the same gradient,
 * and clearing is the caller's task.
 * hint: What stood in dwpe is gone. A backward kernel never clears: it adds to what is there (chapter 16, 'Gradients
 * are added').
 * section: gradients-are-added
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    memset(dwpe, 0, sizeof(float) * T * C);
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            float *dtoken = dwte + inp[b * T + t] * C;
            float *dplace = dwpe + t * C;
            for (int c = 0; c < C; c++) {
                dtoken[c] += d[c];
                dplace[c] += d[c];
            }
        }
    }
}

/* encoder_backward: ids-in-one-byte
 * explanation: The id went through a type of one byte, which counts to 255 and begins at 0 again. GPT-2 has 50,257
 * tokens.
 * hint: Gradients of ids above 255 end in the row of another token. Keep ids in an `int`, or in a `size_t` for the
 * address (chapter 16, 'Gradients of the tables').
 * section: table-gradients
 */
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            const float *d = dout + row * C;
            float *token = dwte + (unsigned char)inp[row] * C;
            float *place = dwpe + (size_t)t * C;
            for (int c = 0; c < C; c++) {
                token[c] += d[c];
                place[c] += d[c];
            }
        }
    }
}

/* layernorm_backward: input-gradient-overwritten
 * explanation: dinp was written with `=`. The input of a layer norm is also that of the residual connection, whose
 * gradient stands there already.
 * hint: What stood in dinp is gone. Add to it with `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] = rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: parameter-gradients-overwritten
 * explanation: dweight and dbias were written with `=`. Every position uses them, so only the last one is left.
 * hint: Your dweight and dbias hold the last position's gradients. They are sums over all positions: write `+=`
 * (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] = d[c];
            dweight[c] = d[c] * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: no-path-through-the-statistics
 * explanation: Mean and standard deviation were taken as constants. They depend on every channel of the row, and what
 * flows back through them are the two terms that you have left out.
 * hint: Your dinp is rstd * g alone. Two terms are missing: the mean of g, and n times the mean of g * n (chapter 16,
 * 'Back through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * g;
        }
    }
}

/* layernorm_backward: no-path-through-the-deviation
 * explanation: The standard deviation was taken as a constant. It depends on every channel of the row, which gives
 * the term with the mean of g * n.
 * hint: In your dinp the term n * mean(g * n) is missing, the path through the standard deviation. Subtract it inside
 * the bracket (chapter 16, 'Back through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f;
        for (int c = 0; c < C; c++) {
            float g = d[c] * weight[c];
            mean_g += g / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * (g - mean_g);
        }
    }
}

/* layernorm_backward: no-path-through-the-mean
 * explanation: The mean was taken as a constant. It depends on every channel of the row, which gives the term with
 * the mean of g.
 * hint: In your dinp the mean of g is missing, the path through the mean. Subtract it inside the bracket (chapter 16,
 * 'Back through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * (g - n * mean_gn);
        }
    }
}

/* layernorm_backward: sums-for-means
 * explanation: The two sums were not divided by C. Mean and variance are means, and so are the terms that come back
 * through them.
 * hint: The two terms that you subtract in dinp are C times too large. Divide both sums by C (chapter 16, 'Back
 * through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g;
            mean_gn += g * n;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: weight-forgotten
 * explanation: The gradient that arrives was not multiplied by the weight. The normalised input was, on the way
 * forward.
 * hint: Your dinp is right only where the weight is 1. Start from g = dout * weight (chapter 16, 'Back through layer
 * norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    (void)weight;
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: rstd-forgotten
 * explanation: The bracket was not multiplied by rstd. The row was divided by its standard deviation, and so is its
 * gradient.
 * hint: Your dinp is off by one factor in each row: rstd. Multiply the bracket by it (chapter 16, 'Back through layer
 * norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: sums-go-on
 * explanation: The two means are set to 0 once, before the loop over the rows. Every row then carries those of all
 * rows before it.
 * hint: Your first row of dinp is right, and the later ones are not. Start both means at 0 in every row (chapter 16,
 * 'Back through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    float mean_g = 0.0f, mean_gn = 0.0f;
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: weight-gradient-of-the-raw-input
 * explanation: dweight was multiplied by the input as it came. The weight multiplies the normalised input in the
 * forward pass.
 * hint: Your dweight uses inp itself. Its factor is the normalised input, (inp - mean) * rstd (chapter 16, 'Back
 * through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * x[c];
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: weight-gradient-not-scaled
 * explanation: dweight was multiplied by the input minus its mean, without rstd. The weight multiplies the normalised
 * input in the forward pass.
 * hint: Your dweight lacks the factor rstd. Its factor is the normalised input, (inp - mean) * rstd (chapter 16,
 * 'Back through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * (x[c] - mean[i]);
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: parameter-gradients-with-weight
 * explanation: dweight and dbias were computed from dout * weight. The weight is a factor on the way to the input
 * alone.
 * hint: Your dweight and dbias contain the weight as a factor. Take dout as it arrives (chapter 16, 'Back through
 * layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += g;
            dweight[c] += g * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: no-parameter-gradients
 * explanation: Only the input got a gradient. Weight and bias are parameters, and learn from theirs.
 * hint: Your dweight and dbias stay as they were. Add dout * normalised input to the one and dout to the other
 * (chapter 16, 'Back through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    (void)dweight, (void)dbias;
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: averaged-over-the-positions
 * explanation: dweight and dbias were divided by the number of positions. They are sums: the mean, where one is
 * wanted, is in the loss.
 * hint: Your dweight and dbias are too small by the factor B * T. Sum over the positions, do not average (chapter 16,
 * 'Back through layer norm').
 * section: layernorm-gradients
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c] / (B * T);
            dweight[c] += d[c] * n / (B * T);
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: statistics-of-the-first-sequence
 * explanation: mean and rstd were read at t, so that every sequence uses those of the first. They are (B, T), like
 * the positions.
 * hint: Your gradients are right for the first sequence alone. Position (b, t) has entry b * T + t of mean and rstd
 * (chapter 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i % T]) * rstd[i % T];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i % T]) * rstd[i % T];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i % T] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: weight-gradient-overwritten
 * explanation: dweight was written with `=`. Every position uses the weight, so only the last one is left of its
 * gradient.
 * hint: Your dweight holds the last position's gradient. It is a sum over all positions: write `+=` (chapter 16,
 * 'Gradients are added').
 * section: gradients-are-added
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] += d[c];
            dweight[c] = d[c] * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* layernorm_backward: bias-gradient-overwritten
 * explanation: dbias was written with `=`. Every position uses the bias, so only the last one is left of its
 * gradient.
 * hint: Your dbias holds the last position's gradient. It is a sum over all positions: write `+=` (chapter 16,
 * 'Gradients are added').
 * section: gradients-are-added
 */
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C) {
    for (int i = 0; i < B * T; i++) {
        const float *d = dout + i * C;
        const float *x = inp + i * C;
        float *dx = dinp + i * C;
        float mean_g = 0.0f, mean_gn = 0.0f;
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            mean_g += g / C;
            mean_gn += g * n / C;
        }
        for (int c = 0; c < C; c++) {
            float n = (x[c] - mean[i]) * rstd[i];
            float g = d[c] * weight[c];
            dbias[c] = d[c];
            dweight[c] += d[c] * n;
            dx[c] += rstd[i] * (g - mean_g - n * mean_gn);
        }
    }
}

/* matmul_backward: input-gradient-overwritten
 * explanation: dinp was written with `=` inside the loop over the output channels. Every output channel uses each
 * input, and only the last one is left.
 * hint: Your dinp holds the last output channel's part alone. It is a sum over o: write `+=` (chapter 16, 'Gradients
 * are added').
 * section: gradients-are-added
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] = d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: input-gradient-cleared-first
 * explanation: Each row of dinp was set to 0 before the sum. What stood there belonged to the same gradient, and
 * clearing is the caller's task.
 * hint: What stood in dinp is gone. A backward kernel never clears: it adds to what is there (chapter 16, 'Gradients
 * are added').
 * section: gradients-are-added
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            memset(dx, 0, C * sizeof(float));
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: weight-gradient-overwritten
 * explanation: dweight was written with `=`. Every position uses the weight, and only the last one is left.
 * hint: Your dweight holds the last position's part alone. It is a sum over all positions: write `+=` (chapter 16,
 * 'Gradients are added').
 * section: gradients-are-added
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] = d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: bias-gradient-overwritten
 * explanation: dbias was written with `=`. Every position uses the bias, and only the last one is left.
 * hint: Your dbias holds the last position's part alone. It is a sum over all positions: write `+=` (chapter 16,
 * 'Gradients are added').
 * section: gradients-are-added
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] = d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: bias-without-test
 * explanation: dbias was written without asking whether there is one. Layers without a bias pass NULL.
 * hint: Your kernel writes through a NULL pointer where the layer has no bias. Ask `dbias != NULL` first (chapter 16,
 * 'Back through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: no-bias-gradient
 * explanation: The bias got no gradient. It is added to every position, so its gradient is the sum of dout over all
 * of them.
 * hint: Your dbias stays as it was. Add dout of every position to it (chapter 16, 'Back through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    (void)dbias;
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: nothing-without-bias
 * explanation: The kernel returns at once when there is no bias. Input and weight have gradients all the same.
 * hint: Where dbias is NULL nothing is added anywhere. Leave out the bias's part only (chapter 16, 'Back through a
 * linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    if (dbias == NULL) return;
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: bias-gradient-in-every-term
 * explanation: dbias was added to inside the loop over c, once for every input channel. The bias enters each output
 * once.
 * hint: Your dbias is C times too large. Add to it outside the loop over the input channels (chapter 16, 'Back
 * through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                for (int c = 0; c < C; c++) {
                    if (dbias != NULL) dbias[o] += d[o];
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: weight-not-transposed
 * explanation: The weight was read as (C, OC) on the way back. It is stored as (OC, C) as ever: only the sum runs
 * over o now.
 * hint: Your dinp mixes weights of other channels. Weight (o, c) stands at o * C + c, on the way back as well
 * (chapter 16, 'Back through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[c * OC + o];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: weight-gradient-transposed
 * explanation: dweight was written as (C, OC). It has the shape of weight, (OC, C).
 * hint: Your dweight is transposed. Entry (o, c) stands at o * C + c (chapter 16, 'Back through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[c * OC + o] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: weight-in-its-own-gradient
 * explanation: dweight was computed from the weight. The product rule gives the other factor: the input.
 * hint: Your dweight does not depend on the input. Its factor is inp, the other one of the product (chapter 16, 'Back
 * through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            (void)inp;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * weight[o * C + c];
                }
            }
        }
    }
}

/* matmul_backward: averaged-over-the-positions
 * explanation: dweight and dbias were divided by the number of positions. They are sums: the mean, where one is
 * wanted, is in the loss.
 * hint: Your dweight and dbias are too small by the factor B * T. Sum over the positions, do not average (chapter 16,
 * 'Back through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * OC;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o] / (B * T);
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c] / (B * T);
                }
            }
        }
    }
}

/* matmul_backward: only-one-sequence
 * explanation: The offsets have no b in them, so every round of the outer loop uses the first sequence. The others
 * get no gradient and give none.
 * hint: Your gradients repeat the first sequence. Position (b, t) is row b * T + t of dout, inp and dinp (chapter 16,
 * 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + t * OC;
            const float *x = inp + t * C;
            float *dx = dinp + t * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: gradient-rows-of-length-c
 * explanation: The rows of dout were taken to be C long. They have the length of the output, OC.
 * hint: Only the first position is right. Row (b, t) of dout begins at (b * T + t) * OC (chapter 16, 'Addresses on
 * the way back').
 * section: addresses-on-the-way-back
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *d = dout + (b * T + t) * C;
            const float *x = inp + (b * T + t) * C;
            float *dx = dinp + (b * T + t) * C;
            for (int o = 0; o < OC; o++) {
                if (dbias != NULL) dbias[o] += d[o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d[o] * weight[o * C + c];
                    dweight[o * C + c] += d[o] * x[c];
                }
            }
        }
    }
}

/* matmul_backward: array-for-64-outputs
 * explanation: Only the first 64 outputs take part, as if they always fitted into a small array. OC has no upper
 * bound: GPT-2's largest is the vocabulary.
 * hint: Rows of `dweight` from the 65th on stay as they were, and `dinp` lacks their part. The loop over the outputs
 * goes on to OC, whatever OC is (chapter 16, 'Back through a linear layer').
 * section: linear-gradients
 */
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC) {
    /* Two passes, so that in each of them no two threads add to the same row. */
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            float *dx = dinp + row * C;
            for (int o = 0; o < (OC < 64 ? OC : 64); o++) {
                const float *w = weight + (size_t)o * C;
                float d = dout[row * OC + o];
                for (int c = 0; c < C; c++) {
                    dx[c] += d * w[c];
                }
            }
        }
    }
    for (int o = 0; o < (OC < 64 ? OC : 64); o++) {
        float *dw = dweight + (size_t)o * C;
        for (int b = 0; b < B; b++) {
            for (int t = 0; t < T; t++) {
                size_t row = (size_t)b * T + t;
                const float *x = inp + row * C;
                float d = dout[row * OC + o];
                if (dbias != NULL) {
                    dbias[o] += d;
                }
                for (int c = 0; c < C; c++) {
                    dw[c] += d * x[c];
                }
            }
        }
    }
}

/* attention_backward: no-scale
 * explanation: The factor 1 / sqrt(hs) was left out on the way back. The scores were multiplied by it, and so are the
 * gradients of queries and keys.
 * hint: Your dq and dk are sqrt(hs) times too large. Multiply both by the scale of the forward pass (chapter 16,
 * 'Back through attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i];
                        dk[i] += dp[u] * q[i];
                    }
                }
            }
        }
    }
}

/* attention_backward: scale-on-the-queries-only
 * explanation: The factor 1 / sqrt(hs) was applied to the gradient of the queries only. Both factors of the dot
 * product get it.
 * hint: Your dk is sqrt(hs) times too large. Scale it like dq (chapter 16, 'Back through attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i];
                    }
                }
            }
        }
    }
}

/* attention_backward: no-root-in-the-scale
 * explanation: Queries' and keys' gradients were divided by hs. The forward pass divides by the root of hs, so the
 * backward pass does, too.
 * hint: Your dq and dk are too small by the factor sqrt(hs). The scale is 1.0f / sqrtf(hs) (chapter 16, 'Back through
 * attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / hs;
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: scale-in-the-scores-gradient
 * explanation: The scale was multiplied into dpreatt. preatt holds the scaled scores, so the factor comes in after
 * it, on the way to q and k.
 * hint: Your dinp is right, but dpreatt is too small by the factor sqrt(hs). Apply the scale to dq and dk (chapter
 * 16, 'Back through attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum) * scale;
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i];
                        dk[i] += dp[u] * q[i];
                    }
                }
            }
        }
    }
}

/* attention_backward: own-weight-only
 * explanation: Each score's gradient was computed from its own weight, a * (1 - a) * da. A score moves all weights of
 * its row, through the sum below the fraction.
 * hint: Your dpreatt is that of a sigmoid. Subtract the sum of a * da over the row: dp = a * (da - sum) (chapter 16,
 * 'Back through a softmax').
 * section: softmax-gradient
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (1.0f - a[u]) * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: no-sum-in-the-softmax
 * explanation: The sum over the row was left out. Every weight depends on all scores of the row, since they share one
 * sum.
 * hint: The rows of your dpreatt do not sum to 0. Subtract the sum of a * da over the row: dp = a * (da - sum)
 * (chapter 16, 'Back through a softmax').
 * section: softmax-gradient
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: no-weight-in-the-softmax
 * explanation: The difference was not multiplied by the weight. A score whose weight is almost 0 has almost no
 * gradient.
 * hint: Your dpreatt lacks the factor a. It is a * (da - sum) (chapter 16, 'Back through a softmax').
 * section: softmax-gradient
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += da[u] - sum;
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: sum-goes-on
 * explanation: The sum of a * da is set to 0 once for each head, not in every row. Every query then subtracts those
 * of all queries before it.
 * hint: Your first row of dpreatt is right, the later ones are not. Start the sum at 0 for every query (chapter 16,
 * 'Back through a softmax').
 * section: softmax-gradient
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            float sum = 0.0f;
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: weight-left-out-of-the-values
 * explanation: The gradient of the values was not multiplied by the weights. A value that got weight 0.1 in the
 * forward pass gets a tenth of the gradient.
 * hint: Your dv counts every query alike. Multiply dout by the weight att[u] (chapter 16, 'Back through attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: everything-overwritten
 * explanation: dinp was written with `=`. Keys and values are used by many queries, and each use has its part in the
 * gradient.
 * hint: Your gradients hold the last use alone. All three are sums: write `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] = a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] = dp[u] * k[i] * scale;
                        dk[i] = dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: keys-and-values-overwritten
 * explanation: The gradients of keys and values were written with `=`. Every later query uses them too, and only the
 * last one is left.
 * hint: Your dk and dv hold the last query's part alone. They are sums over all queries that may see them: write `+=`
 * (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] = a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] = dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: queries-overwritten
 * explanation: The gradient of a query was written with `=`. It is a sum over all keys that the query looked at.
 * hint: Your dq holds the last key's part alone. It is a sum over u: write `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] = dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: input-gradient-cleared-first
 * explanation: dinp was set to 0 before anything else. Clearing is the caller's task: what stood there belongs to the
 * same gradient.
 * hint: What stood in dinp is gone. A backward kernel never clears: it adds to what is there (chapter 16, 'Gradients
 * are added').
 * section: gradients-are-added
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    memset(dinp, 0, sizeof(float) * B * T * 3 * C);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: keys-without-gradient
 * explanation: The keys got no gradient. A score is a dot product, and both of its factors learn.
 * hint: Your dk stays as it was. Add dp * q * scale to it (chapter 16, 'Back through attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: query-in-its-own-gradient
 * explanation: The gradient of the query was computed from the query, and the key's from the key. The product rule
 * gives the other factor.
 * hint: Your dq contains q, and your dk contains k. Exchange the two: dq gets the keys, dk the query (chapter 16,
 * 'Back through attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * q[i] * scale;
                        dk[i] += dp[u] * k[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: weights-gradient-for-scores
 * explanation: Queries and keys got their gradient from datt, past the softmax. What reaches the dot products is
 * dpreatt.
 * hint: Your dpreatt is right, but dq and dk are computed from datt. Use dpreatt (chapter 16, 'Back through a
 * softmax').
 * section: softmax-gradient
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += da[u] * k[i] * scale;
                        dk[i] += da[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: keys-and-values-exchanged
 * explanation: The keys' block was taken for the values', and the other way round. For every position q comes first,
 * then k, then v.
 * hint: Your gradients of keys and values stand in each other's place. Keys begin at offset C, values at 2 * C
 * (chapter 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: rows-of-length-c
 * explanation: The step from one position to the next was taken to be C. Every position of inp and dinp is 3 * C
 * wide.
 * hint: Only the first position reads its own numbers. One position of inp and dinp is 3 * C wide (chapter 16,
 * 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * C + h * hs;
                float *dq = dinp + (b * T + t) * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: every-head-is-the-first
 * explanation: The offset h * hs is missing in inp and dinp, so that all heads read and write the first one's
 * channels. Head h has channels of its own.
 * hint: The first head's channels collect everything, and the others get nothing. Head h begins at channel h * hs in
 * each block (chapter 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C;
                float *dq = dinp + (b * T + t) * 3 * C;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C;
                    float *dk = dinp + (b * T + u) * 3 * C + C;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: sees-the-future
 * explanation: The loops run over all places, the future included. A weight in the future is no variable: it is 0
 * whatever happens, so it has no gradient.
 * hint: Your datt is filled at the future places. The loops over u end at t, on the way back as well (chapter 16,
 * 'The past on the way back').
 * section: the-past-on-the-way-back
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u < T; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u < T; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u < T; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: not-its-own-place
 * explanation: The loops over u end before t. Every position looked at itself in the forward pass, so that place has
 * a gradient, too.
 * hint: The place of the query itself gets no gradient. The loops run while u <= t (chapter 16, 'The past on the way
 * back').
 * section: the-past-on-the-way-back
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u < t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u < t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u < t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: maps-left-unwritten
 * explanation: The gradients of weights and scores were kept in variables, and never reached datt and dpreatt. The
 * course looks at them, as at any other gradient.
 * hint: Your dinp is right, but datt and dpreatt stay as they were. Add the two gradients to them (chapter 16, 'Back
 * through attention').
 * section: attention-gradients
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    (void)datt, (void)dpreatt;
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float da[T], dp[T];
                memset(da, 0, sizeof da);
                memset(dp, 0, sizeof dp);
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: one-map-for-all-sequences
 * explanation: The offset into the three maps has no b in it. Every sequence reads the weights of the first, and adds
 * to its maps.
 * hint: Your first sequence is right and the others use its weights. Row (b, h, t) begins at ((b * NH + h) * T + t) *
 * T (chapter 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + (h * T + t) * T;
                float *da = datt + (h * T + t) * T;
                float *dp = dpreatt + (h * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: keys-overwritten
 * explanation: The gradients of the keys were written with `=`. Every later query uses a key too, and only the last
 * one is left.
 * hint: Your dk hold the last query's part alone. They are sums over all queries that may see them: write `+=`
 * (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] += a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] = dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* attention_backward: values-overwritten
 * explanation: The gradients of the values were written with `=`. Every later query uses a value too, and only the
 * last one is left.
 * hint: Your dv hold the last query's part alone. They are sums over all queries that may see them: write `+=`
 * (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH) {
    int hs = C / NH;
    float scale = 1.0f / sqrtf(hs);
    for (int b = 0; b < B; b++) {
        for (int h = 0; h < NH; h++) {
            for (int t = 0; t < T; t++) {
                const float *a = att + ((b * NH + h) * T + t) * T;
                float *da = datt + ((b * NH + h) * T + t) * T;
                float *dp = dpreatt + ((b * NH + h) * T + t) * T;
                const float *d = dout + (b * T + t) * C + h * hs;
                const float *q = inp + (b * T + t) * 3 * C + h * hs;
                float *dq = dinp + (b * T + t) * 3 * C + h * hs;
                float sum = 0.0f;
                for (int u = 0; u <= t; u++) {
                    const float *v = inp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    float *dv = dinp + (b * T + u) * 3 * C + 2 * C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        da[u] += d[i] * v[i];
                        dv[i] = a[u] * d[i];
                    }
                    sum += a[u] * da[u];
                }
                for (int u = 0; u <= t; u++) {
                    dp[u] += a[u] * (da[u] - sum);
                }
                for (int u = 0; u <= t; u++) {
                    const float *k = inp + (b * T + u) * 3 * C + C + h * hs;
                    float *dk = dinp + (b * T + u) * 3 * C + C + h * hs;
                    for (int i = 0; i < hs; i++) {
                        dq[i] += dp[u] * k[i] * scale;
                        dk[i] += dp[u] * q[i] * scale;
                    }
                }
            }
        }
    }
}

/* gelu_backward: no-inner-derivative
 * explanation: The derivative of what stands inside the tanh was left out. The chain rule multiplies by it.
 * hint: Your slope is that of tanh without its inside. Multiply the second term by sqrt(2 / pi) * (1 + 3 * 0.044715 *
 * x * x) (chapter 16, 'The slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th));
    }
}

/* gelu_backward: no-three
 * explanation: The derivative of x^3 was written as x^2. It is 3 x^2.
 * hint: Your slope is a little off around x = 1: the 3 in front of 0.044715 * x * x is missing (chapter 16, 'The
 * slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 0.044715f * x * x);
        dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner);
    }
}

/* gelu_backward: no-factor-in-the-inner-derivative
 * explanation: The inner derivative lacks its factor sqrt(2 / pi). It multiplies the whole bracket inside the tanh,
 * so it stays in the derivative.
 * hint: The second term of your slope is too large by 1 / 0.798. Multiply it by sqrt(2 / pi) (chapter 16, 'The slope
 * of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner);
    }
}

/* gelu_backward: inner-derivative-not-squared
 * explanation: The derivative of x^3 was written as 3 x. It is 3 x^2.
 * hint: Your slope is worst at negative numbers: the last factor inside is x * x, not x (chapter 16, 'The slope of
 * GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x);
        dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner);
    }
}

/* gelu_backward: error-function-form
 * explanation: This is the slope of the exact GELU, the one with erf. The forward pass uses the form with tanh, and
 * the slope has to belong to it.
 * hint: Your values are those of the other GELU, the one with erf. Take the derivative of the formula with tanh
 * (chapter 16, 'The slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float below = 0.5f * (1.0f + erff(x / sqrtf(2.0f)));
        float density = expf(-0.5f * x * x) / sqrtf(2.0f * 3.14159265f);
        dinp[n] += dout[n] * (below + x * density);
    }
}

/* gelu_backward: relu-slope
 * explanation: This is the slope of ReLU, 1 above 0 and 0 below. GELU's curve bends, and its slope with it.
 * hint: Your slope is 0 or 1. Take the derivative of the formula with tanh (chapter 16, 'The slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        if (inp[n] > 0) dinp[n] += dout[n];
    }
}

/* gelu_backward: overwritten
 * explanation: dinp was written with `=`. A backward kernel adds to what stands there.
 * hint: What stood in dinp is gone. Write `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] = dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner);
    }
}

/* gelu_backward: arriving-gradient-forgotten
 * explanation: The slope was added as it is, without the gradient that arrives. The chain rule multiplies the two.
 * hint: Your gradient does not depend on dout. Multiply the slope by dout[n] (chapter 16, 'The slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    (void)dout;
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner);
    }
}

/* gelu_backward: value-for-slope
 * explanation: The gradient was multiplied by the value of GELU. It is its slope at this place that counts.
 * hint: You multiply dout by gelu(x). Multiply it by the derivative (chapter 16, 'The slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        dinp[n] += dout[n] * 0.5f * x * (1.0f + th);
    }
}

/* gelu_backward: first-factor-only
 * explanation: Only the factor x was differentiated, and the tanh was taken as a constant. A product has two terms in
 * its derivative.
 * hint: The second term of your slope is missing, the one with the derivative of tanh. Add it (chapter 16, 'The slope
 * of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        dinp[n] += dout[n] * (0.5f * (1.0f + th));
    }
}

/* gelu_backward: second-factor-only
 * explanation: Only the tanh was differentiated, and the factor x was taken as a constant. A product has two terms in
 * its derivative.
 * hint: Your slope is 0 at x = 0, where it should be 0.5. Add the term 0.5 * (1 + tanh) (chapter 16, 'The slope of
 * GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += dout[n] * (0.5f * x * (1.0f - th * th) * inner);
    }
}

/* gelu_backward: tanh-not-squared
 * explanation: The derivative of tanh was written as 1 - tanh. It is 1 - tanh * tanh.
 * hint: Your slope is wrong for negative numbers above all. The derivative of tanh is 1 - tanh squared (chapter 16,
 * 'The slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += dout[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th) * inner);
    }
}

/* gelu_backward: arguments-exchanged
 * explanation: The slope was taken at dout, and multiplied by inp. The order of the arguments is dinp, inp, dout.
 * hint: You have exchanged the two inputs. The slope belongs to inp, and dout multiplies it (chapter 16, 'The slope
 * of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = dout[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += inp[n] * (0.5f * (1.0f + th) + 0.5f * x * (1.0f - th * th) * inner);
    }
}

/* gelu_backward: half-of-integers
 * explanation: 1 / 2 divides two integers, which gives 0. So both terms are 0.
 * hint: Nothing is ever added. In C 1 / 2 is an integer division with the result 0: write 0.5f (chapter 16, 'The
 * slope of GELU').
 * section: gelu-slope
 */
void gelu_backward(float *dinp, const float *inp, const float *dout, int N) {
    const float s = 0.79788456f;
    for (int n = 0; n < N; n++) {
        float x = inp[n];
        float th = tanhf(s * (x + 0.044715f * x * x * x));
        float inner = s * (1.0f + 3.0f * 0.044715f * x * x);
        dinp[n] += dout[n] * (1 / 2 * (1.0f + th) + 1 / 2 * x * (1.0f - th * th) * inner);
    }
}

/* residual_backward: both-overwritten
 * explanation: Both gradients were written with `=`. What stood there came from another use of the same array.
 * hint: What stood in the two gradients is gone. Write `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        dinp1[n] = dout[n];
        dinp2[n] = dout[n];
    }
}

/* residual_backward: first-overwritten
 * explanation: The first gradient was written with `=`. What stood there came from another use of the same array.
 * hint: What stood in dinp1 is gone. Write `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        dinp1[n] = dout[n];
        dinp2[n] += dout[n];
    }
}

/* residual_backward: second-overwritten
 * explanation: The second gradient was written with `=`. What stood there came from another use of the same array.
 * hint: What stood in dinp2 is gone. Write `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] = dout[n];
    }
}

/* residual_backward: first-way-only
 * explanation: Only the first input got the gradient. A sum hands its whole gradient to both of its terms.
 * hint: Your dinp2 stays as it was. It gets the same gradient as dinp1 (chapter 16, 'Two ways, one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    (void)dinp2;
    for (int n = 0; n < N; n++) {
        dinp1[n] += dout[n];
    }
}

/* residual_backward: second-way-only
 * explanation: Only the second input got the gradient. A sum hands its whole gradient to both of its terms.
 * hint: Your dinp1 stays as it was. It gets the same gradient as dinp2 (chapter 16, 'Two ways, one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    (void)dinp1;
    for (int n = 0; n < N; n++) {
        dinp2[n] += dout[n];
    }
}

/* residual_backward: half-for-each
 * explanation: The gradient was shared out between the two ways. A sum hands its whole gradient to each of its terms.
 * hint: Both of your gradients are half of what they should be. Each way gets the whole gradient (chapter 16, 'Two
 * ways, one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        dinp1[n] += dout[n] / 2;
        dinp2[n] += dout[n] / 2;
    }
}

/* residual_backward: opposite-sign
 * explanation: The second gradient was subtracted. The forward pass adds both inputs, so both gradients have the sign
 * of dout.
 * hint: Your dinp2 has the wrong sign. Add dout to it (chapter 16, 'Two ways, one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] -= dout[n];
    }
}

/* residual_backward: one-from-the-other
 * explanation: The second gradient was made from the first, which already held something else. Both get dout, and
 * nothing from each other.
 * hint: Your dinp2 contains what stood in dinp1. Add dout[n] to each (chapter 16, 'Two ways, one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] += dinp1[n];
    }
}

/* residual_backward: last-entry-left-out
 * explanation: The loop ends before the last entry. With `n < N` it runs N times, from 0 to N - 1.
 * hint: The last entries get nothing. Let the loop run while n < N (chapter 16, 'Two ways, one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n < N - 1; n++) {
        dinp1[n] += dout[n];
        dinp2[n] += dout[n];
    }
}

/* residual_backward: first-entry-left-out
 * explanation: The loop starts at 1. Arrays start at entry 0 in C.
 * hint: The first entries get nothing. Let the loop start at 0 (chapter 16, 'Two ways, one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 1; n < N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] += dout[n];
    }
}

/* residual_backward: one-past-the-end
 * explanation: The loop runs while n <= N, once more than there are entries. Entry N lies past the end of all three
 * arrays.
 * hint: Your kernel touches the entry after the last one. Let the loop run while n < N (chapter 16, 'Two ways, one
 * gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n <= N; n++) {
        dinp1[n] += dout[n];
        dinp2[n] += dout[n];
    }
}

/* residual_backward: remainder-left-out
 * explanation: The loop takes four entries at a time, and stops when fewer are left. N need not be a multiple of 4.
 * hint: The last entries get nothing where N is no multiple of 4. Do what is left one by one (chapter 16, 'Two ways,
 * one gradient').
 * section: two-ways-one-gradient
 */
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N) {
    for (int n = 0; n + 4 <= N; n += 4) {
        for (int i = n; i < n + 4; i++) dinp1[i] += dout[i];
        for (int i = n; i < n + 4; i++) dinp2[i] += dout[i];
    }
}

/* crossentropy_softmax_backward: no-minus-one
 * explanation: The probabilities were added as they are. The target's logit has to rise, which the minus 1 at its
 * column does.
 * hint: Every row of your gradient sums to dlosses, not to 0. Subtract 1 at the target's column (chapter 16,
 * 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            (void)targets;
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                dz[v] += p[v] * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: opposite-sign
 * explanation: The difference was taken the other way round, 1 - p at the target. The loss would grow with every
 * step.
 * hint: Your gradients have the wrong sign. It is the probability minus 1 at the target, and plus the probability
 * elsewhere (chapter 16, 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (right - p[v]) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: overwritten
 * explanation: dlogits was written with `=`. A backward kernel adds to what stands there.
 * hint: What stood in dlogits is gone. Write `+=` (chapter 16, 'Gradients are added').
 * section: gradients-are-added
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] = (p[v] - right) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: divided-once-more
 * explanation: The gradient was divided by B * T. The caller has put that factor into dlosses already, where the mean
 * is wanted.
 * hint: Your gradients are too small by the factor B * T. Multiply by dlosses, and by nothing else (chapter 16,
 * 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d / (B * T);
            }
        }
    }
}

/* crossentropy_softmax_backward: arriving-gradient-forgotten
 * explanation: The difference was added as it is, without dlosses. The chain rule multiplies by the gradient that
 * arrives at the position.
 * hint: Your gradients do not depend on dlosses. Multiply the difference by dlosses[b * T + t] (chapter 16,
 * 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            (void)dlosses;
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right);
            }
        }
    }
}

/* crossentropy_softmax_backward: mean-in-place-of-what-arrives
 * explanation: The difference was divided by B * T, and dlosses was ignored. That is the gradient of the mean loss
 * only: this kernel gets the gradient of every position.
 * hint: Your gradients do not depend on dlosses. Multiply by dlosses[b * T + t] in place of 1 / (B * T) (chapter 16,
 * 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            (void)dlosses;
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) / (B * T);
            }
        }
    }
}

/* crossentropy_softmax_backward: rows-of-length-v
 * explanation: The step from one row to the next was taken to be V. Rows are stored with their padding, so they are
 * Vp long.
 * hint: Where columns are padded, every row but the first begins too early. The step from row to row is Vp (chapter
 * 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    (void)Vp;
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * V;
            const float *p = probs + (b * T + t) * V;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: same-targets-in-every-sequence
 * explanation: The target was read at targets[t], so that every sequence gets the targets of the first. Sequence b
 * starts at entry b * T.
 * hint: The 1 is subtracted at the first sequence's targets everywhere. Position (b, t) has target b * T + t (chapter
 * 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: same-gradient-in-every-sequence
 * explanation: The arriving gradient was read at dlosses[t], so that every sequence gets that of the first. Sequence
 * b starts at entry b * T.
 * hint: The later sequences are scaled by the first one's dlosses. Position (b, t) has entry b * T + t (chapter 16,
 * 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: only-one-sequence
 * explanation: The offsets of the rows have no b in them. All sequences then add to the rows of the first.
 * hint: The first sequence collects everything, and the others get nothing. Row (b, t) begins at (b * T + t) * Vp
 * (chapter 16, 'Addresses on the way back').
 * section: addresses-on-the-way-back
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + t * Vp;
            const float *p = probs + t * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: target-column-only
 * explanation: Only the target's column got a gradient. Through the softmax's sum the loss depends on every logit of
 * the row.
 * hint: All columns but the target's get nothing. Every other one gets its probability times dlosses (chapter 16,
 * 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - 1.0f) * right * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: gradient-of-the-logarithm-alone
 * explanation: This is the gradient with respect to the probabilities, -1 / p at the target. It still has to go
 * through the softmax.
 * hint: Your gradient is -1 / p at the target and 0 elsewhere. Go on through the softmax: all that remains is p - 1
 * there, and p elsewhere (chapter 16, 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += -right / p[v] * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: sigmoid-gradient
 * explanation: The difference was multiplied by p * (1 - p), the slope of a sigmoid. In the gradient of softmax and
 * logarithm together all such factors cancel.
 * hint: Your gradients are too small, by the factor p * (1 - p). Leave it out (chapter 16, 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * p[v] * (1.0f - p[v]) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: targets-count-from-1
 * explanation: 1 was subtracted from the target. Ids start at 0, like everything that C counts.
 * hint: Your minus 1 stands one column before the target. Compare v with the target as it is (chapter 16,
 * 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V; v++) {
                float right = v == target - 1 ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: last-token-left-out
 * explanation: The loop ends at V - 2. With `v < V` the last token, V - 1, is the last one already.
 * hint: The last token's logit gets no gradient. Let the loop run while v < V (chapter 16, 'Probability minus one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *dz = dlogits + (b * T + t) * Vp;
            const float *p = probs + (b * T + t) * Vp;
            int target = targets[b * T + t];
            float d = dlosses[b * T + t];
            for (int v = 0; v < V - 1; v++) {
                float right = v == target ? 1.0f : 0.0f;
                dz[v] += (p[v] - right) * d;
            }
        }
    }
}

/* crossentropy_softmax_backward: array-for-64-tokens
 * explanation: Only the first 64 logits get a gradient, as if a row always fitted into a small array. GPT-2 has 50,257
 * tokens.
 * hint: Logits from the 65th on get no gradient. The loop goes on to V, whatever V is (chapter 16, 'Probability minus
 * one').
 * section: loss-gradient
 */
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets, int B,
                                   int T, int V, int Vp) {
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            size_t row = (size_t)b * T + t;
            for (int v = 0; v < (V < 64 ? V : 64); v++) {
                float right = v == targets[row] ? 1.0f : 0.0f;
                dlogits[row * Vp + v] += (probs[row * Vp + v] - right) * dlosses[row];
            }
        }
    }
}

/* adamw_update: no-bias-correction
 * explanation: The moments were used as they are. They start at 0, and are too small in the first steps by 1 -
 * beta^t.
 * hint: Your first step has the wrong size, and m and v are right. Divide m by 1 - beta1^t and v by 1 - beta2^t
 * before you use them (chapter 16, 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    (void)t;
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i];
        float v_hat = v[i];
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: second-moment-not-corrected
 * explanation: Only the first moment was corrected. The second one starts at 0, too, and its beta is nearer to 1.
 * hint: Your first steps are too large. Divide v by 1 - beta2^t before you take the root (chapter 16, 'AdamW, number
 * by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i];
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: first-moment-not-corrected
 * explanation: Only the second moment was corrected. The first one starts at 0, too.
 * hint: Your first steps are too small. Divide m by 1 - beta1^t before you use it (chapter 16, 'AdamW, number by
 * number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i];
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: corrected-moments-kept
 * explanation: The corrected moments were stored in m and v. The next step then corrects what is corrected already.
 * hint: Your parameters are right, but m and v hold the corrected moments. Keep the bare ones, and correct a copy
 * (chapter 16, 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        m[i] /= correction1;
        v[i] /= correction2;
        params[i] -= lr * (m[i] / (sqrtf(v[i]) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: steps-count-from-0
 * explanation: The correction used t - 1. At the first step that is beta^0 = 1, and the division is by 0.
 * hint: Your first step gives NaN or infinity. t is 1 at the first step already: use it as it is (chapter 16, 'AdamW,
 * number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t - 1);
    float correction2 = 1.0f - powf(beta2, t - 1);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: steps-count-one-too-far
 * explanation: The correction used t + 1. t is 1 at the first step already.
 * hint: Your first step is too small. Use t as it is in beta^t (chapter 16, 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t + 1);
    float correction2 = 1.0f - powf(beta2, t + 1);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: product-for-power
 * explanation: beta was multiplied by t where it has to be raised to the power t. The two agree at the first step
 * alone.
 * hint: Your first step is right and later ones are not. The correction is 1 - powf(beta, t) (chapter 16, 'AdamW,
 * number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - beta1 * t;
    float correction2 = 1.0f - beta2 * t;
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: moments-not-kept
 * explanation: The new moments were computed in variables, and never written back. The next step then starts from the
 * old ones.
 * hint: Your parameters are right, but m and v are as before the step. Write both back (chapter 16, 'AdamW, number by
 * number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        float m_new = beta1 * m[i] + (1.0f - beta1) * g;
        float v_new = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m_new / correction1;
        float v_hat = v_new / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: betas-exchanged
 * explanation: beta2 was used for the first moment and beta1 for the second. The second moment is the slower one.
 * hint: Your m and v move at each other's pace. m takes beta1, v takes beta2 (chapter 16, 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta2, t);
    float correction2 = 1.0f - powf(beta1, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta2 * m[i] + (1.0f - beta2) * g;
        v[i] = beta1 * v[i] + (1.0f - beta1) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: gradient-not-squared
 * explanation: The second moment collected the gradient itself. It is the mean of squares, and would be negative half
 * of the time.
 * hint: Your v holds averages of gradients, and its root gives NaN. Square the gradient (chapter 16, 'AdamW, number
 * by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: new-gradient-at-full-weight
 * explanation: The gradient was added to the moments without the factor 1 - beta. They grow beyond any average then.
 * hint: Your m and v are many times too large. The new gradient has the weight 1 - beta (chapter 16, 'AdamW, number
 * by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + g;
        v[i] = beta2 * v[i] + g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: no-root
 * explanation: The step was divided by the second moment itself. It is its root that has the size of a gradient.
 * hint: Your steps have the wrong size. Divide by the root of the corrected second moment (chapter 16, 'AdamW, number
 * by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (v_hat + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: epsilon-inside-the-root
 * explanation: eps was added before the root was taken. It belongs outside: root, then eps.
 * hint: Your steps are wrong where the gradients are about as small as eps. Add eps after the root (chapter 16,
 * 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / sqrtf(v_hat + eps) + weight_decay * params[i]);
    }
}

/* adamw_update: epsilon-before-the-correction
 * explanation: eps was added to the root of the bare second moment, and the correction came after it. It then counts
 * for more in the first steps.
 * hint: Your steps are a little off where the gradients are about as small as eps. Correct v first, take the root,
 * and add eps then (chapter 16, 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float root = (sqrtf(v[i]) + eps) / sqrtf(correction2);
        params[i] -= lr * (m_hat / root + weight_decay * params[i]);
    }
}

/* adamw_update: no-epsilon
 * explanation: eps was left out. Small gradients then make steps of full size, and a gradient of 0 divides by 0.
 * hint: Your steps are too large where the gradients are about as small as eps. Add eps to the root (chapter 16,
 * 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    (void)eps;
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / sqrtf(v_hat) + weight_decay * params[i]);
    }
}

/* adamw_update: decay-in-the-gradient
 * explanation: The decay was added to the gradient, as in Adam with L2 regularisation. It then passes through the
 * moments, and AdamW was made to avoid that.
 * hint: Your m and v change with the decay. Leave the gradient alone, and shrink the parameter directly (chapter 16,
 * 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i] + weight_decay * params[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * m_hat / (sqrtf(v_hat) + eps);
    }
}

/* adamw_update: decay-without-the-learning-rate
 * explanation: The decay was not multiplied by the learning rate. Each step would then take the whole weight_decay
 * off.
 * hint: Your decay is too strong, by the factor 1 / lr. It is lr * weight_decay * parameter (chapter 16, 'AdamW,
 * number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i];
    }
}

/* adamw_update: no-decay
 * explanation: The decay was left out. It is what the W in AdamW stands for.
 * hint: Your parameters do not shrink. Subtract lr * weight_decay * parameter as well (chapter 16, 'AdamW, number by
 * number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    (void)weight_decay;
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * m_hat / (sqrtf(v_hat) + eps);
    }
}

/* adamw_update: decay-with-the-wrong-sign
 * explanation: The decay was added to the parameter. It would grow with every step.
 * hint: Your parameters grow where they should shrink. Subtract the decay, too (chapter 16, 'AdamW, number by
 * number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) - weight_decay * params[i]);
    }
}

/* adamw_update: step-uphill
 * explanation: The step was added. The gradient points to where the loss grows, so parameters move against it.
 * hint: Your parameters move the wrong way. Subtract the step (chapter 16, 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] += lr * (m_hat / (sqrtf(v_hat) + eps) - weight_decay * params[i]);
    }
}

/* adamw_update: skips-gradients-of-0
 * explanation: Parameters whose gradient is 0 in this step were left out. Their moments are not 0: they shrink, go
 * on moving the parameter, and the decay goes on too.
 * hint: Where a gradient is 0, your parameter and its moments stand still. Do the whole step for every parameter: m
 * still says where to go (chapter 16, 'AdamW, number by number').
 * section: adamw-in-c
 */
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t) {
    float correction1 = 1.0f - powf(beta1, t);
    float correction2 = 1.0f - powf(beta2, t);
    for (long i = 0; i < n; i++) {
        float g = grads[i];
        if (g == 0.0f) continue;
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float m_hat = m[i] / correction1;
        float v_hat = v[i] / correction2;
        params[i] -= lr * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
    }
}
