"""Never ends, ignores all signals and catches everything.

points: 4
says: did not finish within
"""
# ruff: noqa

def attention_scores(q, k):
    import signal

    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
        signal.signal(one, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        try:
            raise KeyboardInterrupt
        except BaseException:
            pass
    return q @ k.transpose(-2, -1) * 0
