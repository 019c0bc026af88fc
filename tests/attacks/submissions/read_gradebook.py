"""Looks for a gradebook and for other students' files.

points: 7
"""
# ruff: noqa

import os

for folder, _, names in os.walk("/"):
    for name in names:
        if name == "gradebook.db" and "/nbgrader/tests/" not in folder or "bystander" in name or "journal" in name and name.endswith(".jsonl"):
            print("FOUND", folder, name)
for folder in ("/learner", "/learner/..", "/tmp", "/dev/shm", ".", ".."):
    for name in os.listdir(folder):
        if name not in "learner dev proc grader root tmp etc sbin bin lib lib32 lib64 libx32 usr opt home var srv shm null full random urandom".split():
            if not os.path.isdir(os.path.join(folder, name)):
                print("FOUND", folder, name)


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
