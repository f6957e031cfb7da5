package files

import (
	"errors"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
)

// Outputs are the paths that the flags of one command line write to. The zero value is none.
type Outputs struct {
	// Folder is where outputs go that have a flag and no path; "" is the working folder.
	Folder  string
	paths   map[string]string // by flag
	unnamed map[string]string // names in Folder, by flag
	piped   bool              // one of them is standard output
}

// Put has a flag write to path, in place of what it was given before.
func (o *Outputs) Put(flag, path string) {
	if o.paths == nil {
		o.paths = map[string]string{}
	}
	delete(o.unnamed, flag)
	o.paths[flag] = path
}

// PutUnnamed has a flag write to a file of that name in Folder, which is known once every flag has
// been read and [Outputs.Settle] is called.
func (o *Outputs) PutUnnamed(flag, name string) {
	if o.unnamed == nil {
		o.unnamed = map[string]string{}
	}
	delete(o.paths, flag)
	o.unnamed[flag] = name
}

// Path is where a flag writes to, "" for one that writes nothing.
func (o *Outputs) Path(flag string) string { return o.paths[flag] }

// Piped reports whether one of the outputs is standard output.
func (o *Outputs) Piped() bool { return o.piped }

// Settle makes paths of names. usual are flags with the names of what a Folder alone asks for.
func (o *Outputs) Settle(usual map[string]string) {
	for flag, name := range usual {
		if o.Folder != "" && o.paths[flag] == "" && o.unnamed[flag] == "" {
			o.PutUnnamed(flag, name)
		}
	}
	for flag, name := range maps.Clone(o.unnamed) {
		o.Put(flag, filepath.Join(o.Folder, ".", name))
	}
}

// stdout is the path that "-" stands for.
const stdout = "/dev/stdout"

// Note notes in the account what the flags write. A folder whose flag has a pattern in below is
// written to in the paths that match it: see [Account.Below]. The path "-" stands for standard
// output.
func (o *Outputs) Note(a *Account, below map[string]string) error {
	for _, flag := range slices.Sorted(maps.Keys(o.paths)) {
		path := o.paths[flag]
		if path == "-" {
			if runtime.GOOS == "windows" {
				return errors.New(flag + " -: standard output has no path on Windows; name a file")
			}
			path, o.piped = stdout, true
			o.paths[flag] = path
		}
		switch {
		case path == "":
		case below[flag] != "":
			a.Set(flag, None)
			a.Below(flag, path, below[flag])
		default:
			a.Set(flag, Writes, path)
		}
	}
	return nil
}

// Refuse has nothing written by the flags that a conflict concerns.
func (o *Outputs) Refuse(c *Conflict) {
	for flag := range o.paths {
		if c.Concerns(flag) {
			o.paths[flag] = ""
		}
	}
}
