package backendtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// must stops the spec if err is not nil. The message names the operation.
func must(t backends.T, operation string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
}

// open opens the engine for a model and its inputs, and fails t on an error.
func open(ctx context.Context, t backends.T, s subject, model *loaders.Model,
	inputs fixtures.Inputs) backends.Backend {
	t.Helper()
	b, err := s.engine.Open(ctx, model, inputs)
	must(t, "opening "+model.Name(), err)
	return b
}

// run runs a backend over one iteration and returns the outputs.
func run(ctx context.Context, t backends.T, b backends.Backend,
	inputs fixtures.Inputs) *tensor.Set {
	t.Helper()
	result, err := b.Run(ctx, inputs)
	must(t, "running", err)
	if result.Len() != 1 {
		t.Fatalf("%d iterations, expected 1", result.Len())
	}
	return result.Outputs()[0]
}

func closed(t backends.T, b backends.Backend) {
	t.Helper()
	must(t, "closing", b.Close())
}

// feed returns inputs with one iteration. It takes the same arguments as the function [set].
func feed(pairs ...any) fixtures.Inputs { return fixtures.Of(set(pairs...)) }

// set returns a set of tensors. Its arguments alternate names and tensors; the names must be
// unique.
func set(pairs ...any) *tensor.Set {
	var entries []tensor.Entry
	for i := 0; i < len(pairs); i += 2 {
		entries = append(entries, tensor.Entry{Name: pairs[i].(string),
			Tensor: pairs[i+1].(*tensor.Tensor)})
	}
	return made(tensor.NewSet(entries...))
}

// made returns v, or panics if err is not nil. An error would be a bug in the specs, because their
// own tensors are valid.
func made[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// rows returns a float32[n,3] tensor with the elements start, start + 1, start + 2 and so on.
func rows(n int, start float32) *tensor.Tensor {
	values := make([]float32, 3*n)
	for i := range values {
		values[i] = start + float32(i)
	}
	return made(tensor.New(tensor.Shape{n, 3}, values))
}

// subtraction returns inputs for the model arithmetic(). Both tensors have n rows, and
// every element of minuend − subtrahend equals difference.
func subtraction(n int, difference float32) fixtures.Inputs {
	return feed("minuend", rows(n, 10+difference), "subtrahend", rows(n, 10))
}

// expectOutputs fails t unless got contains exactly the given tensors, in the given order. pairs is
// a name, its tensor, the next name, its tensor, and so on.
func expectOutputs(t backends.T, got *tensor.Set, pairs ...any) {
	t.Helper()
	want := set(pairs...)
	if !slices.Equal(got.Names(), want.Names()) {
		t.Fatalf("outputs %v, expected %v, in that order", got.Names(), want.Names())
	}
	for name, w := range want.All() {
		g, _ := got.Get(name)
		if why := differ(g, w); why != "" {
			t.Fatalf("output %s: %s", name, why)
		}
	}
}

// differ describes how two tensors differ. It returns "" if they are bitwise equal.
func differ(got, want *tensor.Tensor) string {
	switch {
	case got.ElementType() != want.ElementType():
		return fmt.Sprintf("%v, expected %v", got.ElementType(), want.ElementType())
	case !got.Shape().Equal(want.Shape()):
		return fmt.Sprintf("shape %v, expected %v", got.Shape(), want.Shape())
	case !got.Identical(want):
		return fmt.Sprintf("%v, expected %v", got, want)
	}
	return ""
}

// filled returns a float32[n,3] tensor whose elements all equal difference: an expected output of
// the model arithmetic().
func filled(n int, difference float32) *tensor.Tensor {
	return made(tensor.New(tensor.Shape{n, 3}, slices.Repeat([]float32{difference}, 3*n)))
}

// differences returns the expected outputs of the model arithmetic() for the inputs
// subtraction(n, difference). The result alternates names and tensors.
func differences(n int, difference float32) []any {
	return []any{"opposite", filled(n, -difference), "difference", filled(n, difference)}
}

// oneLine fails t unless err is one line that contains all the given names. With [LogsInErrors],
// log lines may follow it.
func (s subject) oneLine(t backends.T, err error, names ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error")
	}
	first, _, more := strings.Cut(err.Error(), "\n")
	if more && !s.logs {
		t.Fatalf("expected an error of one line, got %v", err)
	}
	for _, name := range names {
		if !strings.Contains(first, name) {
			t.Fatalf("expected an error that names %s, got %v", name, err)
		}
	}
}
