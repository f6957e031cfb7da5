package onnxwire

import (
	"cmp"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// initializer appends the TensorProto or SparseTensorProto in f.
func (s *scanner) initializer(list []Tensor, f field) ([]Tensor, error) {
	read := s.tensor
	if f.number == graphSparseInitializer {
		read = s.sparse
	}
	t, err := read(f)
	if err != nil {
		return nil, err
	}
	return add(s.reader, list, f, t)
}

// Field numbers of TensorProto.
const (
	tensorDims         protowire.Number = 1
	tensorType         protowire.Number = 2
	tensorName         protowire.Number = 8
	tensorRawData      protowire.Number = 9
	tensorExternalData protowire.Number = 13
	tensorDataLocation protowire.Number = 14
)

// once records which fields a message already has, for fields that may occur only once.
type once uint64

// meet returns an error if a field occurs a second time. Parsers merge repeated messages, but
// disagree on which value of a repeated number they keep. An engine could therefore open a file
// that the scan did not record.
func (o *once) meet(f field, what string) error {
	bit := once(1) << f.number
	if *o&bit != 0 {
		return &SyntaxError{f.offset, "duplicate: " + what}
	}
	*o |= bit
	return nil
}

// tensor reads a TensorProto, and records its external data in the model.
func (s *scanner) tensor(f field) (Tensor, error) {
	span, err := f.message("a tensor")
	if err != nil {
		return Tensor{}, err
	}
	t := Tensor{Span: span}
	external := External{Length: -1, At: f.offset, Span: span}
	var met once
	var keys map[string]bool
	err = s.fields(span, func(f field) (err error) {
		switch f.number {
		case tensorDims:
			t.Dims, err = s.integers(t.Dims, f, "a tensor's dims")
		case tensorType:
			var v int64
			v, err = f.integer("a tensor's data type")
			t.Type = int32(v)
		case tensorName:
			t.Name, err = s.text(f, "a tensor's name")
		case tensorRawData:
			t.Data, err = f.message("a tensor's raw data")
		case tensorExternalData:
			if keys == nil {
				keys = map[string]bool{}
			}
			err = s.externalData(&external, keys, f)
		case tensorDataLocation:
			t.External, err = f.external()
			err = cmp.Or(err, met.meet(f, "a tensor's data location"))
		}
		return err
	})
	if err == nil && keys != nil && !t.External {
		err = &SyntaxError{f.offset, fmt.Sprintf("tensor %q has external_data, but its data location "+
			"is not EXTERNAL; clear its external_data", t.Name)}
	}
	if err != nil || !t.External || s.shallow {
		return t, err
	}
	external.Tensor = t.Name
	s.model.External = append(s.model.External, external)
	// For a tensor inside a node, nothing else is kept.
	s.kept += int64(size[External]() + len(external.Location) + 2*len(external.Tensor))
	return t, s.charge(f.offset, 0)
}

// external reports whether a tensor's data location is EXTERNAL. Parsers either ignore an unknown
// value or truncate it to 32 bits, so any value other than 0 and 1 is an error.
func (f field) external() (bool, error) {
	v, err := f.integer("a tensor's data location")
	if err == nil && v != 0 && v != ExternalLocation {
		err = &SyntaxError{f.offset, fmt.Sprintf("a tensor's data location is %d, expected 0 or 1", v)}
	}
	return v == ExternalLocation, err
}

// externalData reads one key-value pair that describes a tensor's external data. keys holds the
// keys that it has already read for the tensor.
func (s *scanner) externalData(e *External, keys map[string]bool, f field) error {
	var key, value string
	err := s.inside(f, "a tensor's external data", func(f field) (err error) {
		switch f.number {
		case 1:
			key, err = s.text(f, "the key of external data")
		case 2:
			value, err = s.text(f, "the value of external data")
		}
		return err
	})
	if err != nil {
		return err
	}
	switch key {
	case "location":
		e.Location = value
	case "offset", "length":
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil || number < 0 {
			return &SyntaxError{f.offset, fmt.Sprintf("external data has an invalid %s %q", key, value)}
		}
		if key == "offset" {
			e.Offset = number
		} else {
			e.Length = number
		}
	default:
		return nil
	}
	if keys[key] { // engines disagree about which one counts
		return &SyntaxError{f.offset, fmt.Sprintf("external data has a second %s", key)}
	}
	keys[key] = true
	return nil
}

// sparse reads a SparseTensorProto. The tensor gets the name and type of its values.
func (s *scanner) sparse(f field) (Tensor, error) {
	span, err := f.message("a sparse tensor")
	if err != nil {
		return Tensor{}, err
	}
	var t Tensor
	var dims []int64
	var met once
	err = s.fields(span, func(f field) (err error) {
		switch f.number {
		case 1:
			if err = met.meet(f, "a sparse tensor's values"); err == nil {
				t, err = s.tensor(f)
			}
		case 2:
			if err = met.meet(f, "a sparse tensor's indices"); err == nil {
				_, err = s.tensor(f)
			}
		case 3:
			dims, err = s.integers(dims, f, "a sparse tensor's dims")
		}
		return err
	})
	t.Dims, t.Sparse, t.Span, t.Data = dims, true, span, Span{}
	return t, err
}
