package enginelock

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
)

// Choice is the release of an engine that this process may run.
type Choice struct {
	engines.Engine
	// Lock is the path of the lock file that lists the release. It is "" if the release comes from
	// the catalogue; other versions are then allowed too.
	Lock string

	accepted []Accepted
}

// Choose returns the release of an engine to run: the one in this process's lock file if it has
// one, and otherwise the one in the catalogue. It returns an error if the lock file and the
// catalogue have different checksums for the same file.
func Choose(catalogue engines.Engine) (Choice, error) {
	lock, path, err := Here()
	if err != nil {
		return Choice{}, err
	}
	return lock.Choose(catalogue, path)
}

// Choose is like the function [Choose], but uses the lock l. path is the path of the lock file, for
// errors and for [Choice.Lock].
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

// agree checks a locked release against the catalogue's entry for the same version. The wheels may
// differ, for example because they are for different Python versions, but a file that both contain
// must be the same.
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
				return fmt.Errorf("lists %s (%s %s) with sha256 %s, but the published file has "+
					"sha256 %s; to rewrite the lock file, run `%s setup --upgrade`", file.Member,
					catalogue.Name, catalogue.Version, file.SHA256, sum, engines.Command())
			}
		}
	}
	return nil
}

// Admit returns an error if c does not allow opening the library at path, which must be outside
// modelparity's cache. Without a lock file, c allows any undamaged library; with a lock file, c
// allows only the libraries that the file lists, and path must not be a bare name that the system's
// loader would resolve. Call Admit before opening the library.
func (c Choice) Admit(path string) error {
	return c.admit(path, fmt.Sprintf("is not the %s %s that %s lists; run `%s setup` to fetch that "+
		"release, or", c.Title, c.Version, c.Lock, engines.Command()))
}

// AdmitPlugin is like [Choice.Admit], but path is the path of a plug-in for the engine. The error
// does not suggest fetching a release, because no release of the engine contains the plug-in.
func (c Choice) AdmitPlugin(path string) error {
	return c.admit(path, "is a plug-in that "+c.Lock+" does not list; run")
}

// admit implements [Choice.Admit] and [Choice.AdmitPlugin]. If there is a lock file and it does not
// list the library at path, admit returns an error. Its text is the path, then unlisted, then a
// command to run.
func (c Choice) admit(path, unlisted string) error {
	if c.Lock == "" {
		return engines.Whole(path)
	}
	if !strings.ContainsRune(path, filepath.Separator) {
		return fmt.Errorf("%s cannot be checked against %s: pass the library's full path", path, c.Lock)
	}
	sum, err := engines.Sum(path)
	if err != nil {
		return err
	}
	p := c.Packages[engines.Platform()] // without files if the release has none for the platform
	for _, file := range p.Files {
		if file.SHA256 == sum && filepath.Base(file.Member) == p.Library {
			return nil
		}
	}
	for _, a := range c.accepted {
		if a.SHA256 == sum && a.Platform == engines.Platform() {
			return nil
		}
	}
	return fmt.Errorf("%s (sha256 %s) %s `%s setup --accept %s=%[1]s` to allow this library too",
		path, sum[:12], unlisted, engines.Command(), c.Name)
}

// Matches returns an error if c does not allow a library that other code in this process has
// already opened. Only the library's version can be checked.
func (c Choice) Matches(version string) error {
	if c.Lock == "" || version == c.Version {
		return nil
	}
	return fmt.Errorf("other code in this process loaded %s %s, but %s lists %s", c.Title, version,
		c.Lock, c.Version)
}
