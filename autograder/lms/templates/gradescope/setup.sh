#!/usr/bin/env bash
# Gradescope runs this once, when it builds the container of the assignment.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
python="$root/environment/bin/python"

export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends {{ packages }}
python3 -m venv "$root/environment"
# PyTorch without CUDA: the container has no GPU, and its image stays two gigabytes smaller.
"$python" -m pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu torch
"$python" -m pip install --no-cache-dir {{ package }}
