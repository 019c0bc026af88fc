"""Reference solutions of the Transformer Workbook, one module per unit.

The special token ids are the same in every unit of the course.
"""

PAD, UNK, BOS, EOS = 0, 1, 2, 3
