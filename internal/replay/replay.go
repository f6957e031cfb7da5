// Package replay reads and writes Polygraphy's tactic replay files (TacticReplayData): which
// implementation TensorRT chose for every layer, in the order in which TensorRT reports the layers.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// File is the content of a tactic replay file: one tactic per layer. The zero File is empty.
type File struct {
	layers  []string
	tactics map[string]trtabi.Tactic
}

// Add records the tactic of a layer. A second tactic for the same layer replaces the first, as in
// Polygraphy.
func (f *File) Add(layer string, t trtabi.Tactic) {
	if _, known := f.tactics[layer]; !known {
		f.layers = append(f.layers, layer)
	}
	if f.tactics == nil {
		f.tactics = map[string]trtabi.Tactic{}
	}
	f.tactics[layer] = t
}

// Tactic returns the tactic of a layer.
func (f *File) Tactic(layer string) (t trtabi.Tactic, known bool) {
	t, known = f.tactics[layer]
	return t, known
}

// All iterates over the layers and their tactics, in the order of the file.
func (f *File) All() iter.Seq2[string, trtabi.Tactic] {
	return func(yield func(string, trtabi.Tactic) bool) {
		for _, layer := range f.layers {
			if !yield(layer, f.tactics[layer]) {
				return
			}
		}
	}
}

// Layers returns the number of layers that have a tactic.
func (f *File) Layers() int { return len(f.layers) }

// These are the names of Polygraphy's classes. Polygraphy stores an object in JSON as its fields
// and the name of its class.
const (
	replayClass = "TacticReplayData"
	tacticClass = "Algorithm"
	tensorClass = "TensorInfo"
)

// These are the objects in the file. Fields are pointers to distinguish a missing field from a
// zero.
type (
	replayJSON struct {
		Replay json.RawMessage `json:"replay"`
		Class  string          `json:"polygraphy_class"`
	}
	tacticJSON struct {
		Implementation *int64       `json:"implementation"`
		Tactic         *int64       `json:"tactic"`
		Inputs         []tensorJSON `json:"inputs"`
		Outputs        []tensorJSON `json:"outputs"`
		Class          string       `json:"polygraphy_class"`
	}
	tensorJSON struct {
		Type          string `json:"dtype"` // "DataType.FLOAT"
		Strides       []int  `json:"strides"`
		VectorizedDim *int   `json:"vectorized_dim"`
		Components    *int   `json:"components_per_element"`
		Class         string `json:"polygraphy_class"`
	}
)

// RecordAgain is the remedy that ends every message about an unsuitable file.
const RecordAgain = "record it again with trt.SaveTactics or polygraphy run --save-tactics"

// Parse reads the contents of a file.
func Parse(data []byte) (*File, error) {
	var file replayJSON
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("not a tactic replay file: %w", err)
	}
	if file.Class != replayClass {
		return nil, fmt.Errorf("not a tactic replay file, or written by an old Polygraphy: "+
			"polygraphy_class is %q, expected %s; %s", file.Class, replayClass, RecordAgain)
	}
	r := &File{}
	decoder := json.NewDecoder(bytes.NewReader(file.Replay))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a tactic replay file: the key replay must hold an object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		layer := name.(string) // an object's keys are strings
		if _, known := r.tactics[layer]; known {
			return nil, fmt.Errorf("layer %q appears twice", layer)
		}
		var t tacticJSON
		if err := decoder.Decode(&t); err != nil {
			return nil, fmt.Errorf("layer %q: %w", layer, err)
		}
		tactic, err := t.tactic()
		if err != nil {
			return nil, fmt.Errorf("layer %q: %w; %s", layer, err, RecordAgain)
		}
		r.Add(layer, tactic)
	}
	if len(r.layers) == 0 {
		return nil, fmt.Errorf("the file has no layers, so there is nothing to replay; %s", RecordAgain)
	}
	return r, nil
}

// tactic converts an object of the file to a tactic.
func (t tacticJSON) tactic() (result trtabi.Tactic, err error) {
	if t.Class != tacticClass || t.Implementation == nil || t.Tactic == nil {
		return result, fmt.Errorf("expected one %s with an implementation and a tactic", tacticClass)
	}
	result = trtabi.Tactic{Implementation: *t.Implementation, Tactic: *t.Tactic,
		Inputs: []trtabi.TacticTensor{}, Outputs: []trtabi.TacticTensor{}}
	for i, tensor := range slices.Concat(t.Inputs, t.Outputs) {
		number := slices.Index(trtabi.DataTypes, strings.TrimPrefix(tensor.Type, "DataType."))
		switch {
		case tensor.Class != tensorClass || tensor.VectorizedDim == nil || tensor.Components == nil:
			return result, fmt.Errorf("tensor %d: expected a %s with vectorized_dim and "+
				"components_per_element, which TensorRT has had since 8.6", i, tensorClass)
		case number < 0:
			return result, fmt.Errorf("tensor %d: unknown element type %q", i, tensor.Type)
		}
		io := trtabi.TacticTensor{Type: trtabi.DataType(number), Strides: tensor.Strides,
			VectorizedDim: *tensor.VectorizedDim, Components: *tensor.Components}
		if i < len(t.Inputs) {
			result.Inputs = append(result.Inputs, io)
		} else {
			result.Outputs = append(result.Outputs, io)
		}
	}
	return result, nil
}

// Encode returns the contents of the file, byte for byte as Polygraphy writes them.
func (f *File) Encode() []byte {
	var layers bytes.Buffer
	for i, layer := range f.layers {
		if i > 0 {
			layers.WriteByte(',')
		}
		fmt.Fprintf(&layers, "%s:%s", pythonJSON(layer, ""), encodeTactic(f.tactics[layer]))
	}
	return pythonJSON(replayJSON{json.RawMessage("{" + layers.String() + "}"), replayClass}, "    ")
}

func encodeTactic(t trtabi.Tactic) []byte {
	tensors := func(all []trtabi.TacticTensor) []tensorJSON {
		objects := make([]tensorJSON, len(all))
		for i, tensor := range all {
			objects[i] = tensorJSON{"DataType." + tensor.Type.String(),
				append([]int{}, tensor.Strides...), &tensor.VectorizedDim, &tensor.Components,
				tensorClass}
		}
		return objects
	}
	return pythonJSON(tacticJSON{&t.Implementation, &t.Tactic, tensors(t.Inputs),
		tensors(t.Outputs), tacticClass}, "")
}

// pythonJSON returns JSON as Python writes it.
func pythonJSON(v any, indent string) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(v); err != nil {
		panic(err) // JSON can represent these fields
	}
	return []byte(names.ASCII(bytes.TrimSuffix(text.Bytes(), []byte("\n"))))
}
