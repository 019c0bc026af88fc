"""Makes namespaces, mounts, devices; changes root; becomes root.

points: 7
"""
# ruff: noqa

import ctypes
import os

libc = ctypes.CDLL(None)
for name, attempt in {
    "unshare": lambda: libc.unshare(0x10000000),
    "setns": lambda: libc.setns(0, 0),
    "mount": lambda: libc.mount(b"none", b"/learner", b"tmpfs", 0, None),
    "bind": lambda: libc.mount(b"/usr", b"/learner", None, 4096, None),
    "umount": lambda: libc.umount2(b"/proc", 2),
    "chroot": lambda: libc.chroot(b"/learner"),
    "mknod": lambda: os.mknod("disk", 0o60666, os.makedev(254, 0)),
    "setuid": lambda: os.setuid(0),
    "sethostname": lambda: libc.sethostname(b"x", 1),
    "keyctl": lambda: libc.syscall(250, 0, -3, 1),
    "su": lambda: os.system("su -c true >/dev/null 2>&1 </dev/null"),
}.items():
    try:
        result = attempt()
        if result in (None, 0) or (name == "keyctl" and result > 0):
            print("FOUND", name)
    except OSError:
        pass


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
