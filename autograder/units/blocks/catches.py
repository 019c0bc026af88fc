"""The catch-it task of blocks: what a test of `LayerNorm` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "blocks.test_layer_norm",
        gets="LayerNorm",
        styles=(
            style("library-function", "one that calls PyTorch's function"),
            style("biased-var", "one that keeps `eps` in a buffer"),
            style(
                "mean-of-squares-minus-square-of-mean",
                "one that subtracts the squared mean from the mean square, and creates `beta` before `gamma`",
            ),
            style("bessel-undone", "one that takes the library's standard deviation and corrects it"),
            style("computed-in-float32-or-wider", "one that computes in float64 and rounds at the end"),
            style("vector-by-vector", "one that loops over the vectors and warns that this is slow"),
            style("child-of-the-library-layer", "one that is derived from `nn.LayerNorm`"),
            style("mean-and-variance-first", "one that computes the mean and the variance before anything else"),
            style(
                "not-contiguous",
                "one whose result is a view that is not contiguous",
                edit("return self.gamma", "normed = self.gamma"),
                edit("+ self.beta", "+ self.beta\nreturn torch.stack((normed, normed), -1)[..., 0]"),
            ),
        ),
        groups=(
            group(
                "which-axis",
                "Which axis",
                slip(
                    "normalised-over-the-batch",
                    "A sentence gets another result when the other sentences of the batch change. Which numbers "
                    "share a mean?",
                ),
                slip(
                    "normalised-over-time-too",
                    "A position gets another result when a later one changes. Which numbers share a mean?",
                ),
                slip("axis-one", "It is right for a matrix. How many axes does your `x` have?"),
                slip("three-axes-only", "It is right for a batch of sentences. Which other shapes have you tried?"),
            ),
            group(
                "mean-and-variance",
                "Mean and variance",
                slip("mean-not-subtracted", "Its results do not have the mean 0. Which numbers do you expect?"),
                slip(
                    "unbiased-variance",
                    "Its results are a little too small, and the more so the narrower the vectors are. Which number "
                    "do you expect for (1, 2, 3, 4)?",
                ),
                slip(
                    "divided-by-variance",
                    "Twice as large an input gives half as large a result. How large should it be?",
                ),
                slip(
                    "rms-instead-of-variance",
                    "Its results are right for vectors whose mean is 0 and too small for others. What is the mean of "
                    "yours?",
                ),
            ),
            group(
                "small-variances",
                "Hardly any variance",
                slip("no-epsilon", "For some vector its result is not a number. Which vector have you not tried?"),
                slip(
                    "epsilon-outside-the-root",
                    "It is right for ordinary vectors, and its results are wrong for some others. How large is "
                    "`eps` beside the variances in your test?",
                ),
                slip(
                    "epsilon-fixed",
                    "It is right as long as nobody passes a second argument. Which arguments does your test pass?",
                ),
                slip(
                    "other-default-epsilon",
                    "It is right whenever a second argument is passed. How small are the numbers that you normalise "
                    "without one?",
                ),
            ),
            group(
                "gain-and-bias",
                "Gain and bias",
                slip(
                    "no-gain-and-bias",
                    "It is right as long as the layer is new. What would training change in it?",
                ),
                slip(
                    "gain-after-bias",
                    "It is right as long as one of its two parameters is what it was at the start. Which values do "
                    "you give them?",
                ),
                slip(
                    "scalar-gain-and-bias",
                    "A new layer gives the right results. How many numbers does it learn?",
                ),
                slip(
                    "gain-starts-at-random",
                    "It is right once its parameters are set. What should a layer do before any training?",
                ),
            ),
            group(
                "what-is-trained",
                "What training reaches",
                slip(
                    "plain-tensors",
                    "`gamma` exists, but no optimiser ever changes it. How does an optimiser learn about a tensor?",
                ),
                slip(
                    "buffers",
                    "`gamma` is there and is saved with the model, but never changes. What is passed to an optimiser?",
                ),
                slip(
                    "statistics-detached",
                    "Its results are right, but `x.grad` is not. What could you compare the gradient with?",
                ),
            ),
            group(
                "call-after-call",
                "Call after call",
                slip(
                    "argument-changed",
                    "Its result is right, but code that reads `x` after the call goes wrong. Does your test look at "
                    "`x` again?",
                ),
                slip("statistics-remembered", "Its first result is right. How often do you call the same layer?"),
            ),
        ),
    ),
)
