package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/tensor/polygraphy"
)

// parseHead reads the head of a file; nil means that the file has none.
func parseHead(text []byte) (*head, error) {
	if text == nil {
		return nil, nil
	}
	var version struct{ Format int }
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("the head %q: %w", polygraphy.HeadKey, err)
	}
	if version.Format > formatVersion {
		return nil, fmt.Errorf("the file has format %d, this modelparity reads up to %d: update it",
			version.Format, formatVersion)
	}
	h := new(head)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // a key mistyped by hand would otherwise go unnoticed
	if err := decoder.Decode(h); err != nil {
		return nil, fmt.Errorf("the head %q: %w", polygraphy.HeadKey, err)
	}
	if h.Kind != kindGolden && h.Kind != kindRun {
		return nil, fmt.Errorf("the head %q: kind %q is not known", polygraphy.HeadKey, h.Kind)
	}
	return h, nil
}

// matches holds the head's outline against Polygraphy's part: runners, iterations, names.
func (h *head) matches(results polygraphy.Results) error {
	if len(h.Runs) != len(results.Runners) {
		return fmt.Errorf("the head describes %d runs, the data has %d",
			len(h.Runs), len(results.Runners))
	}
	for i, run := range h.Runs {
		runner := results.Runners[i]
		if run.Name != runner.Name || len(run.Iterations) != len(runner.Iterations) {
			return fmt.Errorf("run %d: the head describes %q with %d iterations, the data has %q with %d",
				i, run.Name, len(run.Iterations), runner.Name, len(runner.Iterations))
		}
		for k, outputs := range run.Iterations {
			data := runner.Iterations[k].Outputs
			if len(outputs) != len(data) {
				return fmt.Errorf("run %d, iteration %d: the head describes %d outputs, the data has %d",
					i, k, len(outputs), len(data))
			}
			for j, output := range outputs {
				if output.Name != data[j].Name {
					return fmt.Errorf("run %d, iteration %d, output %d: the head calls it %q, the data %q",
						i, k, j, output.Name, data[j].Name)
				}
			}
		}
	}
	return nil
}

// holds is an error unless the data is what the head says. The checksum goes first: where it
// differs, every statistic does.
func (o headOutput) holds(t *tensor.Tensor) error {
	if o.Type != t.ElementType() || !o.Shape.Equal(t.Shape()) {
		return fmt.Errorf("output %q: the head says %v%v, the data is %v%v",
			o.Name, o.Type, o.Shape, t.ElementType(), t.Shape())
	}
	if o.SHA256 == "" {
		return nil
	}
	data := describe(o.Name, t)
	if data.SHA256 != o.SHA256 {
		return fmt.Errorf("output %q: the data's sha256 is %s, the head says %s: "+
			"the file was damaged, or edited by hand", o.Name, data.SHA256, o.SHA256)
	}
	said, given, err := plain(o, data)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(said, given) {
		return fmt.Errorf("output %q: the head says %v, the data gives %v: the head was edited by hand",
			o.Name, said, given)
	}
	return nil
}

// plain turns two descriptions into plain values, for which 1.0 and 1, or two spellings of a
// character, are the same.
func plain(a, b headOutput) (x, y map[string]any, err error) {
	for _, side := range []struct {
		from headOutput
		to   *map[string]any
	}{{a, &x}, {b, &y}} {
		text, err := json.Marshal(side.from)
		if err == nil {
			err = json.Unmarshal(text, side.to)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return x, y, nil
}
