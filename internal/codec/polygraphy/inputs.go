package polygraphy

import (
	"fmt"
	"io"
	"iter"

	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/tensor"
)

// Inputs iterates over the input sets in r, one per iteration. It reads each set only when the
// caller asks for it. The document is a list of iterations, or a single iteration, as in the files
// of Polygraphy's directory form. After an error, Inputs stops. size is the length of r in bytes,
// which limits allocations.
func Inputs(r io.Reader, size int64) iter.Seq2[*tensor.Set, error] {
	f := newFile(r, size)
	return func(yield func(*tensor.Set, error) bool) {
		err := f.inputs(func(set *tensor.Set) error {
			if !yield(set, nil) {
				return errSeen
			}
			return nil
		})
		if err != nil && err != errSeen {
			yield(nil, err)
		}
	}
}

func (f file) inputs(give func(*tensor.Set) error) error {
	kind, err := f.Kind()
	if err != nil {
		return err
	}
	if kind == jsonstream.Array {
		err = f.Decoder.Array(func(i int) error {
			set, err := f.set()
			if err != nil {
				return fmt.Errorf("iteration %d: %w", i, err)
			}
			return give(set)
		})
	} else {
		var set *tensor.Set
		if set, err = f.set(); err != nil { // often a file of outputs, which is an object too
			return fmt.Errorf("%w (inputs must be an object that maps names to arrays, or a list "+
				"of such objects, not a file of saved outputs)", err)
		}
		err = give(set)
	}
	if err != nil {
		return err
	}
	return f.End()
}

// set reads one iteration.
func (f file) set() (*tensor.Set, error) {
	arrays, err := f.arrays()
	if err == nil {
		err = f.take(perSet) // because some callers keep all sets
	}
	if err != nil {
		return nil, err
	}
	return Set(arrays)
}

// Set combines the arrays into a set. It returns an error if an array was saved without its element
// type.
func Set(arrays []Named) (*tensor.Set, error) {
	entries := make([]tensor.Entry, len(arrays))
	for i, n := range arrays {
		t, err := n.As(tensor.Invalid)
		if err != nil {
			return nil, err
		}
		entries[i] = tensor.Entry{Name: n.Name, Tensor: t}
	}
	return tensor.NewSet(entries...)
}
