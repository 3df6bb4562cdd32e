"""Finding packaged weights and making sure they are the measured ones."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from tamis.errors import REINSTALL, ModelFilesError


def package_folder(package: str, inside: str) -> Path:
    """A folder inside an installed package, found without importing the package.

    Raises:
        ModelFilesError: the package is not installed or the folder is not in it.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelFilesError(f"the package {package!r} is not installed", fix=REINSTALL)
    folder = Path(spec.origin).parent / inside
    if not folder.is_dir():
        raise ModelFilesError(f"the package {package!r} holds no {inside!r}", fix=REINSTALL)
    return folder


def sha256_of(path: Path) -> str:
    """Hex digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verified(path: Path, sha256: str) -> Path:
    """The path, once its bytes are known to be the expected ones.

    Raises:
        ModelFilesError: missing, or other bytes.
    """
    if not path.is_file():
        raise ModelFilesError(
            f"{path.name} is missing from {path.parent}", fix="reinstall tamis, or name a model of your own in settings"
        )
    found = sha256_of(path)
    if found != sha256:
        raise ModelFilesError(
            f"{path.name} has sha256 {found[:12]}…, expected {sha256[:12]}…",
            fix="reinstall the package that ships it, or name a model of your own in settings",
        )
    return path
