"""When learners see the tests of an assignment on Gradescope, in the words of its ``results.json``."""

VISIBILITIES = ("visible", "after_due_date", "after_published", "hidden")
