// Package engines knows the native engines that are published as wheels: which release we use,
// which of its files, and their sums. It fetches them into the user's cache and checks them there.
// It installs nothing, and only checked files are loaded.
//
// # To add an engine
//
// Add a value to catalogue.go and to the list there. Nothing else names engines one by one:
// [Engine.Fetch] and [Engine.Check] serve all of them, `modelparity setup` gets a flag of its
// Flag's name, doctor a row, and modelparity.lock an entry.
//
//	python3 -m pip download --no-deps --only-binary=:all: --python-version 3.12 \
//	    --platform manylinux_2_28_x86_64 NAME==VERSION && sha256sum *.whl
//	unzip *.whl && sha256sum the/library
//
// One wheel a platform is enough where the library does not depend on Python. All files land in
// one folder under their base names, so that $ORIGIN in a library finds its neighbours. A backend
// then asks [github.com/modelparity/modelparity/internal/enginelock] for the release to run:
//
//	release, err := enginelock.Choose(engines.ONNXRuntime)  // the lock's, or the catalogue's
//	path, err := release.Library()                          // checked; fs.ErrNotExist: not there
package engines

import (
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
	// Name is its project in the package index, and its name in modelparity.lock: "onnxruntime".
	Name string `json:"name"`
	// Version is the release: "1.31.1".
	Version string `json:"version"`
	// Packages are what is fetched, by platform ("linux/amd64", as Go names them).
	Packages map[string]Package `json:"packages"`

	// Title is the name that people know it by, and Flag what `modelparity setup --FLAG` and
	// `modelparity run --FLAG` call it. Variable is the environment variable that names another
	// library. A lock does not hold these.
	Title, Flag, Variable string `json:"-"`
}

// Package is an engine for one platform: a wheel, and what is kept of it.
type Package struct {
	pip.Wheel
	// Library is the base name of the file that a process opens. It is one of Files.
	Library string `json:"library"`
	// Files are the members that are kept and checked.
	Files []File `json:"files"`
	// Notices are members that are kept for the reader: licences.
	Notices []string `json:"notices,omitempty"`
}

// File is a member of a wheel.
type File struct {
	// Member is its name in the wheel, with slashes.
	Member string `json:"member"`
	// SHA256 is the sum of what it holds, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// base returns the name of the file in the cache.
func (f File) base() string { return path.Base(f.Member) }

// Platform is this machine's: "linux/amd64".
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// ErrNoPackage is wrapped if an engine is not published for a platform.
var ErrNoPackage = errors.New("no wheel for this platform")

// Package is the engine's for this machine.
func (e Engine) Package() (Package, error) {
	p, ok := e.Packages[Platform()]
	if !ok {
		return Package{}, fmt.Errorf("%s %s: %w (%s)", e.title(), e.Version, ErrNoPackage, Platform())
	}
	return p, nil
}

// title returns what messages call the engine.
func (e Engine) title() string {
	if e.Title == "" {
		return e.Name
	}
	return e.Title
}

// Folder is where the engine's files lie once they are fetched:
// <user cache>/modelparity/<name>/<version>/<system>-<architecture>.
func (e Engine) Folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for caches: %w", err)
	}
	return filepath.Join(cache, "modelparity", e.Name, e.Version,
		runtime.GOOS+"-"+runtime.GOARCH), nil
}

// Path returns where the library that a process opens lies once it is fetched. It need not exist.
func (e Engine) Path() (string, error) {
	p, err := e.Package()
	if err != nil {
		return "", err
	}
	folder, err := e.Folder()
	return filepath.Join(folder, p.Library), err
}

// What a catalogue or a lock may say. Each text becomes part of a path or of a command line.
var (
	versionForm = pattern.New(`^[0-9][A-Za-z0-9_.+]*$`)
	memberForm  = pattern.New(`^[A-Za-z0-9_.+-]+(/[A-Za-z0-9_.+-]+)*$`)
	sumForm     = pattern.New(`^[0-9a-f]{64}$`)
)

// Valid returns what is wrong with the entry, which may come from a lock that was edited by hand.
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
		return fmt.Errorf("the wheel %s is not of this release", p.File)
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
			return fmt.Errorf("%q is not the name of a wheel's member", member)
		}
		if i < len(bases) {
			bases[i] = path.Base(member)
		}
	}
	if !slices.Contains(bases, p.Library) {
		return fmt.Errorf("the library %q is not among the files", p.Library)
	}
	slices.Sort(bases)
	if len(slices.Compact(bases)) != len(p.Files) {
		return errors.New("two files of one name")
	}
	return nil
}
