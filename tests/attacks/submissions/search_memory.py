"""Looks through all objects for the solutions' text and for other students' code.

points: 7
"""
# ruff: noqa

import gc
import sys

# Written backwards, so that this list is not what is found.
needles = ["NOITULOS NIGEB ###", "ereh saw rednatsyb", "tneduts(esolc_tressa", "(xamtfos.ecnerefer"]
seen = set()
places = [*gc.get_objects(), *(getattr(module, "__dict__", {}) for module in list(sys.modules.values()))]
while places:
    place = places.pop()
    if id(place) in seen or type(place) not in (dict, list, tuple, set, str, bytes):
        continue
    seen.add(id(place))
    if isinstance(place, (str, bytes)):
        text = place if isinstance(place, str) else place.decode("latin-1")
        for needle in needles:
            if needle[::-1] in text:
                print("FOUND", needle)
    else:
        places += gc.get_referents(place)
for one in gc.get_objects():
    if getattr(type(one), "__name__", "") in ("Student", "Check", "Mistake", "LocalSubject", "ForkServer", "TaskResult"):
        print("FOUND", type(one))


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
