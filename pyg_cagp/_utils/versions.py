r"""The versions of what a result depends on, for records."""

import platform
from importlib.metadata import PackageNotFoundError, version


def package_versions() -> dict[str, str]:
    r"""Returns the versions of Python and of the packages that compute."""
    versions = {"python": platform.python_version()}
    for package in ("pyg_cagp", "torch", "torch-geometric", "numpy"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
