package runfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/tensor"
)

// parseHead reads a file's head and compares it with the structure of the data. It returns nil if
// the file has no head.
func parseHead(results polygraphy.Results) (*Head, error) {
	if results.Head == nil {
		return nil, nil
	}
	h, err := decodeHead(results.Head)
	if err != nil {
		return nil, fmt.Errorf("the head %q: %w", polygraphy.HeadKey, err)
	}
	return h, h.matches(results)
}

func decodeHead(text []byte) (*Head, error) {
	text, long := shortened(text)
	var version struct{ Format int }
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, err
	}
	if version.Format > formatVersion {
		return nil, &ForeignError{Text: fmt.Sprintf("the file has format %d, but this "+
			"modelparity reads up to %d: update modelparity", version.Format, formatVersion)}
	}
	if version.Format < formatVersion { // format 1 had no checksum of the head
		return nil, fmt.Errorf("format %d: the file was edited by hand, or is too old to be verified",
			version.Format)
	}
	h := &Head{short: text, long: long}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(h); err != nil {
		return nil, err
	}
	if h.Kind != KindGolden && h.Kind != KindRun {
		return nil, fmt.Errorf("unknown kind %q", h.Kind)
	}
	unknown := slices.DeleteFunc(slices.Clone(h.Needs), func(name string) bool {
		return name == NeedsSidecar || name == needsSample || name == needsTree
	})
	if len(unknown) > 0 {
		return nil, &ForeignError{Text: fmt.Sprintf("the file needs %q, which this modelparity does not "+
			"know: update modelparity", unknown)}
	}
	return h, h.laidOut()
}

// proves returns an error if the head's text does not match its own checksum: a key that is
// misspelled, emptied or duplicated by hand would otherwise disable a check.
func (h *Head) proves() error {
	if h.Kind != KindGolden {
		return nil
	}
	sum, err := sumOfText(h.short)
	if err == nil && sum == h.SHA256 {
		sum, err = h.Sum() // values of a doubled key may be merged
	}
	if err == nil && sum != h.SHA256 {
		err = fmt.Errorf("the head %q has the sha256 %s, but states %q: the file was edited by hand",
			polygraphy.HeadKey, sum, h.SHA256)
	}
	return err
}

// matches compares the head with Polygraphy's part of the file: runners, iterations and names.
func (h *Head) matches(results polygraphy.Results) error {
	if len(h.Runs) != len(results.Runners) {
		return fmt.Errorf("the head describes %d runs, but the data has %d",
			len(h.Runs), len(results.Runners))
	}
	for i, run := range h.Runs {
		runner := results.Runners[i]
		if run.Name != runner.Name || len(run.Iterations) != len(runner.Iterations) {
			return fmt.Errorf("run %d: the head describes %q with %d iterations, "+
				"but the data has %q with %d",
				i, run.Name, len(run.Iterations), runner.Name, len(runner.Iterations))
		}
		for k, outputs := range run.Iterations {
			data := runner.Iterations[k].Outputs
			outputs = inFile(outputs)
			if len(outputs) != len(data) {
				return fmt.Errorf("run %d, iteration %d: the head describes %d outputs, "+
					"but the data has %d",
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

// holds verifies that the data matches the head. It compares the checksums first: if they differ,
// every statistic may differ.
func (o Output) holds(t *tensor.Tensor, kind string) error {
	if o.Sample != nil {
		return o.Sample.holds(o, t)
	}
	if o.Type != t.ElementType() || !o.Shape.Equal(t.Shape()) {
		return fmt.Errorf("output %q: the head says %v%v, but the data is %v%v",
			o.Name, o.Type, o.Shape, t.ElementType(), t.Shape())
	}
	if kind != KindGolden && o.Sum() == "" {
		return nil
	}
	if o.Sum() == "" {
		return fmt.Errorf("output %q: the head lacks its sha256: the file was edited by hand", o.Name)
	}
	data := o.DescribedLike(t)
	data.Notes, data.Blob, data.Keys = o.Notes, o.Blob, o.Keys
	if o.Tree != nil {
		if err := o.Tree.differs(data.Tree, t.Size()); err != nil {
			return fmt.Errorf("output %q: %w", o.Name, err)
		}
	}
	if data.SHA256 != o.SHA256 {
		return fmt.Errorf("output %q: the data's sha256 is %s, but the head says %s: "+
			"the file was damaged, or edited by hand", o.Name, data.SHA256, o.SHA256)
	}
	if reflect.DeepEqual(o, data) {
		return nil // the common case: same spelling
	}
	said, given, err := plain(o, data)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(said, given) {
		return fmt.Errorf("output %q: the head says %v, but the data has %v: the head was edited by hand",
			o.Name, said, given)
	}
	return nil
}

// DescribedLike describes t with the same kind of checksum as the output's. In older files, even
// large outputs have plain checksums.
func (o Output) DescribedLike(t *tensor.Tensor) Output {
	if o.Tree != nil {
		return describeTree(o.Name, t)
	}
	return describePlain(o.Name, t)
}

// plain converts two descriptions to maps, lists, strings and numbers, in which 1.0 equals 1 and
// different escapes of a character are equal.
func plain(a, b Output) (x, y map[string]any, err error) {
	for _, side := range []struct {
		from Output
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
