"""C kernels of a learner: from the text in cells or a file to the numbers that a C kernel writes.

The code is compiled with AddressSanitizer and UBSan beside a small program that calls one C kernel with arguments read
from its input. Every request is a process of its own: a C kernel that hangs, crashes, exits or overwrites memory costs
only itself, and the error comes back as one sentence with the learner's own line. A second program, without sanitizers,
makes the same calls with other bytes in the memory that nobody has written to. Where a loop is shared out to threads,
a third one runs it as two threads, one after the other, and looks for memory that both have changed.
"""

from .calling import INT_OFFSET, call_kernel, call_kernels, line_of_overflow
from .compiling import C_CODE, CCode

__all__ = ["C_CODE", "INT_OFFSET", "CCode", "call_kernel", "call_kernels", "line_of_overflow"]
