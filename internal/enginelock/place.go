package enginelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/regular"
)

// start is the process's initial working directory, which in a test is the package's folder. It is
// recorded at the start, so that a spec that changes the working directory keeps using the same
// lock file.
var start, errStart = os.Getwd()

// Place returns the path of this process's lock file, which need not exist. If [Variable] is set,
// Place returns its value, or "" for the value "off". Otherwise Place searches the initial working
// directory and the folders above it. It returns the nearest lock file or, if it finds a go.mod
// first, the path that a lock file next to go.mod would have. Outside a module it returns "".
func Place() (string, error) {
	if named := os.Getenv(Variable); named == "off" {
		return "", nil
	} else if named != "" {
		return filepath.Abs(named)
	}
	if errStart != nil {
		return "", errStart
	}
	return upwards(start), nil
}

// upwards looks for a lock file or go.mod in folder, then in the folders above it. It returns the
// path of the nearest lock file or, if it finds a go.mod first, the path that a lock file next to
// go.mod would have. `go test` records both lookups, so its cached results depend on them.
func upwards(folder string) string {
	for {
		lock := filepath.Join(folder, Name)
		if _, err := os.Stat(lock); err == nil {
			return lock
		}
		if info, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil && !info.IsDir() {
			return lock
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}

// Own reports whether path is in a checkout of modelparity. A checkout needs no lock file: its
// specs use the versions that package engines lists in the same commit.
func Own(path string) bool {
	mod, err := regular.Read(filepath.Join(filepath.Dir(path), "go.mod"))
	line, _, _ := strings.Cut(string(mod), "\n")
	return err == nil && strings.TrimSpace(line) == "module "+engines.Module
}

// Here reads this process's lock file. If there is none, the lock is empty, and path may be "". If
// [Variable] names a lock file that does not exist, Here returns an error.
func Here() (lock Lock, path string, err error) {
	path, err = Place()
	if err != nil || path == "" {
		return Lock{}, "", err
	}
	if os.Getenv(Variable) != "" {
		lock, err = Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w; run `%s setup` to create it", Variable, err, engines.Command())
		}
		return lock, path, err
	}
	lock, err = Load(path)
	return lock, path, err
}
