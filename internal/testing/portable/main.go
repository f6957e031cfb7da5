// Command portable type-checks every package, including its specs, for other systems and without
// cgo. Packages compiled in this way report missing engines at run time. Type-checking takes a
// tenth of the time of compiling the standard library and every dependency for each system, as
// `make builds` does. `make portable` runs this command.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

// systems lists the systems to check, as GOOS/GOARCH.
var systems = []string{"linux/amd64", "darwin/arm64", "windows/amd64"}

func main() {
	failed := false
	for _, system := range systems {
		faults, err := check(system)
		if err != nil {
			faults = []error{err}
		}
		for _, fault := range faults {
			fmt.Fprintf(os.Stderr, "portable: %s without cgo: %v\n", system, fault)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check returns the errors in the packages of the module in the working directory, for the given
// system.
func check(system string) (faults []error, err error) {
	goos, arch, _ := strings.Cut(system, "/")
	roots, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax, //nolint:staticcheck // names all that type-checking needs
		Tests: true,
		Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch),
	}, "./...")
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("found no packages; run this in the module's folder")
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, fault := range p.Errors {
			faults = append(faults, fault)
		}
	})
	return faults, nil
}
