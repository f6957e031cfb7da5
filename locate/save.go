package locate

import (
	"fmt"
	"io"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// inputsFile is the path of a candidate's inputs.
func inputsFile(model string) string { return model + ".inputs.json" }

// save writes the candidate and its inputs.
func (c *Candidate) save(file string) error {
	if err := c.Model.Save(file); err != nil {
		return err
	}
	err := wholefile.Write(inputsFile(file), func(w io.Writer) error {
		p := polygraphy.NewWriter(w)
		p.Inputs(fixtures.Of(c.Inputs...).All())
		return p.Close()
	})
	if err != nil {
		return fmt.Errorf("locate: inputs of %s: %w", file, err)
	}
	return nil
}

// Save writes the reduced model to file, its recorded inputs to <file>.inputs.json
// (Polygraphy's format), and a spec that reproduces the failure, described by s, to <file
// without .onnx>_test.go. If the spec compares with another model, the same part of that model
// goes to <file>.expected.onnx. Save returns the files it wrote, in that order.
func (r *Reduced) Save(file string, s Spec) ([]string, error) {
	written, err := r.Candidate.Save(file)
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
	if s.ExpectedModel == nil {
		return written, nil
	}
	counterpart, err := r.Counterpart(s.ExpectedModel)
	if err != nil {
		return nil, err
	}
	if err := counterpart.Save(expectedFile(file)); err != nil {
		return nil, err
	}
	return append(written, expectedFile(file)), nil
}

// DataFiles lists the files that saving a part or a reduced model may write next to file.
func DataFiles(file string) []string {
	return []string{file + ".data", inputsFile(file), specFile(file), expectedFile(file),
		expectedFile(file) + ".data"}
}
