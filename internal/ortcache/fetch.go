package ortcache

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/pip"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Fetch puts the library into the cache, unless it is there already, and gives its path. It lets
// pip download the onnxruntime wheel of [Version], keeps the library and its licence and throws
// the rest away. A library is there whole or not at all. The interpreter is python; "" takes
// python3.
func Fetch(ctx context.Context, python string) (string, error) {
	target, err := Path()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(target); err == nil {
		return target, nil
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
	wheel, err := pip.Download(ctx, python, "onnxruntime=="+Version, scratch)
	if err != nil {
		return "", err
	}
	if err := unpack(wheel, folder, LibraryName()); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	return target, nil
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
func extract(file *zip.File, target string) error {
	from, err := file.Open()
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(target, data)
}
