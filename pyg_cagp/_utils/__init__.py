r"""Checks, atomic files, thread limits and versions; it imports no room."""
