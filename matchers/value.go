package matchers

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// side is one of the two runs that a matcher compares: the outputs of each iteration, and the run
// that produced them.
type side struct {
	sets []*tensor.Set
	made backends.Provenance // zero for bare sets and tensors
	run  *backends.Run       // nil for bare sets and tensors
	bare bool                // whether the value was a single tensor, which has no name of its own
}

// bareName is the name given to a tensor that was passed without a set.
const bareName = "tensor"

// sideOf converts a value that matchers accept to a side. Any other value is an error.
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

// repeatable returns a run that can be repeated, with its context. Any other value is an error.
func repeatable(value any) (*backends.Run, context.Context, error) {
	run, ok := value.(*backends.Run)
	if !ok || run == nil {
		return nil, nil, fmt.Errorf("got %T, wanted a *backends.Run of an engine", value)
	}
	err := run.Subject().Repeatable()
	var ctx context.Context
	if err == nil {
		ctx, err = backends.ContextOf(run)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the actual run: %w", err)
	}
	return run, ctx, nil
}

// accepted lists the types that sideOf accepts.
const accepted = "a *backends.Run, a *tensor.Set, a []*tensor.Set or a *tensor.Tensor"

// named lets a bare tensor be compared with a run that has a single output: it gives the tensor
// that output's name. It returns an error if the other side has several outputs.
func (s side) named(other side) (side, error) {
	if !s.bare || other.bare {
		return s, nil
	}
	if len(other.sets) != 1 || other.sets[0].Len() != 1 {
		return s, fmt.Errorf("got a single *tensor.Tensor, but the other side has the outputs %s in %s",
			names.List(outputNames(other)), figures.Plural(len(other.sets), "iteration"))
	}
	t, _ := s.sets[0].Get(bareName)
	set, err := tensor.NewSet(tensor.Entry{Name: other.sets[0].At(0).Name, Tensor: t})
	return side{sets: []*tensor.Set{set}}, err
}

// outputNames lists the names of the outputs in the first iteration.
func outputNames(s side) []string {
	if len(s.sets) == 0 {
		return nil
	}
	return sets.Names(s.sets[0])
}

// String describes the side by its model and its provenance.
func (s side) String() string {
	if s.run == nil {
		if s.bare {
			return "a tensor"
		}
		return "a set of tensors"
	}
	return describeRun(s.made)
}

func describeRun(made backends.Provenance) string {
	text := made.String()
	if made.Model != "" {
		text += ", model " + made.Model
	}
	if made.ModelSHA256 != "" {
		text += ", sha256 " + made.ModelSHA256[:min(len(made.ModelSHA256), 12)]
	}
	return names.Line(text)
}
