"""C kernels of a learner: from the text in cells or a file to the numbers that a C kernel writes.

The code is compiled with AddressSanitizer and UBSan beside a small program that calls one C kernel with arguments read
from its input. Every call is a process of its own: a C kernel that hangs, crashes, exits or overwrites memory costs
only itself, and the error comes back as one sentence with the learner's own line.
"""

from .calling import call_kernel
from .compiling import C_CODE, CCode

__all__ = ["C_CODE", "CCode", "call_kernel"]
