"""Answers with text that looks like a tensor, or like a report.

points: 4
"""
# ruff: noqa

def attention_scores(q, k):

    return "tensor([[1.]])\n\x1b[2J<script>alert(1)</script>"
