r"""The experiments, one file for each subject."""
