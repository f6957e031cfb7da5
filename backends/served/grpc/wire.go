package grpc

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/internal/protofield"
	"github.com/modelparity/modelparity/tensor"
)

// Field numbers in the protocol's messages.
const (
	requestModel, requestVersion, requestInputs, requestRaw = 1, 2, 5, 7
	answerVersion, answerOutputs, answerRaw                 = 2, 5, 6
	tensorName, tensorType, tensorShape, tensorContents     = 1, 2, 3, 5
	serverName, serverVersion                               = 1, 2
	modelPlatform, modelInputs                              = 3, 4
)

func appendText(b []byte, n protowire.Number, text string) []byte {
	if text == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), text)
}

func appendBytes(b []byte, n protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), data)
}

func modelRequest(name, version string) []byte {
	return appendText(appendText(nil, requestModel, name), requestVersion, version)
}

// inferRequest encodes an inference request with its tensors as raw bytes.
func inferRequest(model, version string, inputs *tensor.Set) ([]byte, error) {
	request := modelRequest(model, version)
	var raw []byte
	for name, t := range inputs.All() {
		datatype, err := oip.Datatype(t.ElementType())
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", name, err)
		}
		in := appendText(appendText(nil, tensorName, name), tensorType, datatype)
		if len(t.Shape()) > 0 {
			var shape []byte
			for _, d := range t.Shape() {
				shape = protowire.AppendVarint(shape, uint64(d))
			}
			in = appendBytes(in, tensorShape, shape)
		}
		request = appendBytes(request, requestInputs, in)
		raw = appendBytes(raw, requestRaw, oip.Raw(t))
		if len(request)+len(raw) > largest {
			return nil, fmt.Errorf("the inputs exceed the 2 GiB of a gRPC message; use HTTP")
		}
	}
	return append(request, raw...), nil
}

// fields passes each field of a message to the function take.
func fields(message []byte, take func(protofield.Field) error) error {
	for f, err := range protofield.All(message) {
		if err != nil {
			return oip.Broken("%w", err)
		}
		if err := take(f); err != nil {
			return err
		}
	}
	return nil
}

// numbers appends the values of a repeated numeric field to list. The field may be packed.
func numbers(list []uint64, f protofield.Field, kind protowire.Type) ([]uint64, error) {
	for v, err := range f.Numbers(kind) {
		if err != nil {
			return list, oip.Broken("%w", err)
		}
		list = append(list, v)
	}
	return list, nil
}

func isReady(message []byte) (ready bool) {
	err := fields(message, func(f protofield.Field) error {
		ready = ready || f.Number == 1 && f.Value != 0
		return nil
	})
	return ready && err == nil
}

func readServer(message []byte, d *oip.Description) error {
	return fields(message, func(f protofield.Field) error {
		switch f.Number {
		case serverName:
			d.Server = string(f.Bytes)
		case serverVersion:
			d.ServerVersion = string(f.Bytes)
		}
		return nil
	})
}

func readModel(message []byte, d *oip.Description) error {
	return fields(message, func(f protofield.Field) error {
		switch f.Number {
		case modelPlatform:
			d.Platform = string(f.Bytes)
		case modelInputs:
			v, _, err := readTensor(f.Bytes)
			d.Inputs = append(d.Inputs, v)
			return err
		}
		return nil
	})
}

// readTensor decodes a tensor's name, type and shape, and its contents unless they are sent as raw
// bytes.
func readTensor(message []byte) (v oip.Value, contents []byte, err error) {
	v.Shape = []int64{}
	err = fields(message, func(f protofield.Field) error {
		switch f.Number {
		case tensorName:
			v.Name = string(f.Bytes)
		case tensorType:
			v.Datatype = string(f.Bytes)
		case tensorShape:
			list, err := numbers(nil, f, protowire.VarintType)
			for _, d := range list {
				v.Shape = append(v.Shape, int64(d))
			}
			return err
		case tensorContents:
			contents = append(contents, f.Bytes...)
		}
		return nil
	})
	return v, contents, err
}

