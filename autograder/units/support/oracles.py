"""Right answers worked out position by position: they share nothing with the reference. And random ids."""

from __future__ import annotations

import torch

from autograder.judging.inputs import Rng
from solutions import BOS, EOS, PAD


def padded_ids(rng: Rng, rows: int, columns: int, pad: int = PAD, padded: bool = True) -> torch.Tensor:
    """Ids from 4 to 8 after BOS. If ``padded``, each row ends in EOS and padding, at an index of its own."""
    ids = rng.integers(4, 9, rows, columns)
    ids[:, 0] = BOS
    if padded:
        for row in range(rows):
            end = columns - row % (columns - 2)
            ids[row, end - 1], ids[row, end:] = EOS, pad
    return ids


def padding_mask_by_hand(ids: torch.Tensor, pad: int = PAD) -> torch.Tensor:
    """Which keys are real tokens: ``(B, 1, 1, T)``."""
    return torch.tensor([[[[token != pad for token in row]]] for row in ids.tolist()])


def decoder_mask_by_hand(ids: torch.Tensor, pad: int = PAD) -> torch.Tensor:
    """Which keys each query may attend to, ``(B, 1, T, T)``: real tokens, none of them later."""
    positions = range(ids.shape[1])
    return torch.tensor(
        [[[[key <= query and row[key] != pad for key in positions] for query in positions]] for row in ids.tolist()]
    )
