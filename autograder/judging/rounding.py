"""How far two answers may differ and still be equal, when mistakes and slips are compared with a learner's code."""

from __future__ import annotations

import torch

# Relative and absolute tolerance. It is tight in float64, where mistakes (a detour through float32, an epsilon) have
# small effects that must be told apart.
_OF_TYPE = {torch.bfloat16: (4e-2, 1e-2), torch.float16: (4e-2, 1e-2), torch.float64: (1e-9, 1e-12)}
_OF_FLOAT32 = (1e-4, 1e-6)


def tolerance(*types: torch.dtype) -> tuple[float, float]:
    """The relative and the absolute tolerance for the coarsest of these types; that of float32 for other types."""
    return max(_OF_TYPE.get(one, _OF_FLOAT32) for one in types)
