r"""What is computed, one theme a file."""
