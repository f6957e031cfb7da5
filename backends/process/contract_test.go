package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// originals is a framework as an engine for the ONNX models of backendtest: for each it runs the
// file that contract_FRAMEWORK.py made of the same name, or any.ENDING, which computes all of them.
type originals struct{ *kindOfFile }

// kindOfFile is where they are, and what runs them.
type kindOfFile struct {
	framework, kind, ending string
	program                 process.Option
	types                   []tensor.ElementType
	folder                  *string // of all kinds, once they are made
	shared                  *programs
}

// programs are those that specs share, by the model: one start of a framework serves many specs.
// They are nil for the specs of opening and closing.
type programs struct {
	mu    sync.Mutex
	open  map[string]backends.Backend
	order []string // of their models, the oldest first
}

// mostPrograms is how many stay open: one of TensorFlow has 500 MB, and no spec uses more than two.
const mostPrograms = 4

// take is the program for a model, which is opened if it does not run.
func (p *programs) take(model string, open func() (backends.Backend, error)) (backends.Backend,
	error) {
	if p == nil {
		return open()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, runs := p.open[model]; runs {
		return b, nil
	}
	b, err := open()
	if err != nil {
		return nil, err
	}
	if len(p.order) == mostPrograms {
		oldest := p.order[0]
		err = p.open[oldest].Close()
		delete(p.open, oldest)
		p.order = p.order[1:]
	}
	p.open[model], p.order = b, append(p.order, model)
	return b, err
}

// end ends them all.
func (p *programs) end() error {
	var wrong []error
	for _, b := range p.open {
		wrong = append(wrong, b.Close())
	}
	return errors.Join(wrong...)
}

func (o originals) Text() string     { return "originals " + o.framework + " " + o.kind }
func (o originals) String() string   { return o.Text() }
func (o originals) GoString() string { return o.Text() }

// Open runs the file for the model.
func (o originals) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	shared := o.shared
	names := []string{"arithmetic", "any"} // so that a model that is none is refused for what it is
	if m, ok := model.(*loaders.Model); ok && m != nil {
		name := m.Name()
		if rank := strings.LastIndex(name, "_"); rank > 0 {
			names = append(names, name[:rank])
		}
		names = append(names, name)
	} else {
		shared = nil
	}
	var file string
	for _, name := range names {
		candidate := filepath.Join(*o.folder, o.kind, name+o.ending)
		if _, err := os.Stat(candidate); err == nil {
			file = candidate
		}
	}
	var key string
	if shared != nil {
		sum, err := model.(*loaders.Model).SHA256()
		if err != nil {
			return nil, err
		}
		key = sum
	}
	b, err := shared.take(key, func() (backends.Backend, error) {
		return process.Engine(o.program, environment(o.framework), process.File(file),
			process.Env("PYTHONPATH", "testdata")).Open(ctx, model, inputs)
	})
	if err != nil {
		return nil, err
	}
	return original{b, o, model}, nil
}

// original is one of them, whose runs say that the originals made it.
type original struct {
	backends.Backend
	of    originals
	model fixtures.Declaration
}

func (o original) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	run, err := o.Backend.Run(ctx, inputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.model.Name(), err)
	}
	return backends.NewRunOf(ctx, run.Provenance, backends.Subject{Engine: o.of, Model: o.model},
		inputs, run.Iterations()...), nil
}

// Close ends the program, unless other specs share it.
func (o original) Close() error {
	if o.of.shared != nil {
		return nil
	}
	return o.Backend.Close()
}

// Why specs are left out. Each start of a framework takes seconds.
const (
	onlyDeclares = "the ONNX model declares the inputs alone; what runs is the framework's file"
	manyStarts   = "it starts the framework dozens of times; programs in Go and Python are checked"
	sameArrays   = "NumPy's own types all go the same way, in all shapes; samples are checked"
	oneKindTypes = "every kind of file gets its arrays from the same code; one is checked for all"
	oneKindLife  = "the same program opens, runs and closes every kind of file; one is checked"
)

// sampled are the last words of the specs of element types that frameworks must pass: one of
// NumPy's own types, and the types with other code.
var sampled = []string{"float32", "bfloat16", "float8_e4m3fn", "int4", "bool", "string"}

