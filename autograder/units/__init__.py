"""The course itself: a folder for each unit, with its title and tasks, checks, mistakes, alternatives and hints.

Nothing here knows its number: ``autograder.course.registry`` holds the order.
"""
