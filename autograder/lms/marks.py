"""What this course keeps in the metadata of graded notebooks, besides what nbgrader keeps there."""

KEY = "autograder"  # of what the grader stores with a notebook, a cell or an output
BY_LEARNER = "by_learner"  # on text cells that are not the course's own
