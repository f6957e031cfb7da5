package polygraphy

import (
	"fmt"
	"io"
	"slices"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

const classKey = "polygraphy_class"

// Named is an array in a file, with its name. Its element type may be unknown: bfloat16 and similar
// types are saved as raw bytes, and the file does not name the type.
type Named struct {
	Name   string
	Array  npy.Array
	Offset int64 // offset of the array in the file
}

// As returns the array as a tensor with the element type elem; see [npy.Array.As].
func (n Named) As(elem tensor.ElementType) (*tensor.Tensor, error) {
	t, err := n.Array.As(elem)
	if err != nil {
		return nil, fmt.Errorf("byte %d: tensor %q: %w", n.Offset, n.Name, err)
	}
	return t, nil
}

// file reads one JSON file. size is the length of the file, and therefore an upper limit for the
// size of an array.
type file struct {
	*jsonstream.Decoder
	size  int64
	spent *budget.Structure
	kept  *spill.Keeper // stores arrays of later iterations; nil if the caller does not keep arrays
	first bool          // whether this is the first iteration of its run
}

func newFile(r io.Reader, size int64) file {
	return file{Decoder: jsonstream.NewDecoder(r), size: size,
		spent: &budget.Structure{Streamed: true}}
}

// Estimates of how many bytes of memory the objects of a file take. They include the Go values that
// callers later make from these objects.
const (
	perArray     = 500
	perIteration = 400
	perSet       = 200
	perRunner    = 500
	perResult    = 300 // per comparison
)

// take counts n bytes of memory against the budget for the file's structure.
func (f file) take(n int) error {
	if err := f.spent.Take(n, f.Offset()); err != nil {
		return f.Errorf("%w", err)
	}
	return nil
}

// arrays reads an object that maps names to arrays, and returns the arrays in order.
func (f file) arrays() ([]Named, error) {
	var all []Named
	seen := map[string]bool{}
	err := f.Object(func(name string) error {
		if name == classKey {
			return f.Skip()
		}
		if seen[name] {
			return f.Errorf("duplicate tensor %q", name)
		}
		seen[name] = true
		offset := f.Offset()
		array, err := f.array()
		if err == nil && f.kept != nil {
			array = array.Keep(f.kept, f.first)
		}
		if err == nil {
			err = f.take(perArray + len(name))
		}
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		all = append(all, Named{Name: name, Array: array, Offset: offset})
		return nil
	})
	return all, err
}

// tuple reads a list by calling the functions in elements, each of which reads one element. form
// says what the list must be, for errors.
func (f file) tuple(form string, elements ...func() error) error {
	n := 0
	err := f.Array(func(i int) error {
		if n++; i == len(elements) {
			return f.Errorf("%s, but it has more elements", form)
		}
		return elements[i]()
	})
	if err == nil && n < len(elements) {
		err = f.Errorf("%s, but elements are missing", form)
	}
	return err
}

// array reads one array: {"array": …}, or {"values": {"array": …}} for a lazy array.
func (f file) array() (npy.Array, error) {
	var array npy.Array
	found := false
	err := f.Object(func(key string) (err error) {
		switch {
		case key == "array" || key == "values":
			if found {
				return f.Errorf(`expected one key "array" or "values" in an object, got a second: %q`, key)
			}
			found = true
			if key == "values" {
				array, err = f.array()
			} else {
				array, err = f.content()
			}
			return err
		case key == "tensor":
			return f.Errorf("a PyTorch tensor, which only PyTorch can read: save it as a NumPy array")
		case key == classKey:
			return f.class("ndarray", "LazyArray", "LazyNumpyArray")
		}
		return f.Skip() // a future key
	})
	if err == nil && !found {
		err = f.Errorf(`expected an array, got an object without the key "array"`)
	}
	return array, err
}

// class reads the class of an object. It returns an error if the class is not in known.
func (f file) class(known ...string) error {
	class, err := f.String()
	if err == nil && !slices.Contains(known, class) {
		err = f.Errorf("an object has the class %.64q, expected %s", class, known[0])
	}
	return err
}

// content reads the text of an array: an .npy file in base64. Polygraphy 0.27 to 0.29 saved .npz
// archives instead, some of them as Latin-1 characters.
func (f file) content() (npy.Array, error) {
	text, err := f.Text()
	if err != nil {
		return npy.Array{}, err
	}
	start := text.Offset()
	if text.Peek("PK") || text.Peek("UEsD") {
		return npy.Array{}, f.Errorf("expected an .npy array, got an .npz archive, which Polygraphy " +
			"0.27 to 0.29 wrote: save the file again with a later version of Polygraphy")
	}
	limit := max(0, (f.size-start)/4*3)
	array, err := npy.ReadKeeping(jsonstream.NewBase64(text), limit, f.kept)
	if err != nil {
		return npy.Array{}, fmt.Errorf("array at byte %d: %w", start, err)
	}
	return array, nil
}
