"""Refuses at synth what Lambda would refuse only after it was uploaded: more than it unzips."""

from collections import Counter
from os.path import relpath
from pathlib import Path

MEBIBYTE = 1024 * 1024


def refuse_oversized(source: Path, asset: Path, limit: int) -> None:
    """Refuse an asset of more than `limit` bytes, and name the largest packages in it; raises `SystemExit`."""
    sizes = sizes_of_packages(asset)
    if (size := sizes.total()) > limit:
        largest = ", ".join(f"{name} {each / MEBIBYTE:.0f} MB" for name, each in sizes.most_common(5))
        raise SystemExit(
            f"{relpath(source)} is {size / MEBIBYTE:.0f} MB with its packages and their bytecode, and may be "
            f"{limit / MEBIBYTE:.0f} MB, since Lambda unzips 250 MB in all. The largest are {largest}. "
            "docs/dependencies.md says which fit together."
        )


def sizes_of_packages(asset: Path) -> Counter[str]:
    """Return the size of each package and module in the folder of an asset, with the libraries that it brings."""
    sizes: Counter[str] = Counter()
    for file in asset.rglob("*"):
        if file.is_file():
            folder, *inside = file.relative_to(asset).parts
            sizes[(inside or [folder])[0].removesuffix(".libs")] += file.stat().st_size
    return sizes
