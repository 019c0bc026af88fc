"""A submission's cells in many processes: every request gets a fresh one, which knows nothing of the others."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.requests import Outcome, Request
from autograder.sandbox.session import ProcessSubject, SubjectCrashed

WHAT = "Your test"


class TrialProcess(ProcessSubject):
    """A process in which nothing of a submission runs, and which forks for each request (``runtime.trials``)."""

    _always_needs = ("tests",)

    @staticmethod
    def beside(session: ProcessSubject, cells: Sequence[str]) -> TrialProcess:
        """A process for the same submission as another session, whose remaining time it shares."""
        trials = TrialProcess(session.server, cells, session.limits, modules=session.modules, course=session.course)
        trials._spent = session._spent
        return trials

    def load(self) -> None:
        """Get the process and give it the cells; they are executed in each of its forks."""
        self._seconds_left()
        self._restart()
        wanted = {"trials": list(self.cells), "modules": dict(self.modules), "course": dict(self.course)}
        self._send(wire.encode(wanted), WHAT)

    def ask(self, request: Request) -> Outcome:
        """Run a request in a fork; raises `SubjectTimeout` or `SubjectCrashed` when there is no reply."""
        if self._connection is None:
            self.load()
        answer = self._decoded(self._exchange(request.to_wire(), WHAT), WHAT)
        if answer["dirty"]:
            self.close()
        if answer["said"] is None:
            code = answer["ended"]
            raise SubjectCrashed(
                f"{WHAT} ended the Python process" + (f" (exit code {code})." if code is not None else ".")
            )
        return Outcome.from_wire(self._decoded(answer["said"], WHAT))