// exceptionOf returns why a framework is exempt from a spec, or "". With brief, another kind of
// the framework's files is checked instead.
func exceptionOf(spec string, brief bool) string {
	words := strings.Fields(spec)
	last := words[len(words)-1]
	about := func(topics ...string) bool {
		return slices.ContainsFunc(topics, func(t string) bool { return strings.Contains(spec, t) })
	}
	switch {
	case spec == "refuses an operator that it does not know":
		return onlyDeclares
	case about("frees what it opened", "is opened concurrently", "leaves no goroutines"):
		return manyStarts
	case strings.HasPrefix(spec, "carries ") || words[0] == "refuses" && len(words) == 2:
		switch {
		case brief && last != "float32":
			return oneKindTypes
		case !slices.Contains(sampled, last),
			about("0-d", "empty") && last != "float32" && last != "string":
			return sameArrays
		}
	case brief && isOfLife(spec):
		return oneKindLife
	}
	return ""
}

// isOfLife reports whether a spec is about opening, running and closing, whatever the file is.
func isOfLife(spec string) bool {
	return slices.ContainsFunc([]string{"close", "concurrent", "cancel", "context", "frees",
		"on an error", "without iterations"}, func(t string) bool { return strings.Contains(spec, t) })
}

// held creates the specs of an engine's contract, except the given ones, by name.
func held(of *kindOfFile, brief bool, exceptions map[string]string) {
	options := []backendtest.Option{backendtest.Types(of.types...), backendtest.LogsInErrors()}
	for _, spec := range backendtest.Specs(originals{of}, options...) {
		reason := exceptions[spec.Name]
		if reason == "" {
			reason = exceptionOf(spec.Name, brief)
		}
		if reason != "" {
			options = append(options, backendtest.Except(spec.Name, reason))
		}
	}
	Context("as every engine, from "+of.kind+",", func() {
		if !everything() {
			It("does what an engine must", func() { environment(of.framework) }) // is skipped
			return
		}
		sharing := *of
		sharing.shared = &programs{open: map[string]backends.Backend{}}
		AfterAll(func() { Expect(sharing.shared.end()).To(Succeed()) })
		alone := backendtest.Specs(originals{of}, options...)
		for i, spec := range backendtest.Specs(originals{&sharing}, options...) {
			if isOfLife(spec.Name) || strings.HasPrefix(spec.Name, "repeats") && !brief {
				spec = alone[i]
			}
			It(spec.Name, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
		}
	})
}

// every is all element types but some.
func every(but ...tensor.ElementType) (types []tensor.ElementType) {
	for _, elem := range tensor.ElementTypes() {
		if !slices.Contains(but, elem) {
			types = append(types, elem)
		}
	}
	return types
}

var _ = Describe("PyTorch", Ordered, Serial, ContinueOnFailure, func() {
	var folder string
	BeforeAll(func() { folder = made("torch", "contract") })
	types := every(tensor.String, tensor.Float4E2M1)
	of := func(kind, ending string) *kindOfFile {
		return &kindOfFile{"torch", kind, ending, process.PyTorch(), types, &folder, nil}
	}
	held(of("module", ".pt"), false, nil)
	held(of("script", ".pt"), true, nil)
	held(of("program", ".pt2"), true, nil)
})

var _ = Describe("TensorFlow", Ordered, Serial, ContinueOnFailure, func() {
	var folder string
	BeforeAll(func() { folder = made("tensorflow", "contract") })
	types := every(tensor.Float8E4M3FNUZ, tensor.Float8E5M2FNUZ, tensor.Float8E8M0,
		tensor.Float4E2M1, tensor.Int2, tensor.Uint2)
	of := func(kind, ending string, model process.TensorFlowModel) *kindOfFile {
		return &kindOfFile{"tensorflow", kind, ending, process.TensorFlow(model), types, &folder, nil}
	}
	held(of("saved", "", process.SavedModel), false, nil)
	held(of("frozen", ".pb", process.Frozen), true, nil)
	held(of("checkpoint", "", process.Checkpoint), true, nil)
	held(of("keras", ".keras", process.Keras), true, map[string]string{
		"runs a model that has no inputs": "Keras has no such model",
		"carries 0-d tensors of float32":  "an input of Keras has a batch"})
})

var _ = Describe("JAX", Ordered, Serial, ContinueOnFailure, func() {
	var folder string
	BeforeAll(func() { folder = made("jax", "contract") })
	types := every(tensor.String)
	of := func(kind, ending string) *kindOfFile {
		return &kindOfFile{"jax", kind, ending, process.JAX(), types, &folder, nil}
	}
	held(of("script", ".py"), false, nil)
	held(of("exported", ".jax"), true, map[string]string{
		"carries empty tensors of float32": "a size that jax.export leaves free is 1 or more"})
})
