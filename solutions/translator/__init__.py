"""The translation program around what a learner writes in `solutions.translation`, which also starts it.

To read it in order; each module imports only those before it:

- `errors` (what can go wrong), `tokenizers`, `precision` (types of numbers), `config` (settings);
- `catalogues` (messages of software), `data` (pairs of sentences and the micro-batches made of them);
- `fused` (the same model, faster), `speed` (measured), `checkpoints`, `processes`;
- `validation` (the curve and the best weights), `trainer` (the loop, which uses all of these);
- `alignment` (looking inside), `cli` (the command line).
"""
