r"""The errors and warnings of :mod:`pyg_cagp`: few, typed, and helpful.

Every error derives from :class:`CAGPError` *and* from the built-in that a
caller would expect, so ``except ValueError`` keeps working.
"""


class CAGPError(Exception):
    r"""Base class of every error that :mod:`pyg_cagp` raises on purpose."""


class InvalidInputError(CAGPError, ValueError):
    r"""An argument has a wrong value, type, shape or device."""


class DatasetFormatError(CAGPError, ValueError):
    r"""A file is not a well-formed table of triples."""


class ChecksumError(CAGPError, OSError):
    r"""A file's bytes differ from the pinned ones."""


class DownloadError(CAGPError, OSError):
    r"""A file could not be fetched."""


class CacheError(CAGPError, OSError):
    r"""A folder that has to be written to cannot be."""


class MissingDependencyError(CAGPError, ImportError):
    r"""An optional package is needed for what was asked."""


class CheckpointError(CAGPError, ValueError):
    r"""A checkpoint cannot be read, or belongs to another run."""


class DivergenceError(CAGPError, ArithmeticError):
    r"""Training met a loss, or a weight, that is no finite number."""


class NotFittedError(CAGPError, ValueError, AttributeError):
    r"""An estimator was asked before it was fitted."""


class PosteriorChangedError(NotFittedError):
    r"""An estimator was fitted to another posterior than the one in force."""


class CAGPWarning(UserWarning):
    r"""Base class of the warnings that :mod:`pyg_cagp` gives."""
