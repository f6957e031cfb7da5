package pip

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
)

// Wheel identifies a wheel in a package index by its file name and checksum. The name contains the
// project, release, Python version and platform.
type Wheel struct {
	// File is the wheel's file name, such as
	// "onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_x86_64.whl".
	File string `json:"wheel"`
	// SHA256 is the checksum of the file, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// tags contains the parts of a wheel's file name, as defined by the standard for binary
// distributions: project-version[-build]-python-abi-platform.whl.
type tags struct {
	project, version string
	implementation   string   // "cp"
	python           string   // "312"
	abi              string   // "cp312"
	platforms        []string // "manylinux_2_28_x86_64"
}

// wheelName matches the file name of a wheel. It excludes all characters that have a special
// meaning for pip or a file system.
var wheelName = pattern.New(`^([A-Za-z0-9_.]+)-([0-9][A-Za-z0-9_.+!]*)` +
	`(?:-[0-9][A-Za-z0-9_]*)?-([a-z]+)([0-9]+)-([a-z0-9_]+)-([a-z0-9_.]+)\.whl$`)

// sum matches a SHA-256 sum in hexadecimal.
var sum = pattern.New(`^[0-9a-f]{64}$`)

// Check returns an error if the name or the checksum is malformed.
func (w Wheel) Check() error {
	if _, err := w.tags(); err != nil {
		return err
	}
	if !sum.Regexp().MatchString(w.SHA256) {
		return fmt.Errorf("%s: %q is not a sha256: expected 64 hexadecimal digits", w.File, w.SHA256)
	}
	return nil
}

// Release returns the project and the version in the wheel's name.
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
		return tags{}, fmt.Errorf("%q is not a wheel's file name: "+
			"expected project-version-python-abi-platform.whl", w.File)
	}
	return tags{project: found[1], version: found[2], implementation: found[3], python: found[4],
		abi: found[5], platforms: strings.Split(found[6], ".")}, nil
}
