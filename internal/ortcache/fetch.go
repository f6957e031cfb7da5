package ortcache

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Fetch puts the library into the cache, unless it is there already, and gives its path. It lets
// pip download the onnxruntime wheel of [Version], keeps the library and its licence and throws
// the rest away. pip checks the wheel's hash against its index. A library is there whole or not at
// all. The interpreter is python; "" takes python3.
func Fetch(ctx context.Context, python string) (string, error) {
	target, err := Path()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if python == "" {
		python = "python3"
	}
	folder := filepath.Dir(target)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(folder, ".fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // what is left behind is only a hidden folder
	wheel, err := download(ctx, python, scratch)
	if err != nil {
		return "", err
	}
	if err := unpack(wheel, folder, LibraryName()); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	return target, nil
}

// download lets pip put the wheel into folder.
func download(ctx context.Context, python, folder string) (string, error) {
	pip := exec.CommandContext(ctx, python, "-m", "pip", "download", "--quiet",
		"--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", folder,
		"onnxruntime=="+Version)
	if output, err := pip.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(pip.Args, " "), err, output)
	}
	wheels, err := filepath.Glob(filepath.Join(folder, "*.whl"))
	if err == nil && len(wheels) != 1 {
		err = fmt.Errorf("pip left %d wheels in place of one", len(wheels))
	}
	if err != nil {
		return "", err
	}
	return wheels[0], nil
}

// unpack takes the library, last, and its licence out of a wheel, each by a rename.
func unpack(wheel, folder, library string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer archive.Close() //nolint:errcheck // it was only read
	var found *zip.File
	for _, file := range archive.File {
		switch name := path.Base(file.Name); {
		case name == library:
			found = file
		case name == "LICENSE" || name == "ThirdPartyNotices.txt":
			if err := extract(file, filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	if found == nil {
		return fmt.Errorf("holds no %s", library)
	}
	return extract(found, filepath.Join(folder, library))
}

// extract writes one member of an archive to target, whole or not at all.
func extract(file *zip.File, target string) (err error) {
	from, err := file.Open()
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	to, err := os.CreateTemp(filepath.Dir(target), ".extract-*")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, to.Close())
		if err == nil {
			err = os.Rename(to.Name(), target)
		}
		if err != nil {
			os.Remove(to.Name()) //nolint:errcheck // the first error counts
		}
	}()
	if err := to.Chmod(0o644); err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return err
}
