package onnxpb

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/protofield"
)

type field struct {
	protofield.Field
	offset int64 // offset of the value in the file
}

// fields calls visit for every field of a message. base is the message's offset in its file, for
// errors.
func fields(message []byte, base int64, visit func(field) error) error {
	for f, err := range protofield.All(message) {
		offset := base + int64(f.At)
		if err != nil {
			return fmt.Errorf("byte %d: %w", offset, err)
		}
		if err := visit(field{f, offset}); err != nil {
			return err
		}
	}
	return nil
}

// is verifies that the field has the wire type typ, which onnx.proto declares for it.
func (f field) is(typ protowire.Type) error { return f.located(f.Is(typ)) }

// numbers calls visit for each number in a repeated field, packed or not.
func (f field) numbers(typ protowire.Type, visit func(uint64)) error {
	for v, err := range f.Numbers(typ) {
		if err != nil {
			return f.located(err)
		}
		visit(v)
	}
	return nil
}

// located adds the field's offset to an error.
func (f field) located(err error) error {
	if err != nil {
		err = fmt.Errorf("byte %d: %w", f.offset, err)
	}
	return err
}
