// Package sharedlib finds an engine's shared library for a backend: the library that the user
// names, or otherwise the first usable library in the cache, in Python or on the system. Each
// library is checked against the module's modelparity.lock before it is opened.
package sharedlib

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
)

// Need describes the library that a backend needs. Error messages contain its strings verbatim.
type Need struct {
	Engine  engines.Engine
	Backend string // the backend's name in MODELPARITY_REQUIRE
	File    string // the file that the user can name: "libonnxruntime"
	Option  string // the option that names a library: "ort.Library"
	// Unusable is the backend's sentinel error, which every returned error wraps.
	Unusable error

	Usable func(path string) error // tries to open the library at path

	// Package and Pattern name the library in an installed Python package: "openvino",
	// "libs/libopenvino_c.*". Names lists file names that the system's loader may find.
	Package, Pattern string
	Names            []string
}

// Found is the result of [Need.Find].
type Found struct {
	Path string
	// Version is the library's version; it is set only for a library from the cache.
	Version string
}

// Find looks for the library in this order: the option, the environment variable, the cache, the
// Python package, the system's loader. If the option or the variable names an unusable library,
// Find returns an error. It skips unusable libraries in the other places. If no library is found,
// the error is also a [backends.Missing].
func (n Need) Find(option string) (Found, error) {
	if err := dlopen.Supported(); err != nil {
		return Found{}, n.missing(err.Error(), "build it with CGO_ENABLED=1 and a C compiler")
	}
	choice, err := enginelock.Choose(n.Engine)
	if err != nil {
		return Found{}, fmt.Errorf("%w: %w", n.Unusable, err)
	}
	for _, named := range []struct{ path, by string }{
		{option, n.Option}, {os.Getenv(n.Engine.Variable), n.Engine.Variable},
	} {
		if named.path == "" {
			continue
		}
		if err := choice.Admit(named.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Found{}, fmt.Errorf("%w: %s: %w", n.Unusable, named.by, err)
		}
		if err := n.Usable(named.path); err != nil {
			return Found{}, fmt.Errorf("%w: %s: %w; name a different %s or none; without a name, "+
				"modelparity searches for one", n.Unusable, named.by, err, n.File)
		}
		return Found{Path: named.path}, nil
	}
	return n.search(choice)
}

// search looks for a library in the cache, in Python packages and on the loader's path.
func (n Need) search(choice enginelock.Choice) (Found, error) {
	cached, err := choice.Library()
	if errors.Is(err, engines.ErrDamaged) {
		return Found{}, fmt.Errorf("%w: %w; %s", n.Unusable, err, n.remedy(choice))
	}
	var reasons []string
	if err == nil {
		if err = n.Usable(cached); err == nil {
			return Found{cached, choice.Version}, nil
		}
		reasons = append(reasons, err.Error())
	}
	inPython := enginelock.InPython(n.Package, n.Pattern)
	slices.Reverse(inPython) // the longest name has the full version and sorts last
	path, others := choice.Search(n.Usable, inPython)
	if path == "" { // the names are guesses, so the reasons for which they fail are not reported
		path, _ = choice.Search(n.Usable, n.Names)
	}
	if path != "" {
		return Found{Path: path}, nil
	}
	reason := fmt.Sprintf("no %s in the cache or in a Python package", n.Engine.Title)
	if len(n.Names) > 0 {
		reason = fmt.Sprintf("no %s in the cache, in a Python package or on the loader's path",
			n.Engine.Title)
	}
	if choice.Lock != "" {
		reason = fmt.Sprintf("%s %s, which %s requires, is not in the cache", choice.Title,
			choice.Version, choice.Lock)
	}
	if reasons = append(reasons, others...); len(reasons) > 0 {
		reason = strings.Join(reasons, "; ")
	}
	return Found{}, n.missing(reason, n.remedy(choice))
}

// remedy returns the command that installs a missing library. With a lock file, `modelparity setup`
// is the only remedy, because it installs exactly the locked release.
func (n Need) remedy(choice enginelock.Choice) string {
	remedy := fmt.Sprintf("run `%s setup --%s`", engines.Command(), n.Engine.Flag)
	if choice.Lock != "" {
		return remedy
	}
	return fmt.Sprintf("%s, or `pip install %s==%s`, or set %s to the library's path", remedy,
		strings.ReplaceAll(n.Engine.Name, "_", "-"), n.Engine.Version, n.Engine.Variable)
}

// missing returns the error that makes Require skip a spec.
func (n Need) missing(reason, remedy string) error {
	return &Missing{backends.Missing{Backend: n.Backend, Reason: reason, Remedy: remedy}, n.Unusable}
}

// Missing is a [backends.Missing] that also wraps the backend's error for an unusable library.
type Missing struct {
	backends.Missing
	unusable error
}

// Unwrap returns both wrapped errors.
func (e *Missing) Unwrap() []error { return []error{e.unusable, &e.Missing} }

// NewMissing returns the error for a backend whose library is unusable.
func NewMissing(m backends.Missing, unusable error) error { return &Missing{m, unusable} }

// Same reports whether two paths name the same file.
func Same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
