r"""Every table of the paper, computed again, and the tables it lacks."""
