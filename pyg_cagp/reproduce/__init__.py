r"""Every table of the paper, computed again."""
