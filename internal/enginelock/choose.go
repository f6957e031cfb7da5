package enginelock

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
)

// Choice is the release of an engine that this process runs.
type Choice struct {
	engines.Engine
	// Lock is the path of the lock that names it, or "" where it is the catalogue's: then a library
	// of another version may be run as well.
	Lock string

	accepted []Accepted
}

// Choose picks the release of an engine of the catalogue: the one in the lock of this process, or
// the catalogue's own. A lock with a different sum for a file of the catalogue's release is an
// error.
func Choose(catalogue engines.Engine) (Choice, error) {
	lock, path, err := Here()
	if err != nil {
		return Choice{}, err
	}
	return lock.Choose(catalogue, path)
}

// Choose is [Choose] by this lock, which was read from path.
func (l Lock) Choose(catalogue engines.Engine, path string) (Choice, error) {
	entry, ok := l.Entry(catalogue.Name)
	if !ok {
		return Choice{Engine: catalogue}, nil
	}
	if err := agree(entry.Engine, catalogue); err != nil {
		return Choice{}, fmt.Errorf("%s: %w", path, err)
	}
	locked := catalogue
	locked.Version, locked.Packages = entry.Version, entry.Packages
	return Choice{locked, path, entry.Accepted}, nil
}

// agree checks a locked release against the catalogue's release of the same version. Wheels may
// differ, as those for two Pythons do, but their files may not.
func agree(locked, catalogue engines.Engine) error {
	if locked.Version != catalogue.Version {
		return nil
	}
	known := map[string]string{}
	for platform, p := range catalogue.Packages {
		for _, file := range p.Files {
			known[platform+" "+file.Member] = file.SHA256
		}
	}
	for platform, p := range locked.Packages {
		for _, file := range p.Files {
			sum, ok := known[platform+" "+file.Member]
			if ok && sum != file.SHA256 {
				return fmt.Errorf("gives %s of %s %s the sha256 %s, and the one that was published "+
					"has %s; `%s setup --upgrade` writes the lock again", file.Member,
					catalogue.Name, catalogue.Version, file.SHA256, sum, engines.Command())
			}
		}
	}
	return nil
}

// Admit says whether a library at path, outside the cache, may run: without a lock any undamaged
// one may, with a lock only one that it names. Call it before opening the library. With a lock it
// needs a path: it refuses a bare name for the system's loader.
func (c Choice) Admit(path string) error {
	if c.Lock == "" {
		return engines.Whole(path)
	}
	if !strings.ContainsRune(path, filepath.Separator) {
		return fmt.Errorf("%s cannot be held to %s: name the library by its path", path, c.Lock)
	}
	sum, err := engines.Sum(path)
	if err != nil {
		return err
	}
	p, published := c.Packages[engines.Platform()]
	if published {
		for _, file := range p.Files {
			if file.SHA256 == sum && filepath.Base(file.Member) == p.Library {
				return nil
			}
		}
	}
	for _, a := range c.accepted {
		if a.SHA256 == sum && a.Platform == engines.Platform() {
			return nil
		}
	}
	return fmt.Errorf("%s (sha256 %s) is not the %s %s that %s names; `%s setup` fetches "+
		"that one, `%[6]s setup --accept %[7]s=%[1]s` lets this one be used too",
		path, sum[:12], c.Title, c.Version, c.Lock, engines.Command(), c.Name)
}

// Matches says whether a library that other code of this process opened may run; only its version
// is known.
func (c Choice) Matches(version string) error {
	if c.Lock == "" || version == c.Version {
		return nil
	}
	return fmt.Errorf("other code of this process opened %s %s, and %s names %s", c.Title, version,
		c.Lock, c.Version)
}
