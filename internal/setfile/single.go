package setfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// wait adds the value in a single-tensor file to the pending iteration. If the iteration already
// has a value with that name, the value starts the next iteration.
func (r *reader) wait(path string) error {
	value, err := valueIn(path)
	if err != nil {
		return located.In(path, err)
	}
	if slices.ContainsFunc(r.single, func(o one) bool {
		return o.made == value.made || o.name != "" && o.name == value.name
	}) {
		err = r.flush()
	}
	r.single = append(r.single, value)
	return err
}

// arrayIn reads an .npy file. The data of a large file is not kept in memory.
func arrayIn(path string) (array npy.Array, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return array, err
	}
	defer f.Close() //nolint:errcheck // the file was only read
	info, err := f.Stat()
	if err != nil {
		return array, err
	}
	return npy.ReadKeeping(f, info.Size(), new(spill.Keeper))
}

// valueIn returns the value in a single-tensor file, named after the file. The value is converted
// later, when its declaration is known.
func valueIn(path string) (one, error) {
	base := filepath.Base(path)
	value := one{path: path, made: strings.TrimSuffix(base, filepath.Ext(base))}
	if strings.EqualFold(filepath.Ext(path), ".npy") {
		array, err := arrayIn(path)
		value.load = func(d Declared) ([]tensor.Entry, error) {
			t, err := array.Tensor()
			if err != nil && d.Type.Valid() {
				t, err = array.As(d.Type)
			}
			return []tensor.Entry{{Name: d.Name, Tensor: t}}, err
		}
		return value, err
	}
	data, err := regular.Read(path)
	if err != nil {
		return one{}, err
	}
	if strings.EqualFold(filepath.Ext(path), ".pb") {
		if name, _, err := onnxpb.Tensor(data); err == nil {
			value.name = name
		}
		value.load = func(d Declared) ([]tensor.Entry, error) {
			return onnxpb.Decode(data, d.Kind, d.Name)
		}
	} else {
		value.load = func(d Declared) ([]tensor.Entry, error) {
			t, err := d.raw(data)
			return []tensor.Entry{{Name: d.Name, Tensor: t}}, err
		}
	}
	return value, nil
}

// raw decodes a file that has no type and shape. If one dimension is dynamic, the file's length
// determines its size.
func (d Declared) raw(data []byte) (*tensor.Tensor, error) {
	if !d.Type.Valid() || d.Type == tensor.String || d.Shape == nil {
		return nil, errors.New("a raw file does not record its type and shape: load it as an input " +
			"of a model that declares both, or save it as .npy")
	}
	shape, dynamic := slices.Clone(d.Shape), -1
	for axis, dim := range shape {
		if dim >= 0 {
			continue
		}
		if dynamic >= 0 {
			return nil, fmt.Errorf("%q has more than one dynamic dimension (%v), so a raw file does "+
				"not determine its shape", d.Name, d.Shape)
		}
		dynamic, shape[axis] = axis, 1
	}
	fixed, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if dynamic >= 0 {
		row := d.Type.Bytes(fixed)
		if row == 0 || len(data)%row != 0 {
			return nil, fmt.Errorf("%d bytes are not a multiple of %d, the size of a row of %v%v",
				len(data), row, d.Type, d.Shape)
		}
		shape[dynamic] = len(data) / row
	}
	return tensor.FromBytes(d.Type, shape, data)
}

// flush yields the iteration that the pending single-tensor files form.
func (r *reader) flush() error {
	waiting := r.single
	r.single = nil
	if len(waiting) == 0 {
		return nil
	}
	var entries []tensor.Entry
	unnamed := false
	for i, value := range waiting {
		declared, named := r.options.identify(value, i)
		unnamed = unnamed || !named
		more, err := value.load(declared)
		if err != nil {
			return located.In(value.path, err)
		}
		entries = append(entries, more...)
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		return located.In(waiting[0].path, err)
	}
	return r.give(Iteration{Set: set, Unnamed: unnamed})
}

// identify returns the model's declaration of value, the i-th value of an iteration. It looks for a
// declaration with the name value.name, then for a declaration with the name value.made. If there
// is neither, it returns the i-th declaration. If the model has no i-th declaration, identify
// returns a declaration that contains only a name: value.name or, if value.name is empty,
// value.made. In that last case, named is false.
func (o Options) identify(value one, i int) (declared Declared, named bool) {
	for _, name := range []string{value.name, value.made} {
		for _, d := range o.Declared {
			if name != "" && d.Name == name {
				return d, true
			}
		}
	}
	switch {
	case i < len(o.Declared):
		return o.Declared[i], true
	case value.name != "":
		return Declared{Name: value.name}, true
	}
	return Declared{Name: value.made}, false
}
