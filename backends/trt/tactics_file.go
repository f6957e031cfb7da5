package trt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// LayerTactic is TensorRT's choice for a layer: the implementation, its tactic, and the types and
// layouts of its tensors.
type LayerTactic struct {
	Layer          string        `json:"layer"`
	Implementation int64         `json:"implementation"`
	Tactic         int64         `json:"tactic"`
	Inputs         []TacticShape `json:"inputs"`
	Outputs        []TacticShape `json:"outputs"`
}

// TacticShape is the type and the layout of a layer's tensor.
type TacticShape struct {
	Type    string `json:"type"` // "FLOAT"
	Strides []int  `json:"strides"`
	// VectorizedDim is the dimension whose elements are packed into vectors, -1 for none, and
	// Components is the size of a vector.
	VectorizedDim int `json:"vectorized_dim"`
	Components    int `json:"components_per_element"`
}

// Tactics are the choices in a tactic replay file, in order.
type Tactics []LayerTactic

// mostTactics limits the size of a file; a file of ten thousand layers has 10 MB.
const mostTactics = 256 << 20

// ReadTactics reads a file that [SaveTactics] or Polygraphy's --save-tactics wrote.
func ReadTactics(path string) (Tactics, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > mostTactics {
		err = fmt.Errorf("%s: %d bytes are not a tactic replay file", path, info.Size())
	}
	if err != nil {
		return nil, err
	}
	file, _, err := readReplay(path)
	if err != nil {
		return nil, err
	}
	var all Tactics
	for layer, t := range file.All() {
		all = append(all, LayerTactic{layer, t.Implementation, t.Tactic, tacticShapes(t.Inputs),
			tacticShapes(t.Outputs)})
	}
	return all, nil
}

// IsTactics reports whether data starts like a tactic replay file, for error messages.
func IsTactics(path string) bool {
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

func tacticShapes(tensors []trtabi.TacticTensor) []TacticShape {
	all := []TacticShape{}
	for _, t := range tensors {
		all = append(all, TacticShape{trtabi.DataTypes[t.Type], t.Strides, t.VectorizedDim, t.Components})
	}
	return all
}

// String returns the tactic in one line, without its layer.
func (t LayerTactic) String() string {
	return fmt.Sprintf("implementation %d, tactic %d, %v -> %v", t.Implementation, t.Tactic,
		t.Inputs, t.Outputs)
}

// String returns the type and the strides: FLOAT(784,784,28,1), or with vectors of 8 elements of
// dimension 1 HALF(25088,784,28,1)/1:8.
func (s TacticShape) String() string {
	strides := make([]string, len(s.Strides))
	for i, n := range s.Strides {
		strides[i] = fmt.Sprint(n)
	}
	text := s.Type + "(" + strings.Join(strides, ",") + ")"
	if s.VectorizedDim >= 0 {
		text += fmt.Sprintf("/%d:%d", s.VectorizedDim, s.Components)
	}
	return text
}

// Text returns one line for each layer.
func (t Tactics) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tactics of %d layers\n", len(t))
	for _, one := range t {
		fmt.Fprintf(&b, "  %s: %v\n", one.Layer, one)
	}
	return b.String()
}

// TacticsDifference lists the tactics that occur only in engines that fail.
type TacticsDifference struct {
	Good int `json:"good"` // files of engines that pass
	Bad  int `json:"bad"`
	// Suspects are choices that no passing engine made.
	Suspects Tactics `json:"suspects"`
}

// DiffTactics finds the choices that only failing engines made. good and bad are files of
// [SaveTactics], or folders with such files; other files in them are ignored.
func DiffTactics(good, bad string) (d TacticsDifference, err error) {
	known := map[string]bool{}
	key := func(t LayerTactic) string { return fmt.Sprintf("%q %v", t.Layer, t) }
	passing, err := tacticFiles(good)
	if err != nil {
		return d, err
	}
	for _, t := range slices.Concat(passing...) {
		known[key(t)] = true
	}
	failing, err := tacticFiles(bad)
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

// tacticFiles reads a file, or all tactic files in a folder and its subfolders. It is an error if
// there are none.
func tacticFiles(path string) (all []Tactics, err error) {
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file != path && !IsTactics(file) {
			return err
		}
		tactics, err := ReadTactics(file)
		all = append(all, tactics)
		return err
	})
	if err == nil && len(all) == 0 {
		err = errors.New(path + " contains no tactic replay file; modelparity run --save-tactics " +
			"writes them, and modelparity debug build --artifacts sorts them")
	}
	return all, err
}

// Text says how many files were read, and lists one suspect per line.
func (d TacticsDifference) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "read %d good and %d bad tactic replay files\n", d.Good, d.Bad)
	if len(d.Suspects) == 0 {
		b.WriteString("good engines made every choice of the bad ones too: try more files\n")
		return b.String()
	}
	b.WriteString("choices that only bad engines made:\n")
	for _, t := range d.Suspects {
		fmt.Fprintf(&b, "  %s: %v\n", t.Layer, t)
	}
	return b.String()
}
