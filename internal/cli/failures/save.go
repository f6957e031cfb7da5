package failures

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// save writes three files: the reduced model to file, its recorded inputs to <file>.inputs.json (in
// Polygraphy's format), and a spec that reproduces the failure to <file without .onnx>_test.go. If
// the spec compares with a different model, save also writes the corresponding part of that model
// to <file>.expected.onnx. It returns the paths of the files, in that order.
func (s spec) save(r *locate.Reduced, file string) ([]string, error) {
	if err := wholefile.Beside(file, DataFiles(file)...); err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	written, err := r.Part.Save(file)
	if err != nil {
		return nil, err
	}
	text, err := s.text(file)
	if err != nil {
		return nil, err
	}
	if err := wholefile.WriteBytes(specFile(file), text); err != nil {
		return nil, fmt.Errorf("locate: spec of %s: %w", file, err)
	}
	written = append(written, specFile(file))
	if s.expectedModel == nil {
		return written, nil
	}
	counterpart, err := r.Part.Counterpart(s.expectedModel)
	if err != nil {
		return nil, err
	}
	if err := counterpart.Save(expectedFile(file)); err != nil {
		return nil, err
	}
	return append(written, expectedFile(file)), nil
}

// DataFiles returns the files that may be written next to file when a part or a reduced model is
// saved.
func DataFiles(file string) []string {
	return []string{file + ".data", inputsFile(file), specFile(file), expectedFile(file),
		expectedFile(file) + ".data"}
}

// saveTestData writes a part of the model as an ONNX model test into a new or empty folder. The
// test consists of model.onnx and, for each iteration, a folder named test_data_set_0,
// test_data_set_1 and so on. Each of these folders contains input_0.pb, input_1.pb, … and
// output_0.pb, …, in the order of the part's inputs and outputs.
func saveTestData(c *locate.Candidate, folder string) ([]string, error) {
	if err := setfile.MakeFolder(folder); err != nil {
		return nil, fmt.Errorf("locate: test data: %s: %w", folder, err)
	}
	inputs, wrongInputs := c.Model.Inputs()
	outputs, wrongOutputs := c.Model.Outputs()
	if err := cmp.Or(wrongInputs, wrongOutputs); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "model.onnx")
	if err := c.Model.Save(file); err != nil {
		return nil, err
	}
	written := []string{file}
	for i := range c.Inputs {
		set := filepath.Join(folder, fmt.Sprintf("test_data_set_%d", i))
		if err := os.Mkdir(set, 0o755); err != nil {
			return nil, fmt.Errorf("locate: test data: %w", err)
		}
		for _, side := range []struct {
			role     string
			declared []loaders.Value
			values   *tensor.Set
		}{{"input", inputs, c.Inputs[i]}, {"output", outputs, c.Outputs[i]}} {
			names := loaders.Names(side.declared)
			if err := setfile.WriteDataSet(set, side.role, names, side.values); err != nil {
				return nil, fmt.Errorf("locate: test data: %w", err)
			}
		}
		written = append(written, set)
	}
	return written, nil
}
