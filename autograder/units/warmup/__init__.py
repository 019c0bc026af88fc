TITLE = "PyTorch in one sitting"
TASKS = ("pairwise_distances", "pick_rows", "Scale", "fit_line", "vector_jacobian")
IMPORTS_COMPILER = True  # optimisers
