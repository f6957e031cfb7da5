package onnxwire

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// initializer reads the TensorProto or SparseTensorProto in f.
func (r *Reader) initializer(f Field) Tensor {
	r.charge(f.Whole.Start, size[Tensor]())
	if f.Number == GraphSparseInitializer {
		return r.sparse(f)
	}
	return r.tensor(f)
}

// once records which fields a message already has, for fields that may occur only once.
type once uint64

// meet fails if a field occurs a second time. Parsers merge repeated messages, but disagree on
// which value of a repeated number they keep. An engine could therefore open a different data file
// than the one that the scan recorded.
func (r *Reader) meet(met *once, f Field, what string) {
	bit := once(1) << f.Number
	if *met&bit != 0 {
		r.wrong(f.Whole.Start, "duplicate: %s", what)
	}
	*met |= bit
}

// Tensor reads the structure of the TensorProto at span, but not its data.
func (r *Reader) Tensor(span Span) Tensor {
	return r.tensor(Field{Body: span, Whole: span, kind: protowire.BytesType})
}

// tensor reads a TensorProto, and records its external data.
func (r *Reader) tensor(f Field) Tensor {
	t := Tensor{Span: f.Body}
	external := External{Length: -1, At: f.Whole.Start, Span: f.Body}
	var met once
	var keys map[string]bool
	for f := range r.inside(f, "a tensor") {
		switch f.Number {
		case TensorDims:
			t.Dims = r.integers(t.Dims, f, "a tensor's dims")
		case TensorType:
			t.Type = int32(r.integer(f, "a tensor's data type"))
		case TensorName:
			t.Name = r.text(f, "a tensor's name")
		case TensorRawData:
			r.wants(f, protowire.BytesType, "a tensor's raw data")
			t.Data = f.Body
		case TensorExternalData:
			if keys == nil {
				keys = map[string]bool{}
			}
			r.externalData(&external, keys, f)
		case TensorDataLocation:
			// Parsers either ignore an unknown value or truncate it to 32 bits.
			v := r.integer(f, "a tensor's data location")
			if v != 0 && v != ExternalLocation {
				r.wrong(f.Whole.Start, "a tensor's data location is %d, expected 0 or 1", v)
			}
			t.External = v == ExternalLocation
			r.meet(&met, f, "a tensor's data location")
		}
	}
	if keys != nil && !t.External {
		r.wrong(f.Whole.Start, "tensor %q has external_data, but its data location is not EXTERNAL; "+
			"clear its external_data", t.Name)
	}
	if t.External && !r.shallow {
		external.Tensor = t.Name
		r.external = append(r.external, external)
		// The list of external data stays in memory even if the tensor is in a node, for which keep
		// restores the budget. Its size is therefore counted separately.
		r.kept += int64(size[External]() + len(external.Location) + 2*len(external.Tensor))
		r.charge(f.Whole.Start, 0)
	}
	return t
}

// externalData reads one key-value pair that describes a tensor's external data. keys contains the
// tensor's keys that were read before.
func (r *Reader) externalData(e *External, keys map[string]bool, f Field) {
	var key, value string
	for f := range r.inside(f, "a tensor's external data") {
		switch f.Number {
		case 1:
			key = r.text(f, "a key in the description of external data")
		case 2:
			value = r.text(f, "a value in the description of external data")
		}
	}
	switch key {
	case "location":
		e.Location = value
	case "offset", "length":
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil || number < 0 {
			r.wrong(f.Whole.Start, "external data has an invalid %s %q", key, value)
		}
		if key == "offset" {
			e.Offset = number
		} else {
			e.Length = number
		}
	default:
		return
	}
	if keys[key] { // engines disagree about which one counts
		r.wrong(f.Whole.Start, "external data has more than one %s", key)
	}
	keys[key] = true
}

// sparse reads a SparseTensorProto. The tensor gets the name and type of its values.
func (r *Reader) sparse(f Field) (t Tensor) {
	var dims []int64
	var met once
	for f := range r.inside(f, "a sparse tensor") {
		switch f.Number {
		case 1:
			r.meet(&met, f, "a sparse tensor's values")
			t = r.tensor(f)
		case 2:
			r.meet(&met, f, "a sparse tensor's indices")
			r.tensor(f)
		case 3:
			dims = r.integers(dims, f, "a sparse tensor's dims")
		}
	}
	t.Dims, t.Sparse, t.Span, t.Data = dims, true, f.Body, Span{}
	return t
}
