package failures

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/locate"
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
