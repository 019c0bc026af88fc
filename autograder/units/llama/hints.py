"""Hints of llama: three per task, from a question about the idea to the skeleton of an answer."""

HINTS: dict[str, tuple[str, str, str]] = {}