// readAnswer decodes the answer to an inference request.
func readAnswer(message []byte) (oip.Answer, error) {
	var answer oip.Answer
	var outputs []oip.Value
	var contents, raw [][]byte
	err := fields(message, func(f protofield.Field) error {
		switch f.Number {
		case answerVersion:
			answer.Version = string(f.Bytes)
		case answerOutputs:
			v, c, err := readTensor(f.Bytes)
			outputs, contents = append(outputs, v), append(contents, c)
			return err
		case answerRaw:
			raw = append(raw, f.Bytes)
		}
		return nil
	})
	if err != nil {
		return answer, err
	}
	if len(raw) > 0 && len(raw) != len(outputs) {
		return answer, oip.Broken("it declares %d outputs, but has data for "+
			"%d", len(outputs), len(raw))
	}
	entries := make([]tensor.Entry, len(outputs))
	for i, v := range outputs {
		var t *tensor.Tensor
		if len(raw) > 0 {
			t, err = oip.FromRaw(v.Datatype, v.Shape, raw[i])
		} else {
			t, err = fromContents(v, contents[i])
		}
		if err != nil {
			return answer, fmt.Errorf("output %.40q: %w", v.Name, err)
		}
		entries[i] = tensor.Entry{Name: v.Name, Tensor: t}
	}
	if answer.Outputs, err = tensor.NewSet(entries...); err != nil {
		return answer, oip.Broken("%w", err)
	}
	return answer, nil
}

// contentsOf maps each element type to the field that contains its values. Types of 32 bits and
// less share a field.
var contentsOf = map[tensor.ElementType]struct {
	number protowire.Number
	kind   protowire.Type
}{
	tensor.Bool: {1, protowire.VarintType},
	tensor.Int8: {2, protowire.VarintType}, tensor.Int16: {2, protowire.VarintType},
	tensor.Int32: {2, protowire.VarintType}, tensor.Int64: {3, protowire.VarintType},
	tensor.Uint8: {4, protowire.VarintType}, tensor.Uint16: {4, protowire.VarintType},
	tensor.Uint32: {4, protowire.VarintType}, tensor.Uint64: {5, protowire.VarintType},
	tensor.Float32: {6, protowire.Fixed32Type}, tensor.Float64: {7, protowire.Fixed64Type},
	tensor.String: {8, protowire.BytesType},
}

// fromContents decodes a tensor whose elements are in the message as a list of numbers or strings.
func fromContents(v oip.Value, contents []byte) (*tensor.Tensor, error) {
	elem := oip.ElementType(v.Datatype)
	of, ok := contentsOf[elem]
	if !ok {
		return nil, oip.Broken("datatype %.40q cannot be sent as typed contents", v.Datatype)
	}
	var list []uint64
	var raw []byte // the strings in the protocol's raw form
	err := fields(contents, func(f protofield.Field) (err error) {
		switch {
		case f.Number != of.number:
			return oip.Broken("field %d cannot contain elements of type %s", f.Number, v.Datatype)
		case of.kind != protowire.BytesType:
			list, err = numbers(list, f, of.kind)
		case len(f.Bytes) > math.MaxUint32:
			return oip.Broken("a string of %d bytes", len(f.Bytes))
		default:
			raw = protowire.AppendFixed32(raw, uint32(len(f.Bytes)))
			raw = append(raw, f.Bytes...)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, n := range list {
		if !fits(elem, n) {
			return nil, oip.Broken("element %d is %d, which is outside the range of %v", i, int64(n), elem)
		}
		raw = binary.LittleEndian.AppendUint64(raw, n)[:len(raw)+elem.Bytes(1)]
	}
	return oip.FromRaw(v.Datatype, v.Shape, raw)
}

// fits reports whether n is a value of the element type. Signed integers are sign-extended.
func fits(elem tensor.ElementType, n uint64) bool {
	unused := 64 - elem.Bits()
	switch {
	case elem == tensor.Bool:
		return n <= 1
	case elem.IsSigned():
		return int64(n)<<unused>>unused == int64(n)
	case elem.IsInteger():
		return n<<unused>>unused == n
	}
	return true
}
