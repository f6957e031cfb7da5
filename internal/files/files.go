// Package files keeps track of the files that a command line reads and writes, so that no command
// overwrites its own input or writes two outputs to the same file. It recognises a file under
// different paths: it follows links, and identifies a file that does not exist yet by its folder
// and name.
package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Use says what a command does with a file.
type Use uint8

// The possible uses of a file.
const (
	None    Use = iota // the value is not a file
	Reads              // a file, or a folder with all files in it
	Writes             // a file, or a new folder
	Updates            // a file that is read if it exists, and then rewritten
)

// Account lists the files that a command line names, each with the flag or argument that names it.
// The zero value is ready to use.
type Account struct{ entries []entry }

type entry struct {
	who    string
	use    Use
	path   string
	below  string   // pattern for the files written below the folder at path; "" for path itself
	shared string   // the purpose passed to Share; "" otherwise
	open   *os.File // an open file; path is then only its name for messages
}

// Add records how a flag or argument uses the files at paths. who is the flag or argument, as
// messages name it.
func (a *Account) Add(who string, use Use, paths ...string) {
	for _, path := range paths {
		a.entries = append(a.entries, entry{who: who, use: use, path: path})
	}
}

// Set is like [Account.Add], but first removes everything that was recorded for the same flag or
// argument, which is who.
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

// Share records that a flag updates the file at path; who is the flag. Like [Account.Set], Share
// first removes everything that was recorded for this flag. Flags with the same purpose, such as
// the path of a cache, may update the same file.
func (a *Account) Share(purpose, who, path string) {
	a.Set(who, Updates)
	a.entries = append(a.entries, entry{who: who, use: Updates, path: path, shared: purpose})
}

// Open records that a flag writes to a file that is already open, such as standard output.
func (a *Account) Open(who string, f *os.File) {
	a.entries = append(a.entries, entry{who: who, use: Writes, path: f.Name(), open: f})
}

// Below records that a flag writes files below a folder. pattern, in the syntax of
// [path/filepath.Match], matches their paths relative to the folder. Two flags may share a folder
// if their patterns differ, so choose patterns that match no common path.
func (a *Account) Below(who, folder, pattern string) {
	a.entries = append(a.entries, entry{who: who, use: Writes, path: folder, below: pattern})
}

// Paths returns the files that the command line names.
func (a *Account) Paths() []string {
	return names.Each(a.entries, func(e entry) string { return e.path })
}

// MakeFolders creates the missing folders of the files that the command writes. Call the returned
// function after the command has run, to remove the created folders that are still empty.
func (a *Account) MakeFolders() (unused func(), err error) {
	var made []string
	unused = func() {
		for _, folder := range slices.Backward(made) {
			_ = os.Remove(folder) // fails, as intended, unless the folder is empty
		}
	}
	for _, e := range a.entries {
		if e.use != Writes && e.use != Updates {
			continue
		}
		folder, known := filepath.Dir(e.path), len(made)
		for up := folder; ; up = filepath.Dir(up) {
			if _, err := os.Lstat(up); err == nil || up == filepath.Dir(up) {
				break
			}
			made = slices.Insert(made, known, up) // a folder comes before the folders in it
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return unused, fmt.Errorf("%s: %w", e.who, err)
		}
	}
	return unused, nil
}

// Writes reports whether the command writes any file, not counting devices, pipes and files that
// are already open.
func (a *Account) Writes() bool {
	return slices.ContainsFunc(a.entries, func(e entry) bool {
		return e.use != Reads && e.open == nil && !wholefile.IsStream(e.path)
	})
}

// Conflict is the error for a file that is used for two incompatible purposes, or that is written
// although it is a golden file.
type Conflict struct {
	writer, other entry
	golden        bool
}

// Error describes both uses of the file and the remedy.
func (c *Conflict) Error() string {
	switch {
	case c.golden:
		return fmt.Sprintf("%s would write %s, which is or would be a golden file; choose a different "+
			"file", c.writer.who, c.writer.path)
	case c.other.use == Writes:
		return fmt.Sprintf("%s and %s would both write %s; use two different files", c.writer.who,
			c.other.who, c.writer.path)
	}
	return fmt.Sprintf("%s would write %s, which %s reads; choose a different file", c.writer.who,
		c.writer.path, c.other.who)
}

