r"""The errors and warnings of :mod:`pyg_cagp`.

Each error derives from :class:`CAGPError` and from a built-in error, so that
``except ValueError`` catches it, too.
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
    r"""A folder cannot be written to."""


class MissingDependencyError(CAGPError, ImportError):
    r"""A feature needs an optional package that is not installed."""


class CheckpointError(CAGPError, ValueError):
    r"""A checkpoint cannot be read, or belongs to another run."""


class DivergenceError(CAGPError, ArithmeticError):
    r"""A loss or a weight became infinite or NaN in training."""


class NotFittedError(CAGPError, ValueError, AttributeError):
    r"""An estimator was called before it was fitted."""


class PosteriorChangedError(NotFittedError):
    r"""An estimator was fitted to another posterior than the current one."""


class CAGPWarning(UserWarning):
    r"""Base class of the warnings of :mod:`pyg_cagp`."""
