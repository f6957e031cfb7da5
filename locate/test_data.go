package locate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// expectations runs the part on its inputs in the recording side, whose outputs are the correct
// ones. If that side has another model, the same part of that model runs.
func (r *reduction) expectations(ctx context.Context, c *Candidate) error {
	model := c.Model
	if r.recorder.model != r.model {
		var err error
		if model, err = c.Counterpart(r.recorder.model); err != nil {
			return fmt.Errorf("locate: test data: %w", err)
		}
	}
	run, err := r.recorder.run(ctx, model, fixtures.Of(c.Inputs...))
	if err != nil {
		return fmt.Errorf("locate: test data: the correct outputs: %w", err)
	}
	c.Outputs = run.Outputs()
	return nil
}

// saveTestData writes the part as an ONNX model test into a new or empty folder: model.onnx,
// and for each iteration a folder test_data_set_0, test_data_set_1, … with input_0.pb, … in the
// order of the model's inputs and output_0.pb, ….
func (c *Candidate) saveTestData(folder string) ([]string, error) {
	if err := setfile.MakeFolder(folder); err != nil {
		return nil, fmt.Errorf("locate: test data: %s: %w", folder, err)
	}
	inputs, err := c.Model.Inputs()
	if err != nil {
		return nil, err
	}
	outputs, err := c.Model.Outputs()
	if err != nil {
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
			err := setfile.WriteDataSet(set, side.role, messages(side.declared), side.values)
			if err != nil {
				return nil, fmt.Errorf("locate: test data: %w", err)
			}
		}
		written = append(written, set)
	}
	return written, nil
}

// messages describes values as declared in .pb files.
func messages(values []loaders.Value) []setfile.Declared {
	list := make([]setfile.Declared, len(values))
	for i, v := range values {
		list[i].Name = v.Name
		if v.Kind == loaders.Optional {
			list[i].Kind = onnxpb.OptionalKind
		}
	}
	return list
}
