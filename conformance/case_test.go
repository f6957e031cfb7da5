package conformance_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// folder contains the cases in a wheel of onnx, one subfolder each: model.onnx,
// test_data_set_0/input_0.pb, …, test_data_set_0/output_0.pb, ….
const folder = "onnx/backend/test/data/node/"

// testCase is a case: its files by name inside the case's folder.
type testCase struct {
	name  string
	files map[string][]byte
}

// readCases reads every case of a wheel, in alphabetical order.
func readCases(archive string) ([]testCase, error) {
	zipped, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	defer zipped.Close()
	byName := map[string]testCase{}
	for _, member := range zipped.File {
		name, file, inside := strings.Cut(strings.TrimPrefix(member.Name, folder), "/")
		if !strings.HasPrefix(member.Name, folder) || !inside || file == "" {
			continue
		}
		data, err := content(member)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", archive, member.Name, err)
		}
		c, known := byName[name]
		if !known {
			c = testCase{name: name, files: map[string][]byte{}}
			byName[name] = c
		}
		c.files[file] = data
	}
	if len(byName) == 0 {
		return nil, fmt.Errorf("%s: no case under %s", archive, folder)
	}
	var cases []testCase
	for _, c := range byName {
		cases = append(cases, c)
	}
	slices.SortFunc(cases, func(a, b testCase) int { return strings.Compare(a.name, b.name) })
	return cases, nil
}

func content(member *zip.File) ([]byte, error) {
	r, err := member.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// labels are the case's operators, for `ginkgo --label-filter=operator:Conv`.
func (c testCase) labels() Labels {
	var labels Labels
	source := bytes.NewReader(c.files["model.onnx"])
	scanned, err := onnxwire.Scan(source)
	if err != nil {
		return nil // the spec itself says so
	}
	for _, node := range onnxwire.NewReader(source).Nodes(scanned.Graph.Nodes) {
		if label := "operator:" + node.Op; !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// stage is the point at which a case failed.
type stage string

const (
	load     stage = "load"     // ONNX Runtime rejected the model
	run      stage = "run"      // ONNX Runtime could not run it
	mismatch stage = "mismatch" // an output differed
	passes   stage = "pass"
	broken   stage = "broken" // the case could not be read
)

// tolerances returns ONNX's own tolerances: |actual − expected| ≤ 1e-7 + 1e-3·|expected|, with 2^-6
// instead of 1e-3 for bfloat16. NaN equals NaN, and infinities equal themselves.
func tolerances(expected *tensor.Set) *matchers.OutputsMatcher {
	m := matchers.MatchOutputs(compare.WithinSum(1e-7, 1e-3)).Under(compare.Options{NaNEqual: true,
		InfinitiesEqual: true, AllowEmpty: true}) // some cases test the shapes of empty tensors
	for name, t := range expected.All() {
		if t.ElementType() == tensor.BFloat16 {
			m = m.ForOutputWith(name, compare.WithinSum(1e-7, 1.0/64))
		}
	}
	return m
}

// values reads a case's input or output files, which are numbered in the model's order.
func (c testCase) values(kind string,
	declared func() ([]loaders.Value, error)) (*tensor.Set, error) {
	values, err := declared()
	if err != nil {
		return nil, err
	}
	var entries []tensor.Entry
	for i, v := range values {
		file := path.Join("test_data_set_0", fmt.Sprintf("%s_%d.pb", kind, i))
		data, ok := c.files[file]
		if !ok {
			return nil, fmt.Errorf("%s has no %s", c.name, file)
		}
		more, err := onnxpb.Decode(data, messages[v.Kind], v.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", c.name, file, err)
		}
		entries = append(entries, more...)
	}
	return tensor.NewSet(entries...)
}

// messages maps the declared kinds of value to the files' message types.
var messages = map[loaders.Kind]onnxpb.Kind{
	loaders.Tensor:   onnxpb.TensorKind,
	loaders.Sequence: onnxpb.SequenceKind,
	loaders.Optional: onnxpb.OptionalKind,
}
