"""The small trained model that runs in the page of the chapter "What heads learn", for cells that need one."""

import base64

import torch
from pages import recorded

from solutions.ladder import LadderModel, rung


def unpack(characters, sizes, weights):
    """Step v9 of the ladder, in float32 and evaluation mode, with weights as `heads_model.py` packs them."""
    model = LadderModel(rung("v9", len(characters), **sizes))
    numbers = torch.frombuffer(bytearray(base64.b64decode(weights["float16"])), dtype=torch.float16).float()
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            assert list(tensor.shape) == weights["shapes"][name]
            tensor.copy_(numbers[: tensor.numel()].view_as(tensor))
            numbers = numbers[tensor.numel() :]
    return model.eval()


def small_model():
    """The recorded model, and its characters: the id of a character is its index."""
    stored = recorded("heads_model")["results"]
    sizes = {name: stored[name] for name in ("block_size", "n_embed")}
    return unpack(stored["characters"], sizes, stored["weights"]), stored["characters"]


def course_ids(text, characters):
    """The ids ``(N,)`` of a text's characters; characters that the model does not know are left out."""
    ids = {character: number for number, character in enumerate(characters)}
    return torch.tensor([ids[character] for character in text if character in ids])
