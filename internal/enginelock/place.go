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

// start is the folder that the process began in, which is the package's own for a test: a spec that
// changes the working folder does not leave its lock behind.
var start, errStart = os.Getwd()

// Place is the path of the lock of this process, whether there is one or not: what [Variable]
// names, or the nearest one upwards, or the place for it beside the nearest go.mod. It is ""
// outside any module, and where the variable says "off".
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

// upwards looks for a lock, or for the go.mod that it would lie beside. Both are looked for by
// calls that `go test` takes note of.
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

// Own reports whether a lock at that path would lie in a checkout of modelparity. None is written
// there: the catalogue is in the same commit as the specs, and a lock would outlive it.
func Own(path string) bool {
	mod, err := regular.Read(filepath.Join(filepath.Dir(path), "go.mod"))
	line, _, _ := strings.Cut(string(mod), "\n")
	return err == nil && strings.TrimSpace(line) == "module "+engines.Module
}

// Here reads the lock of this process. It is empty, and path may be "", where there is none; a lock
// that the variable names must exist.
func Here() (lock Lock, path string, err error) {
	path, err = Place()
	if err != nil || path == "" {
		return Lock{}, "", err
	}
	if os.Getenv(Variable) != "" {
		lock, err = Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w; `%s setup` writes it", Variable, err, engines.Command())
		}
		return lock, path, err
	}
	lock, err = Load(path)
	return lock, path, err
}
