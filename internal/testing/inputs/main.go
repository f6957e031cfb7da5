// Command inputs prints a flag for `go test`, with which Go caches test results correctly although
// specs have inputs that Go does not see. Go notices changes to the test binary, to environment
// variables that the test reads, and to files that it opens within the module. It does not notice
// changes to an engine's library, to Python, or to files that other programs read. The flag sets
// the duration of benchmarks to a checksum of all these inputs: Go compares it, but it has no
// effect unless benchmarks run.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
)

func main() {
	flag, err := flag()
	if err != nil {
		fmt.Fprintf(os.Stderr, "inputs: test results will not be cached: %v\n", err)
	}
	fmt.Println(flag)
}

// flag returns a flag for go test. The flag's value is a checksum of all inputs of the specs in the
// working directory's module, so go test reuses cached results only while these inputs stay the
// same. If the checksum cannot be computed, flag returns the flag that disables caching.
func flag() (string, error) {
	sum := sha256.New()
	for _, add := range []func(io.Writer) error{module, libraries, python, environment} {
		if err := add(sum); err != nil {
			return "-count=1", err
		}
	}
	return fmt.Sprintf("-benchtime=%dns", binary.BigEndian.Uint64(sum.Sum(nil))>>2), nil
}

// module writes the name, mode and checksum of every file of the module that git does not ignore.
func module(to io.Writer) error {
	list, err := exec.Command("git", "ls-files", "-z", "-co", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	names := strings.Split(strings.TrimRight(string(list), "\x00"), "\x00")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) { // deleted, but still in the index
			continue
		}
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			if data, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		fmt.Fprintf(to, "%q %v %x\n", name, info.Mode(), sha256.Sum256(data))
	}
	return nil
}

// libraries writes the name, size and modification time of each file in the cache folders of the
// engines. These folders contain the engines' libraries.
func libraries(to io.Writer) error {
	for _, e := range engines.Catalogue() {
		folder, err := e.Folder()
		if err != nil {
			return err
		}
		err = filepath.WalkDir(filepath.Dir(filepath.Dir(folder)), // includes other versions
			func(path string, d fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				if err != nil || d.IsDir() {
					return err
				}
				info, err := d.Info()
				if err == nil {
					fmt.Fprintf(to, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
				}
				return err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// python writes the versions of the Python interpreter that specs use and of its packages, or the
// error if there is none.
func python(to io.Writer) error {
	program := "python3"
	if named := os.Getenv("MODELPARITY_PYTHON"); named != "" {
		program = named
	}
	out, err := exec.Command(program, "-c", "import sys, importlib.metadata as m; "+
		"print(sys.version, *sorted(f'{d.name} {d.version}' for d in m.distributions()))").Output()
	if err != nil {
		out = []byte(err.Error())
	}
	_, err = to.Write(out)
	return err
}

// environment writes Go's version and the environment variables that specs, and the programs that
// they start, read.
func environment(to io.Writer) error {
	fmt.Fprintln(to, runtime.Version())
	all := os.Environ()
	slices.Sort(all)
	for _, v := range all {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(v, p) }) {
			fmt.Fprintf(to, "%q\n", v)
		}
	}
	return nil
}

var prefixes = []string{"MODELPARITY_", "ONNXRUNTIME_", "ORT_", "GOLDEN_", "GINKGO", "CI=", "GO",
	"CGO_", "PYTHON", "PATH=", "HOME=", "XDG_", "LANG", "LC_", "LOCPATH=", "TZ=", "LD_",
	"VIRTUAL_ENV=", "VK_"}
