package matchers

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// side is one of the two runs that a matcher compares: the outputs of each iteration, and what
// made them.
type side struct {
	sets []*tensor.Set
	made backends.Provenance // zero for bare sets and tensors
	run  *backends.Run       // nil for bare sets and tensors
	bare bool                // a single tensor, which has no name of its own
}

// bareName is what a tensor is called that came without a set around it.
const bareName = "tensor"

// sideOf takes the values that matchers accept; an error is misuse.
func sideOf(value any) (side, error) {
	switch v := value.(type) {
	case *backends.Run:
		if v == nil {
			return side{}, fmt.Errorf("got a nil *backends.Run: a run that failed has no outputs")
		}
		return side{sets: v.Outputs(), made: v.Provenance, run: v}, nil
	case *tensor.Set:
		if v == nil {
			return side{}, fmt.Errorf("got a nil *tensor.Set")
		}
		return side{sets: []*tensor.Set{v}}, nil
	case []*tensor.Set:
		return side{sets: v}, nil
	case *tensor.Tensor:
		if !v.ElementType().Valid() {
			return side{}, fmt.Errorf("got a nil or zero *tensor.Tensor")
		}
		set, err := tensor.NewSet(tensor.Entry{Name: bareName, Tensor: v})
		return side{sets: []*tensor.Set{set}, bare: true}, err
	case nil:
		return side{}, fmt.Errorf("got nil, wanted %s", accepted)
	}
	return side{}, fmt.Errorf("got %T, wanted %s", value, accepted)
}

// accepted lists what sideOf takes.
const accepted = "a *backends.Run, a *tensor.Set, a []*tensor.Set or a *tensor.Tensor"

// named gives a bare tensor the name of the only output on the other side, so that a tensor can be
// compared with a run of one output. With several outputs the name is ambiguous.
func (s side) named(other side) (side, error) {
	if !s.bare || other.bare {
		return s, nil
	}
	if len(other.sets) != 1 || other.sets[0].Len() != 1 {
		return s, fmt.Errorf("got a *tensor.Tensor, which has no name to find it by among the outputs "+
			"%s (iterations: %d): take one output with HaveOutput, or put the tensor into a "+
			"*tensor.Set", names.List(outputNames(other)), len(other.sets))
	}
	t, _ := s.sets[0].Get(bareName)
	set, err := tensor.NewSet(tensor.Entry{Name: other.sets[0].At(0).Name, Tensor: t})
	return side{sets: []*tensor.Set{set}}, err
}

// outputNames lists the outputs of the first iteration.
func outputNames(s side) []string {
	if len(s.sets) == 0 {
		return nil
	}
	return valueNames(s.sets[0])
}

// String names the side by what made it, in the words of [backends.Provenance], with the model.
func (s side) String() string {
	if s.run == nil {
		if s.bare {
			return "a tensor"
		}
		return "a set of tensors"
	}
	text := s.made.String()
	if s.made.Model != "" {
		text += ", model " + s.made.Model
	}
	if s.made.ModelSHA256 != "" {
		text += ", sha256 " + abbreviated(s.made.ModelSHA256)
	}
	return text
}

// abbreviated is the first 12 digits of a checksum, as git shows them.
func abbreviated(sum string) string { return sum[:min(len(sum), 12)] }
