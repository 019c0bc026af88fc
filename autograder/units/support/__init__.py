"""What the checks of several units share, and how a ``checks.py`` is written.

- `drivers`: helpers of drivers; a check names them with ``uses=``, and their text travels with the driver
- `calls`: calling a learner's function, and looking at what the call did to its arguments
- `oracles`: right answers worked out slowly, one number at a time, and random token ids
- `statistics`: what chance may do
- `search`: inputs with a property, drawn until one is found
- `gpt2`: inputs and formulas of GPT-2, for the two units in C and for its published weights

**How a checks.py is ordered.** Its docstring says what is special about the unit. First comes what three or more tasks
share; then the tasks, in the unit's order, each under a line with its name. Within a task the checks go from basic to
subtle, and whatever a check needs stands right above the first check that needs it: drivers (they run beside the
learner's code, see ``autograder.sandbox.drivers``), then helpers, inputs and oracles.

**Names.** A ``checks.py`` is read from top to bottom, and nobody imports from it, so nothing in it is private: no name
begins with an underscore. Only functions called ``test_...`` are checks. A check's id is its task and this name, by
which results are stored: it never changes. The first line of a check's docstring is its title in reports. Here in
``support`` an underscore marks what only its own module needs, as everywhere else.

**Comments** say which wrong program an unusual value catches. What two units need, a driver or a helper, moves here: a
test lets no function be written twice.
"""
