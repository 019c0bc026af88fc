"""Keys of this course in the metadata of graded notebooks, besides nbgrader's own."""

KEY = "autograder"  # for everything that the grader stores with a notebook, a cell or an output
BY_LEARNER = "by_learner"  # on text cells that are not the course's own
