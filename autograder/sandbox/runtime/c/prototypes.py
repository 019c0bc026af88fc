"""The C kernels as the course fixes them: names, and the types and names of their parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

PROTOTYPES = """
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C);
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C);
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC);
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH);
void gelu_forward(float *out, const float *inp, int N);
void residual_forward(float *out, const float *inp1, const float *inp2, int N);
void softmax_forward(float *probs, const float *logits, int B, int T, int V, int Vp);
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int Vp);
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C);
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C);
void matmul_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC);
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH);
void gelu_backward(float *dinp, const float *inp, const float *dout, int N);
void residual_backward(float *dinp1, float *dinp2, const float *dout, int N);
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets,
                                   int B, int T, int V, int Vp);
void adamw_update(float *params, const float *grads, float *m, float *v, long n, float lr, float beta1, float beta2,
                  float eps, float weight_decay, int t);
"""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a C kernel: its C type without ``const``, and its name."""

    type: str
    name: str

    @property
    def is_array(self) -> bool:
        return self.type.endswith("*")


def parameters_of(text: str) -> tuple[Parameter, ...]:
    found = []
    for part in text.split(","):
        words = re.findall(r"\w+|\*", re.sub(r"\b(?:const|restrict|__restrict__|__restrict)\b", " ", part))
        arrays = part.count("[")
        stars = words.count("*") + arrays
        names = [word for word in words if word != "*" and not word.isdigit()]
        name = names.pop() if len(names) > 1 else ""
        found.append(Parameter(" ".join(names) + "*" * stars, name))
    return tuple(found)


SIGNATURES: dict[str, tuple[Parameter, ...]] = {
    name: parameters_of(parameters) for name, parameters in re.findall(r"void (\w+)\(([^)]*)\)", PROTOTYPES)
}
