"""Which tests `make test` runs for some of their cases only; continuous integration runs all of them."""

# Tests that do the same for every unit, page, attack or script, at a price: how many of their cases remain with
# `--sample`. The catalogue's tests take the same units, and those of the book the same pages, whose second theme or
# width counts as a case: the later tests look at what the first has measured. 0: continuous integration runs it alone,
# since nothing else is as dear, and changes elsewhere seldom break it.
SAMPLED = {
    "attacks/test_attacks.py": {
        "test_attack": 25,
    },
    "book/test_experiments.py": {
        "test_the_reduced_form_supports_the_claims": 3,
    },
    "browser/test_book.py": {
        "test_a_first_visit_of_a_chapter_loads_little": 0,
        "test_a_page_loads_little": 10,
        "test_nothing_keeps_a_reader_out": 10,
        "test_page_does_not_scroll_sideways": 10,
        "test_page_opens_without_the_network": 10,
        "test_text_is_readable_in_both_themes": 10,
    },
    "browser/test_jupyter.py": {
        "test_validate_in_jupyterlab_says_what_fails_without_this_projects_configuration": 1,
    },
    "browser/test_looks.py": {
        "test_the_whole_book_can_be_read_after_one_visit": 0,
    },
    "browser/test_playgrounds.py": {
        "test_a_figure_lives_in_a_page_that_was_opened_as_a_file": 4,
    },
    "browser/test_printing.py": {
        "test_epubcheck_accepts_the_epub": 0,
        "test_formulas_and_pictures_of_the_pdf_stay_vectors": 0,
        "test_links_of_the_pdf_lead_to_its_own_pages_or_to_the_web": 0,
        "test_pages_of_the_pdf_are_numbered": 0,
        "test_the_epub_holds_every_page_and_picture": 0,
        "test_the_pdf_has_bookmarks_for_chapters_and_sections": 0,
    },
    "browser/test_reading.py": {
        "test_every_choice_of_every_quiz_is_explained": 5,
    },
    "browser/test_search.py": {
        "test_enter_puts_the_section_on_the_screen": 1,
    },
    "course/test_catalogue.py": {
        "test_an_entry_is_a_file_of_its_own": 4,
        "test_every_check_is_failed_by_some_mistake": 4,
        "test_every_mistake_is_named_and_every_alternative_accepted": 4,
    },
    "course/test_new.py": {
        "test_a_unit_in_the_middle_moves_all_numbers_behind_it": 0,
        "test_templates_are_formatted_and_say_what_to_write": 0,
    },
    "grading/test_journal.py": {
        "test_a_run_killed_ten_times_grades_everything_once": 0,
    },
    "judging/test_beyond_the_catalogue.py": {
        "test_of_mistakes_that_are_hidden_many_are_named_and_none_falsely": 1,
    },
    "judging/test_follow.py": {
        "test_a_task_that_is_not_written_costs_no_other_its_points": 4,
    },
    "judging/test_runner.py": {
        "test_another_seed_gives_other_inputs_and_the_same_scores": 4,
        "test_no_constant_answer_scores_and_none_stops_the_grader": 4,
    },
    "judging/test_trials.py": {
        "test_a_cell_that_ends_the_process_costs_no_points": 1,
    },
    "lms/test_collected.py": {
        "test_a_locale_without_unicode": 0,
    },
    "lms/test_earlier_releases.py": {
        "test_a_notebook_of_an_earlier_release_gets_the_points_of_todays": 6,
    },
    "lms/test_gradescope.py": {
        "test_a_broken_submission_gets_no_points_and_the_reason": 2,
    },
    "lms/test_nbgrader_attacks.py": {
        "test_a_text_costs_no_more_than_its_size_times_a_small_constant": 4,
    },
    "lms/test_release.py": {
        "test_the_released_notebook_runs_to_its_end_for_nothing_and_the_solved_one_gets_every_point": 3,
        "test_the_solved_notebook_gets_every_point_on_the_learners_own_parts": 2,
    },
    "notebook/test_bare_machine.py": {
        "test_every_notebook_begins_and_checks_on_colab": 0,
    },
    "notebook/test_gpu_notebook.py": {
        "test_it_runs_and_goes_on_after_a_disconnect": 0,
    },
    "sandbox/test_session.py": {
        "test_only_units_that_say_so_need_the_compiler": 0,
    },
    "submissions/test_demonstrations.py": {
        "test_a_released_notebook_grades_the_same_without_its_demonstrations": 3,
    },
    "units/test_built_alone.py": {
        "test_whoever_has_written_one_task_alone_gets_its_verdict": 4,
    },
    "units/test_catches.py": {
        "test_a_test_gets_what_it_deserves": 50,
    },
    "units/test_order_of_parts.py": {
        "test_mistakes_are_named_in_whatever_order_parts_are_made": 1,
        "test_mistakes_around_a_block_of_another_style_are_named": 1,
    },
}
