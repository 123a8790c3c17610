r"""The experiments of the paper, and measurements of speed and accuracy."""