// Concerns reports whether the conflict involves the given flag or argument.
func (c *Conflict) Concerns(who string) bool { return c.writer.who == who || c.other.who == who }

// Check returns the conflicts between the recorded uses, in the order in which they were recorded.
func (a *Account) Check() []*Conflict {
	found := a.found()
	var all []*Conflict
	for i, f := range found {
		if f.use != Reads && f.open == nil && f.target.IsGolden() {
			all = append(all, &Conflict{writer: f.entry, golden: true})
		}
		for _, g := range found[:i] {
			writer, other := f, g
			if writer.use == Reads || writer.use == Updates && other.use == Writes {
				writer, other = g, f
			}
			switch {
			case writer.use == Reads, f.who == g.who, f.shared != "" && f.shared == g.shared:
			case writer.meets(other):
				all = append(all, &Conflict{writer: writer.entry, other: other.entry})
			}
		}
	}
	return all
}

// file is a file to which an entry of an [Account] refers. An entry for an input folder refers to
// several files.
type file struct {
	entry
	target wholefile.Target
	info   fs.FileInfo // nil if the file does not exist yet
}

// found returns every file to which the entries refer. It leaves out devices and pipes, because
// commands never replace them, and files that it cannot examine, because the command itself will
// report that error.
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
		all = append(all, file{e, target, target.Info})
		if e.use != Reads || target.Info == nil || !target.Info.IsDir() {
			continue
		}
		for _, depth := range []string{"*", "*/*"} { // package setfile reads folders to this depth
			inside, _ := fs.Glob(os.DirFS(target.Path), depth) // the pattern is valid
			for _, name := range inside {
				e.path = filepath.Join(target.Path, filepath.FromSlash(name))
				found, err := wholefile.Resolve(e.path)
				if err == nil && found.Info != nil && found.Info.Mode().IsRegular() {
					all = append(all, file{e, found, found.Info})
				}
			}
		}
	}
	return all
}

// resolve returns the file at an entry's path. The path of an input may have the form FILE#RUN,
// which refers to FILE.
func resolve(e entry) (wholefile.Target, error) {
	if e.use == Reads {
		file, _ := Split(e.path)
		if target, err := wholefile.Resolve(file); err == nil && target.Info != nil {
			return target, nil
		}
	}
	return wholefile.Resolve(e.path)
}

// Split splits FILE#RUN/ITERATION at the first # that follows the path of an existing file.
func Split(path string) (file, selection string) {
	if _, err := os.Stat(path); err == nil {
		return path, ""
	}
	for at := range path {
		if path[at] != '#' {
			continue
		}
		if _, err := os.Stat(path[:at]); err == nil {
			return path[:at], path[at+1:]
		}
	}
	file, selection, _ = strings.Cut(path, "#") // the error then names the file
	return file, selection
}

// meets reports whether f and other conflict: a command that writes one of them would change the
// other.
func (f file) meets(other file) bool {
	if f.open != nil || other.open != nil {
		return f.info != nil && other.info != nil && os.SameFile(f.info, other.info)
	}
	if f.below != "" && other.below != "" {
		return f.below == other.below && (same(f.target.Path, other.target.Path) || f.info != nil &&
			other.info != nil && os.SameFile(f.info, other.info))
	}
	if other.below != "" {
		f, other = other, f
	}
	inside, err := filepath.Rel(fold(f.target.Path), fold(other.target.Path))
	if f.below != "" {
		matches, wrong := filepath.Match(f.below, filepath.ToSlash(inside))
		return err == nil && wrong == nil && matches
	}
	if f.info != nil && other.info != nil && os.SameFile(f.info, other.info) {
		return true
	}
	return same(f.target.Path, other.target.Path) ||
		other.use != Reads && (f.holds(other) || other.holds(f))
}

// holds reports whether f is a folder that contains the file other, or will be such a folder once
// both have been written.
func (f file) holds(other file) bool {
	if f.info != nil && !f.info.IsDir() || f.info == nil && filepath.Ext(f.target.Path) != "" {
		return false
	}
	return strings.HasPrefix(fold(other.target.Path), fold(f.target.Path)+string(filepath.Separator))
}

func same(a, b string) bool { return fold(a) == fold(b) }

// fold converts a path to lower case on systems whose file systems ignore case.
func fold(path string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(path)
	}
	return path
}
