"""Packs a written proof of Starknet's circuit as its transaction prover does: pack.py WRITTEN FILE."""

import pathlib
import sys

from zstandard import ZstdCompressor

written, file = map(pathlib.Path, sys.argv[1:])
# By the streaming call: the other one writes the length of the content, too.
packing = ZstdCompressor(level=3).compressobj()
file.write_bytes(bytes([1, 2, 2]) + packing.compress(written.read_bytes()) + packing.flush())
