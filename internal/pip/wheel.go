package pip

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
)

// Wheel is one wheel of a package index, pinned: the file by its name, and what it holds by its
// sum. The name says which project, release, Python and platform it is for, so nothing else does.
type Wheel struct {
	// File is the wheel's file name, such as
	// "onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_x86_64.whl".
	File string `json:"wheel"`
	// SHA256 is the sum of the whole file, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// tags are what a wheel's name says, as the standard for binary distributions cuts it:
// project-version[-build]-python-abi-platform.whl.
type tags struct {
	project, version string
	implementation   string   // "cp"
	python           string   // "312"
	abi              string   // "cp312"
	platforms        []string // "manylinux_2_28_x86_64"
}

// wheelName is the form of a wheel's file name. It excludes every character that means something to
// pip or a file system.
var wheelName = pattern.New(`^([A-Za-z0-9_.]+)-([0-9][A-Za-z0-9_.+!]*)` +
	`(?:-[0-9][A-Za-z0-9_]*)?-([a-z]+)([0-9]+)-([a-z0-9_]+)-([a-z0-9_.]+)\.whl$`)

// sum is the form of a sha256.
var sum = pattern.New(`^[0-9a-f]{64}$`)

// Check says what is wrong with the wheel's name or sum.
func (w Wheel) Check() error {
	if _, err := w.tags(); err != nil {
		return err
	}
	if !sum.Regexp().MatchString(w.SHA256) {
		return fmt.Errorf("%s: %q is not a sha256: expected 64 hexadecimal digits", w.File, w.SHA256)
	}
	return nil
}

// Release is the project and the version that the wheel's name tells.
func (w Wheel) Release() (project, version string) {
	t, err := w.tags()
	if err != nil {
		return "", ""
	}
	return t.project, t.version
}

func (w Wheel) tags() (tags, error) {
	found := wheelName.Regexp().FindStringSubmatch(w.File)
	if found == nil {
		return tags{}, fmt.Errorf("%q is not the file name of a wheel: "+
			"expected project-version-python-abi-platform.whl", w.File)
	}
	return tags{project: found[1], version: found[2], implementation: found[3], python: found[4],
		abi: found[5], platforms: strings.Split(found[6], ".")}, nil
}
