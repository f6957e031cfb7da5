package runfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/tensor"
)

// parseHead reads a file's header and compares it with the structure of the data. It returns nil if
// the file has no header. It rejects any key or value that modelparity would not have written,
// because renaming, emptying or duplicating a key by hand would disable a check.
func parseHead(results polygraphy.Results) (*Head, error) {
	if results.Head == nil {
		return nil, nil
	}
	h, err := decodeHead(results.Head)
	if err != nil {
		return nil, fmt.Errorf("the file header %q: %w", polygraphy.HeadKey, err)
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
		return nil, Protected("the file has format %d, but this modelparity reads up to %d: update "+
			"modelparity", version.Format, formatVersion)
	}
	if version.Format < formatVersion { // format 1 had no checksum of the file header
		return nil, fmt.Errorf("format %d: the file was edited by hand, or is too old to be verified",
			version.Format)
	}
	h := &Head{long: long}
	if err := json.Unmarshal(text, h); err != nil {
		return nil, err
	}
	if err := h.spelled(text); err != nil {
		return nil, err
	}
	if h.Kind != KindGolden && h.Kind != KindRun {
		return nil, fmt.Errorf("unknown kind %q", h.Kind)
	}
	unknown := slices.DeleteFunc(slices.Clone(h.Needs), func(name string) bool {
		return name == NeedsSidecar || name == needsSample || name == needsTree
	})
	if len(unknown) > 0 {
		return nil, Protected("the file needs %q, which this modelparity does not know: update "+
			"modelparity", unknown)
	}
	return h, h.laidOut()
}

// spelled returns an error for keys that modelparity would have spelled differently or omitted, and
// for duplicate keys. Go's JSON decoder ignores unknown keys, reads "SHA256" as "sha256", accepts
// null for any value, and uses the last of several values.
func (h *Head) spelled(text []byte) error {
	ours, err := json.Marshal(h)
	if err != nil {
		return err
	}
	known, err := decoded(ours)
	if err != nil {
		return err
	}
	return keysKnown("", jsonstream.NewDecoder(bytes.NewReader(text)), known)
}

// keysKnown returns an error if the value at the given path has a key that known lacks, or has a
// key twice. keysKnown reads the value as a stream, because a malicious file may contain a large
// value.
func keysKnown(at string, d *jsonstream.Decoder, known any) error {
	kind, err := d.Kind()
	switch {
	case err != nil:
		return err
	case kind == jsonstream.Array:
		known, _ := known.([]any)
		return d.Array(func(i int) error {
			if i >= len(known) {
				return fmt.Errorf("%s/%d is null: the file was edited by hand", at, i)
			}
			return keysKnown(fmt.Sprintf("%s/%d", at, i), d, known[i])
		})
	case kind != jsonstream.Object:
		return d.Skip()
	}
	fields, _ := known.(map[string]any)
	seen := map[string]bool{}
	return d.Object(func(key string) error {
		ours, ok := fields[key]
		switch {
		case seen[key]:
			return fmt.Errorf("%s/%s occurs twice: the file was edited by hand", at, key)
		case !ok:
			return fmt.Errorf("%s/%s is misspelled, empty or null: the file was edited by hand", at, key)
		}
		seen[key] = true
		return keysKnown(at+"/"+key, d, ours)
	})
}

// proves returns an error if the file header does not match its own checksum.
func (h *Head) proves() error {
	if h.Kind != KindGolden {
		return nil
	}
	sum, err := h.Sum()
	if err == nil && sum != h.SHA256 {
		err = fmt.Errorf("the file header (JSON key %q) has the sha256 %s, but its field \"sha256\" "+
			"is %q: the file was edited by hand", polygraphy.HeadKey, sum, h.SHA256)
	}
	return err
}

// matches compares the file header with Polygraphy's part of the file: runners, iterations and
// names.
func (h *Head) matches(results polygraphy.Results) error {
	if len(h.Runs) != len(results.Runners) {
		return fmt.Errorf("the file header describes %d runs, but the data has %d",
			len(h.Runs), len(results.Runners))
	}
	for i, run := range h.Runs {
		runner := results.Runners[i]
		if run.Name != runner.Name || len(run.Iterations) != len(runner.Iterations) {
			return fmt.Errorf("run %d: the file header describes %q with %d iterations, "+
				"but the data has %q with %d",
				i, run.Name, len(run.Iterations), runner.Name, len(runner.Iterations))
		}
		for k, outputs := range run.Iterations {
			data := runner.Iterations[k].Outputs
			outputs = inFile(outputs)
			if len(outputs) != len(data) {
				return fmt.Errorf("run %d, iteration %d: the file header describes %d outputs, "+
					"but the data has %d",
					i, k, len(outputs), len(data))
			}
			for j, output := range outputs {
				if output.Name != data[j].Name {
					return fmt.Errorf("run %d, iteration %d, output %d: the file header calls it %q, the data %q",
						i, k, j, output.Name, data[j].Name)
				}
			}
		}
	}
	return nil
}

// holds verifies that the data matches the file header. It compares the checksums before the
// statistics, because damaged data can change every statistic.
func (o Output) holds(t *tensor.Tensor, kind string) error {
	if o.Sample != nil {
		return o.Sample.holds(o, t)
	}
	if o.Type != t.ElementType() || !o.Shape.Equal(t.Shape()) {
		return fmt.Errorf("output %q: the file header says %v%v, but the data is %v%v",
			o.Name, o.Type, o.Shape, t.ElementType(), t.Shape())
	}
	if kind != KindGolden && o.Sum() == "" {
		return nil
	}
	if o.Sum() == "" {
		return fmt.Errorf("output %q: the file header lacks its sha256: the file was edited by hand",
			o.Name)
	}
	data := o.DescribedLike(t)
	data.Notes, data.Blob, data.Keys = o.Notes, o.Blob, o.Keys
	if o.Tree != nil {
		if err := o.Tree.differs(data.Tree, t.Size()); err != nil {
			return fmt.Errorf("output %q: %w", o.Name, err)
		}
	}
	if data.SHA256 != o.SHA256 {
		return fmt.Errorf("output %q: the data's sha256 is %s, but the file header says %s: "+
			"the file was damaged, or edited by hand", o.Name, data.SHA256, o.SHA256)
	}
	if reflect.DeepEqual(o, data) {
		return nil // the common case: same spelling
	}
	said, wrong := plain(o)
	given, err := plain(data)
	if err := cmp.Or(wrong, err); err != nil {
		return err
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(said)), maps.Keys(given))
	for _, key := range slices.Sorted(slices.Values(keys)) {
		was, _ := json.Marshal(said[key]) // what was decoded can be encoded
		is, _ := json.Marshal(given[key])
		if !bytes.Equal(was, is) {
			return fmt.Errorf("output %q: the file header says that %s is %s, but by the data it is %s: "+
				"the file header was edited by hand", o.Name, key, was, is)
		}
	}
	return nil
}

// DescribedLike describes t with the same kind of checksum as o has: a tree checksum or a plain
// SHA-256. In older files, even large outputs have a plain SHA-256.
func (o Output) DescribedLike(t *tensor.Tensor) Output {
	return describe(o.Name, t, o.Tree != nil)
}

// plain converts a description to the values that encoding/json decodes: maps, lists, strings and
// numbers. They are equal even if two files write the same number as 1 and 1.0.
func plain(o Output) (plain map[string]any, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return plain, json.Unmarshal(text, &plain)
}
