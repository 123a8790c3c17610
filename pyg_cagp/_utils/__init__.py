r"""Checks, atomic files, thread limits and versions."""
