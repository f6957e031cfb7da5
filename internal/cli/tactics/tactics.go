// Package tactics shows and compares tactic replay files. trt.SaveTactics and Polygraphy write such
// files.
package tactics

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/replay"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// Tactic is what TensorRT chose for one layer.
type Tactic struct {
	Layer string `json:"layer"`
	trtabi.Tactic
}

// List holds the tactics in a tactic replay file, in the order of the file.
type List []Tactic

// mostBytes is the largest accepted file size. A file with ten thousand layers has 10 MB.
const mostBytes = 256 << 20

// Read reads a tactic replay file written by trt.SaveTactics or by Polygraphy's --save-tactics.
func Read(path string) (List, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > mostBytes {
		err = fmt.Errorf("%s: not a tactic replay file: it has %d bytes, more than any such file", path,
			info.Size())
	}
	if err != nil {
		return nil, err
	}
	data, err := regular.Read(path)
	if err != nil {
		return nil, fmt.Errorf("tactics: %w", err)
	}
	file, err := replay.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("tactics: %s: %w", filepath.Base(path), err)
	}
	var all List
	for layer, t := range file.All() {
		all = append(all, Tactic{layer, t})
	}
	return all, nil
}

// Is reports whether the file at path starts like a tactic replay file. Callers use it to choose an
// error message.
func Is(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head)
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(string(head[:n])), "{"))
	return strings.HasPrefix(text, `"replay"`)
}

// Text returns one line for each layer.
func (t List) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tactics of %d layers\n", len(t))
	for _, one := range t {
		fmt.Fprintf(&b, "  %s: %v\n", one.Layer, one)
	}
	return b.String()
}

// Difference lists the tactics that occur only in engines that fail.
type Difference struct {
	Good int `json:"good"` // number of files from engines that pass
	Bad  int `json:"bad"`
	// Suspects lists the tactics that occur in no engine that passes.
	Suspects List `json:"suspects"`
}

// Diff finds the tactics that occur only in engines that fail. good and bad are files that
// trt.SaveTactics wrote, or folders with such files; other files in the folders are ignored.
func Diff(good, bad string) (d Difference, err error) {
	known := map[string]bool{}
	key := func(t Tactic) string { return fmt.Sprintf("%q %v", t.Layer, t) }
	passing, err := readAll(good)
	if err != nil {
		return d, err
	}
	for _, t := range slices.Concat(passing...) {
		known[key(t)] = true
	}
	failing, err := readAll(bad)
	if err != nil {
		return d, err
	}
	for _, t := range slices.Concat(failing...) {
		if !known[key(t)] {
			known[key(t)] = true
			d.Suspects = append(d.Suspects, t)
		}
	}
	d.Good, d.Bad = len(passing), len(failing)
	return d, nil
}

// readAll reads a file, or all tactic replay files in a folder and its subfolders. It returns an
// error if there are none.
func readAll(path string) (all []List, err error) {
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file != path && !Is(file) {
			return err
		}
		tactics, err := Read(file)
		all = append(all, tactics)
		return err
	})
	if err == nil && len(all) == 0 {
		err = errors.New(path + " contains no tactic replay file; modelparity run --save-tactics " +
			"writes such files, and modelparity debug build --artifacts sorts them into good and bad")
	}
	return all, err
}

// Text returns one line with the number of files on each side, and one line per suspect.
func (d Difference) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "read %d good and %d bad tactic replay files\n", d.Good, d.Bad)
	if len(d.Suspects) == 0 {
		b.WriteString("every tactic of the bad engines also occurs in a good engine; " +
			"add more tactic files\n")
		return b.String()
	}
	b.WriteString("tactics that only bad engines use:\n")
	for _, t := range d.Suspects {
		fmt.Fprintf(&b, "  %s: %v\n", t.Layer, t)
	}
	return b.String()
}
