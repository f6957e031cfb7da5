// Package backendtest holds the specs that every engine must pass. Run them on your own engine:
//
//	func TestEngine(t *testing.T) {
//		backendtest.Test(t, acme.Engine(), backendtest.Types(tensor.Float32, tensor.Int64))
//	}
//
// or under Ginkgo, one spec each:
//
//	for _, spec := range backendtest.Specs(acme.Engine()) {
//		It(spec.Name, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
//	}
//
// The specs use their own ONNX models of one to three nodes. They check that an engine keeps the
// contract of [backends.Engine] and [backends.Backend]: the names, shapes, element types and order
// of outputs, cancellation, closing, concurrent use, errors, memory and repeated runs. They do not
// check numerical accuracy; package matchers and ONNX's conformance cases do that. For a starting
// point, example_test.go has a complete engine and its test.
package backendtest

import (
	"context"
	"slices"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// Spec checks one requirement for an engine.
type Spec struct {
	// Name describes the requirement: "gives the outputs that the model declares, by name and in
	// order".
	Name string

	check check
	of    subject
}

// check fails t if the engine of s does not meet a requirement.
type check func(ctx context.Context, t backends.T, s subject)

// opened returns a check that opens the model arithmetic() for the inputs subtraction(1, 1), calls
// f with the backend, and closes it.
func opened(f func(ctx context.Context, t backends.T, s subject, b backends.Backend)) check {
	return func(ctx context.Context, t backends.T, s subject) {
		b := open(ctx, t, s, arithmetic(), subtraction(1, 1))
		defer closed(t, b)
		f(ctx, t, s, b)
	}
}

// Run fails t if the engine does not meet the requirement. It skips t if the option [Except] names
// this spec.
func (s Spec) Run(ctx context.Context, t backends.T) {
	t.Helper()
	if reason, ok := s.of.exceptions[s.Name]; ok {
		t.Skipf("%v is exempt: %s", s.of.engine, reason)
		return
	}
	s.check(ctx, t, s.of)
}

// subject is the engine under test, with the options that describe it.
type subject struct {
	engine     backends.Engine
	types      []tensor.ElementType
	exceptions map[string]string
	loose      bool
	logs       bool
}

// Option tells the specs about a limit or a peculiarity of the engine.
type Option func(*subject)

// Types lists the element types that the engine supports; the default is every element type of
// ONNX. The engine must reject models of any other type with an error.
func Types(types ...tensor.ElementType) Option {
	return func(s *subject) { s.types = types }
}

// Except skips the named spec and reports the reason. [Specs] panics if no spec has that name,
// because the exception would have no effect.
func Except(name, reason string) Option {
	return func(s *subject) { s.exceptions[name] = reason }
}

// AnyModel is for an engine that does not read the model, such as a fake. The specs then do not
// check that it rejects invalid models, or inputs that contradict the model's declaration.
func AnyModel() Option { return func(s *subject) { s.loose = true } }

// LogsInErrors is for an engine that appends lines of its log to its errors. The specs then check
// only the first line of an error.
func LogsInErrors() Option { return func(s *subject) { s.logs = true } }

// Specs returns all specs for the engine.
func Specs(engine backends.Engine, options ...Option) []Spec {
	of := subject{engine: engine, types: tensor.ElementTypes(), exceptions: map[string]string{}}
	for _, o := range options {
		o(&of)
	}
	specs := slices.Concat(valueSpecs, outputSpecs, typeSpecs(of), lifeSpecs, contextSpecs,
		refusalSpecs(of), memorySpecs)
	for i := range specs {
		specs[i].of = of
	}
	for name := range of.exceptions {
		if !slices.ContainsFunc(specs, func(s Spec) bool { return s.Name == name }) {
			panic("backendtest: no spec is named " + name)
		}
	}
	return specs
}

// Test runs every spec as a subtest.
func Test(t *testing.T, engine backends.Engine, options ...Option) {
	for _, spec := range Specs(engine, options...) {
		t.Run(spec.Name, func(t *testing.T) { spec.Run(t.Context(), t) })
	}
}
