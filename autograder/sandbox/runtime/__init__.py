"""The part of the grader that shares a process with a learner's code.

It stands alone: it imports nothing of this project, so that it can be shipped into a sandbox where neither
the solutions nor the checks exist. It holds no expected value and decides nothing.
"""

HOME = "/learner"
HOME_PREFIX = "autograder-"  # without a jail, the home is a temporary folder
FAULT = 70  # exit code of a process in which the runtime itself failed (EX_SOFTWARE)
