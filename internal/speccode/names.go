// Package speccode writes parts of generated specs: matchers, and names for the package and the
// tests that let several generated specs in one folder compile together.
package speccode

import (
	"go/build"
	"go/token"
	"path/filepath"
	"strings"
)

// Names returns the package of the Go tests that are generated into file, and an identifier for
// them. The package is the external test package of the file's folder. If the folder has no Go
// files, the package is named after the file. The identifier depends only on the file's name.
func Names(file string) (pkg, name string) {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.TrimSuffix(filepath.Base(file), "_test.go"))
	pkg = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if !token.IsIdentifier(pkg) {
		pkg = "model" + pkg
	}
	if folder, err := filepath.Abs(filepath.Dir(file)); err == nil {
		// Ignore the error: the folder has no Go files, or it has several packages, of which found is the
		// first.
		if found, _ := build.ImportDir(folder, 0); found != nil && found.Name != "" {
			pkg = found.Name
		}
	}
	return pkg + "_test", name
}
