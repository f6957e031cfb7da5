// Package files keeps account of what one command line reads and writes, so that no command
// overwrites what it reads, and no two of its outputs take the same file. It compares files, not
// spellings: it follows links, and a file that does not exist yet is its folder and its name.
package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// Use is how a command uses a file.
type Use uint8

// The uses.
const (
	None    Use = iota // not a file
	Reads              // a file, or a folder with all files in it
	Writes             // a file, or a new folder
	Updates            // a file that is read, where it is there, and written again
)

// Account is the files of one command line, by the flag or argument that names them. The zero
// value is ready to use.
type Account struct{ entries []entry }

type entry struct {
	who    string
	use    Use
	path   string
	below  string // pattern of what is written in the folder at path; "" for path itself
	shared string
	open   *os.File // in place of path: a file that is open already
}

// Add notes that who reads or writes the files at paths.
func (a *Account) Add(who string, use Use, paths ...string) {
	for _, path := range paths {
		a.entries = append(a.entries, entry{who: who, use: use, path: path})
	}
}

// Set is Add in place of what was noted for who before.
func (a *Account) Set(who string, use Use, paths ...string) {
	kept := a.entries[:0:0]
	for _, e := range a.entries {
		if e.who != who {
			kept = append(kept, e)
		}
	}
	a.entries = kept
	a.Add(who, use, paths...)
}

// Share notes that who updates the file at path, which others may name that share it by the same
// word, such as the two flags of one cache.
func (a *Account) Share(word, who string, path string) {
	a.Set(who, Updates)
	a.entries = append(a.entries, entry{who: who, use: Updates, path: path, shared: word})
}

// Open notes that who writes to a file that is open already, such as standard output.
func (a *Account) Open(who string, f *os.File) {
	a.entries = append(a.entries, entry{who: who, use: Writes, path: f.Name(), open: f})
}

// Below notes that who writes files in a folder whose paths from there match a pattern of
// [path/filepath.Match]. Two may share a folder by patterns of which no path matches both.
func (a *Account) Below(who, folder, pattern string) {
	a.entries = append(a.entries, entry{who: who, use: Writes, path: folder, below: pattern})
}

// Writes reports whether anything is written to a file that could be read as well.
func (a *Account) Writes() bool {
	for _, e := range a.entries {
		if e.use != Reads && e.open == nil && !wholefile.IsStream(e.path) {
			return true
		}
	}
	return false
}

// Conflict is an error for a file that two uses cannot share.
type Conflict struct {
	writer, other entry
}

// Error names both uses and the remedy.
func (c *Conflict) Error() string {
	if c.other.use == Writes {
		return fmt.Sprintf("%s and %s would both write %s; name two files", c.writer.who, c.other.who,
			c.writer.path)
	}
	return fmt.Sprintf("%s would write %s, which %s reads; name another file", c.writer.who,
		c.writer.path, c.other.who)
}

// Concerns reports whether who is one of the two.
func (c *Conflict) Concerns(who string) bool { return c.writer.who == who || c.other.who == who }

// Check gives the conflicts, in the order in which the files were noted.
func (a *Account) Check() []*Conflict {
	found := a.found()
	var all []*Conflict
	for i, f := range found {
		for _, g := range found[:i] {
			writer, other := f, g
			if writer.use == Reads || writer.use == Updates && other.use == Writes {
				writer, other = g, f
			}
			switch {
			case writer.use == Reads, f.who == g.who, f.shared != "" && f.shared == g.shared:
			case writer.meets(other):
				all = append(all, &Conflict{writer.entry, other.entry})
			}
		}
	}
	return all
}

// file is one file that an entry stands for.
type file struct {
	entry
	resolved string
	info     fs.FileInfo // nil where nothing is there yet
}

// found is every file that the entries stand for. What is neither a regular file nor a folder is
// left out: it is never replaced. So is what cannot be looked at; using it is an error later on.
func (a *Account) found() []file {
	var all []file
	for _, e := range a.entries {
		if e.open != nil {
			if info, err := e.open.Stat(); err == nil && info.Mode().IsRegular() {
				all = append(all, file{entry: e, info: info})
			}
			continue
		}
		target, err := resolve(e)
		if err != nil || target.IsStream() {
			continue
		}
		all = append(all, file{e, target.Path, target.Info})
		if e.use != Reads || target.Info == nil || !target.Info.IsDir() {
			continue
		}
		for _, depth := range []string{"*", "*/*"} { // of the folders that package setfile reads
			inside, _ := fs.Glob(os.DirFS(target.Path), depth) // the pattern is a good one
			for _, name := range inside {
				e.path = filepath.Join(target.Path, filepath.FromSlash(name))
				found, err := wholefile.Resolve(e.path)
				if err == nil && found.Info != nil && found.Info.Mode().IsRegular() {
					all = append(all, file{e, found.Path, found.Info})
				}
			}
		}
	}
	return all
}

// resolve follows an entry's path. What is read may be FILE#RUN: then it is FILE.
func resolve(e entry) (wholefile.Target, error) {
	target, err := wholefile.Resolve(e.path)
	if e.use != Reads || err == nil && target.Info != nil {
		return target, err
	}
	for at, c := range e.path {
		if c != '#' {
			continue
		}
		if file, err := wholefile.Resolve(e.path[:at]); err == nil && file.Info != nil {
			return file, nil
		}
	}
	return target, err
}

// meets reports whether writing one file touches the other.
func (f file) meets(other file) bool {
	if f.open != nil || other.open != nil {
		return f.info != nil && other.info != nil && os.SameFile(f.info, other.info)
	}
	if f.below != "" && other.below != "" {
		return f.below == other.below && (same(f.resolved, other.resolved) || f.info != nil &&
			other.info != nil && os.SameFile(f.info, other.info))
	}
	if other.below != "" {
		f, other = other, f
	}
	inside, err := filepath.Rel(fold(f.resolved), fold(other.resolved))
	if f.below != "" {
		matches, wrong := filepath.Match(f.below, filepath.ToSlash(inside))
		return err == nil && wrong == nil && matches
	}
	if f.info != nil && other.info != nil && os.SameFile(f.info, other.info) {
		return true
	}
	return same(f.resolved, other.resolved) ||
		other.use != Reads && (f.holds(other) || other.holds(f))
}

// holds reports whether f is written as a folder with other in it.
func (f file) holds(other file) bool {
	if f.info != nil && !f.info.IsDir() || f.info == nil && filepath.Ext(f.resolved) != "" {
		return false
	}
	return strings.HasPrefix(fold(other.resolved), fold(f.resolved)+string(filepath.Separator))
}

func same(a, b string) bool { return fold(a) == fold(b) }

// fold is the path as file systems compare it that take upper and lower case for the same.
func fold(path string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(path)
	}
	return path
}
