//go:build linux && cgo

package trt

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/cuda"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// binding is an input or output of an engine together with its memory.
type binding struct {
	trtabi.Binding
	backend *backend
	elem    tensor.ElementType
	device  *cuda.Buffer
	host    trtabi.HostBuffer

	// The next fields are for an output whose size is unknown until the inference.
	allocator *trtabi.Callback
	shape     tensor.Shape // in the last inference; nil until known
}

// linear is the index of row-major order in trtabi.TensorFormats.
const linear = 0

func newBinding(b *backend, declared trtabi.Binding) (*binding, error) {
	elem, err := elementType(declared.Type)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", declared.Name, err)
	}
	if declared.Format != linear && elem.Bits() < 8 {
		return nil, fmt.Errorf("%q: %v elements in the format %s cannot be converted to row-major order",
			declared.Name, elem, declared.FormatText)
	}
	return &binding{Binding: declared, backend: b, elem: elem, device: b.device.NewBuffer()}, nil
}

// write copies an input to the engine.
func (b *binding) write(t *tensor.Tensor) error {
	if !b.OnHost || isDynamic(b.Shape) {
		ok, err := b.backend.context.SetInputShape(b.Name, t.Shape())
		if err != nil {
			return err
		}
		if !ok {
			return b.wrongShape(t.Shape())
		}
	}
	if b.OnHost {
		copy(b.host.Reserve(len(t.Bytes())), t.Bytes())
		return b.place(b.host.Address())
	}
	data := t.Bytes()
	if b.Format != linear {
		l := b.layout()
		size := b.elem.Bits() / 8
		data = make([]byte, l.elements(t.Shape())*size)
		l.scatter(data, t.Bytes(), t.Shape(), size)
	}
	if err := b.device.Write(data, b.backend.stream); err != nil {
		return err
	}
	return b.place(b.device.Address())
}

func (b *binding) place(address uintptr) error {
	if !b.backend.context.SetAddress(b.Name, address) {
		return fmt.Errorf("TensorRT rejects the address of the buffer")
	}
	return nil
}

// wrongShape returns the error for a shape that the current profile does not allow.
func (b *binding) wrongShape(shape tensor.Shape) error {
	e, p := b.backend.engine, b.backend.settings.Profile
	return fmt.Errorf("shape %v is outside optimization profile %d, which allows %v to %v; "+
		"change it with trt.Profile, or select a different profile with trt.ProfileIndex",
		shape, p, e.ProfileShape(b.Name, p, trtabi.Min), e.ProfileShape(b.Name, p, trtabi.Max))
}

// layout returns the memory layout for the current shapes.
func (b *binding) layout() layout {
	l := layout{strides: b.backend.context.Strides(b.Name), vector: b.Vector, width: 1}
	if b.Vector >= 0 {
		l.width = b.Components
	}
	return l
}

// reserve allocates memory for an output. If the size is not known yet, reserve sets an allocator,
// which TensorRT calls during the inference.
func (b *binding) reserve() error {
	shape := tensor.Shape(b.backend.context.Shape(b.Name))
	b.shape = nil
	switch {
	case b.OnHost:
		// The size is known, because a tensor that contains a shape has a fixed size.
		n, err := shape.Elements()
		if err != nil {
			return err
		}
		b.shape = shape
		b.host.Reserve(b.elem.Bytes(n))
		return b.place(b.host.Address())
	case isDynamic(shape):
		if b.allocator == nil {
			b.allocator = b.backend.library.Allocator(b)
		}
		if !b.backend.context.SetAllocator(b.Name, b.allocator) {
			return fmt.Errorf("TensorRT rejects the output allocator")
		}
		return nil
	}
	size, err := b.size(shape)
	if err != nil {
		return err
	}
	b.shape = shape
	if err := b.device.Reserve(size); err != nil {
		return err
	}
	return b.place(b.device.Address())
}

// size returns the number of bytes that a tensor of the given shape occupies in the engine's
// format.
func (b *binding) size(shape tensor.Shape) (int, error) {
	n, err := shape.Elements()
	if err == nil && b.Format != linear {
		n = b.layout().elements(shape)
	}
	return b.elem.Bytes(n), err
}

// TensorRT calls Reallocate and NotifyShape during the inference.
func (b *binding) Reallocate(_ string, size int) uintptr {
	if err := b.device.Reserve(size); err != nil {
		b.allocator.Fail(err)
		return 0
	}
	return b.device.Address()
}

func (b *binding) NotifyShape(_ string, shape []int) { b.shape = shape }

// read copies the output of the last inference.
func (b *binding) read() (*tensor.Tensor, error) {
	if b.shape == nil {
		return nil, fmt.Errorf("TensorRT did not report the output's shape")
	}
	size, err := b.size(b.shape)
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if b.OnHost {
		copy(data, b.host.Bytes(size))
	} else if err := b.backend.stream.ReadAt(data, b.device.Address()); err != nil {
		return nil, err
	}
	if b.Format != linear {
		n, _ := b.shape.Elements()
		packed := data
		data = make([]byte, b.elem.Bytes(n))
		b.layout().gather(data, packed, b.shape, b.elem.Bits()/8)
	}
	return tensor.FromBytes(b.elem, b.shape, data)
}

// Close frees the memory.
func (b *binding) Close() {
	b.device.Close()
	b.host.Close()
	b.allocator.Close()
}
