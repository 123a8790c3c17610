r"""The versions of software, for records of results."""

import platform
from importlib.metadata import PackageNotFoundError, version


def package_versions() -> dict[str, str]:
    r"""Returns the versions of Python and of the main packages."""
    versions = {"python": platform.python_version()}
    for package in ("pyg_cagp", "torch", "torch-geometric", "numpy"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
