"""GPT-2's published vocabulary: its merges, and how many tokens texts take (chapter on published weights).

The file ``merges.txt`` is downloaded into ``_build/gpt2-published``, unless it is there. The reduced form, which the
tests run, trains merges of its own.
"""

import record
from pages import course_text

from solutions.pretrained import GPT2Tokenizer, byte_letters
from solutions.released import SHA256, check_file, download_gpt2
from solutions.tokens import train_bpe

WHAT = (
    "The merges of GPT-2's published vocabulary, the ids of some texts, and how many tokens and bytes sentences of one "
    "meaning take in several languages, and a line of code"
)
TEXTS = {
    "English": "The model reads the whole sentence before it writes the first word.",
    "German": "Das Modell liest den ganzen Satz, bevor es das erste Wort schreibt.",
    "Chinese": "模型先读完整个句子，再写第一个词。",
    "Python": "    for layer in range(len(layers)):\n        x = layer(x)\n",
}
SPELLED = ("Hello world", " world", "world", "World", "Transformers", "naïve", "12345", "<|endoftext|>")


def merges_text(reduced):
    if not reduced:
        path = record.FOLDER.parent.parent / "_build" / "gpt2-published" / "merges.txt"
        if path.is_file():
            check_file(path, SHA256["merges.txt"])
        else:
            download_gpt2(path.parent, ["merges.txt"])
        return path.read_text(encoding="utf-8")
    letters = byte_letters()
    pairs = train_bpe(course_text()[:20_000], 100)
    return "\n".join(" ".join("".join(letters[byte] for byte in part) for part in pair) for pair in pairs)


def run(reduced=False):
    tokenizer = GPT2Tokenizer(merges_text(reduced))

    def pieces(text):
        return [[index, tokenizer.decode([index])] for index in tokenizer.encode(text)]

    longest = sorted((left + right for left, right in tokenizer.merges), key=len)[-1]
    return {
        "merges": len(tokenizer.merges),
        "tokens": len(tokenizer),
        "end": tokenizer.end,
        "first": [(left + right).decode("utf-8", "replace") for left, right in tokenizer.merges[:12]],
        "longest": [len(longest), longest.decode("utf-8", "replace")[:40]],
        "spelled": {text: pieces(text) for text in SPELLED},
        "texts": {
            name: {
                "text": text,
                "tokens": len(tokenizer.encode(text)),
                "spaces": [piece for _, piece in pieces(text)].count(" "),
                "bytes": len(text.encode()),
                "back": tokenizer.decode(tokenizer.encode(text)) == text,
            }
            for name, text in TEXTS.items()
        },
    }


def claims(results):
    per_byte = {name: found["tokens"] / found["bytes"] for name, found in results["texts"].items()}
    return {
        "there is an id for each byte, for each merge, and for the end of a text": results["tokens"]
        == 256 + results["merges"] + 1
        and results["end"] == results["tokens"] - 1,
        "English takes fewer tokens for its bytes than German, and German fewer than Chinese": per_byte["English"]
        < per_byte["German"]
        < per_byte["Chinese"],
        "every text comes back": all(found["back"] for found in results["texts"].values()),
        "a text that spells the end symbol is not the end symbol": len(results["spelled"]["<|endoftext|>"]) > 1,
    }


if __name__ == "__main__":
    record.main(globals())
