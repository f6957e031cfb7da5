package files

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// Outputs contains the output paths of a command line: for each flag, the path that it writes to.
// The zero value has no paths.
type Outputs struct {
	// Folder is the folder for the outputs of flags without a path. "" means the working directory.
	Folder string
	paths  map[string]output // by flag
	piped  bool              // one of the outputs is standard output
}

// output is the path to which a flag writes. unnamed is true if the command line does not contain
// this path, because the file has its usual name. The path is then only a file name until
// [Outputs.Settle] puts Folder in front.
type output struct {
	path    string
	unnamed bool
}

// Put sets the path to which a flag writes. A later path replaces an earlier one.
func (o *Outputs) Put(flag, path string) { o.put(flag, output{path: path}) }

func (o *Outputs) put(flag string, to output) {
	if o.paths == nil {
		o.paths = map[string]output{}
	}
	o.paths[flag] = to
}

// PutUnnamed makes a flag write to the file with the given name in Folder. The path is only
// determined by [Outputs.Settle], because Folder may come from a later flag.
func (o *Outputs) PutUnnamed(flag, name string) { o.put(flag, output{name, true}) }

// Path returns the path to which a flag writes, or "" if the flag was not set.
func (o *Outputs) Path(flag string) string { return o.paths[flag].path }

// Piped reports whether one of the outputs is standard output.
func (o *Outputs) Piped() bool { return o.piped }

// Settle turns the names from [Outputs.PutUnnamed] into paths. usual maps flags to the usual names
// of their output files. If Folder is set and one of these flags has no path, the flag writes to
// the file with its usual name in Folder.
func (o *Outputs) Settle(usual map[string]string) {
	for flag, name := range usual {
		if o.Folder != "" && o.paths[flag].path == "" {
			o.PutUnnamed(flag, name)
		}
	}
	for flag, to := range o.paths {
		if to.unnamed {
			o.paths[flag] = output{filepath.Join(o.Folder, to.path), true}
		}
	}
}

// stdout is the path that an output path of "-" stands for.
const stdout = "/dev/stdout"

// Note records the outputs in account. patterns has an entry for each flag that writes to a folder:
// a pattern for the files in the folder; see [Account.Below]. The path "-" means standard output,
// and is an error if account has already recorded it for another flag. The command line need not
// name every file in Folder, but it is an error if an unnamed file is a link to a place outside
// Folder.
func (o *Outputs) Note(account *Account, patterns map[string]string) (wrong error) {
	for _, flag := range slices.Sorted(maps.Keys(o.paths)) {
		path := o.paths[flag].path
		if path == "-" {
			if runtime.GOOS == "windows" {
				return errors.New(flag + " -: standard output has no path on Windows; name a file")
			}
			path, o.piped = stdout, true
			o.Put(flag, path)
		}
		var err error
		if o.paths[flag].unnamed {
			err = wholefile.Beside(filepath.Join(o.Folder, "any"), path)
		}
		switch {
		case err != nil:
			wrong = errors.Join(wrong, fmt.Errorf("%s: %w", flag, err))
			o.Put(flag, "")
		case path == "":
		case patterns[flag] != "":
			account.Set(flag, None)
			account.Below(flag, path, patterns[flag])
		default:
			account.Set(flag, Writes, path)
		}
	}
	for _, e := range account.entries {
		if e.path == "-" && e.use != Reads {
			wrong = errors.Join(wrong, fmt.Errorf("%s -: this flag cannot write to standard output; "+
				"give it a path", e.who))
		}
	}
	return wrong
}

// Refuse removes the output paths of the flags in the conflict, so that the command does not write
// these files.
func (o *Outputs) Refuse(c *Conflict) {
	for flag := range o.paths {
		if c.Concerns(flag) {
			o.Put(flag, "")
		}
	}
}
