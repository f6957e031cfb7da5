package precision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// runs is the number of runs of the rounded model that [Of] takes. The first run rounds each value
// to the nearest number of the format. In the other runs, the numbers of the format are first
// shifted by a fraction of the distance between neighbours. This fraction is drawn at random for
// each value; see [Format.round].
const runs = 9

// Of measures the error that a format causes in the subject's model. It rounds the model to the
// format and runs it nine times on the subject's inputs, in the subject's engine, which must
// compute in float32. The first run rounds to nearest. In the others, weights and inputs get random
// rounding errors of the same size, with a fixed seed. The result also contains the outputs of the
// original model.
//
// Of rounds the float32 constants that the format applies to, wherever they are in the model. It
// rounds other tensors only in the main graph, not in bodies and functions. It does not round
// settings such as exponents (loaders.Constant.IsSetting).
//
// Errors: an unknown format; a subject that cannot be run again or is not ONNX; an engine that
// computes in less than float32; a model that draws random numbers; an opset below 8; a model in
// which the format rounds nothing.
func Of(ctx context.Context, subject backends.Subject, format Format) (
	lower *compare.LowerPrecision, err error) {
	defer prefix("precision", &err)
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	s, err := open(ctx, subject, format)
	if err != nil {
		return nil, err
	}
	defer s.forget()
	inputs := fixtures.Of(s.inputs...)
	if err := cmp.Or(noise.Float32(ctx, s.engine),
		noise.Repeats(ctx, s.engine, s.model, inputs)); err != nil {
		return nil, err
	}
	model, weights, err := s.rounding(ctx)
	if err != nil {
		return nil, err
	}
	exact, err := backends.RunIn(ctx, s.engine, s.model, inputs)
	if err == nil {
		err = exact.Provenance.NotFloat32()
	}
	if err != nil {
		return nil, err
	}
	lower = &compare.LowerPrecision{Format: string(format), Float32: exact.Outputs(),
		Stored: format.stored()}
	for k := range runs {
		g := newGrid(format, k)
		rounded, err := g.inputs(s.inputs)
		if err != nil {
			return nil, err
		}
		outputs, err := backends.RunReweighed(ctx, s.engine, model, fixtures.Of(rounded...),
			func(c loaders.Constant) (*tensor.Tensor, error) {
				for _, u := range c.Uses {
					if format.everywhere() {
						lower.Addends = max(lower.Addends, u.Addends)
					}
				}
				return g.weight(c, weights)
			})
		if err != nil {
			return nil, fmt.Errorf("run %d of %d, rounded to %s: %w", k+1, runs, format, err)
		}
		lower.Runs = append(lower.Runs, outputs)
	}
	return lower, nil
}

// Round returns the subject's model with weights and tensors rounded to the nearest numbers of a
// format. The model computes in float32, so any engine can run it. Of the model's inputs, it rounds
// only those that matrix multiplications and convolutions read.
//
// Scaled formats choose each tensor's scale so that its largest magnitude, measured by running the
// subject's inputs in the subject's engine, maps to the format's largest value.
func Round(ctx context.Context, subject backends.Subject, format Format) (rounded *loaders.Model,
	err error) {
	defer prefix("precision", &err)
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	s, err := open(ctx, subject, format)
	if err != nil {
		return nil, err
	}
	defer s.forget()
	model, weights, err := s.rounding(ctx)
	if err != nil {
		return nil, err
	}
	g := newGrid(format, 0)
	return edit.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
		return g.weight(c, weights)
	})
}

// prefix adds a name, such as the package's, to an error that a function returns.
func prefix(name string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
	}
}

// opened is a model that can be rounded to a format, with its inputs and an engine to run it in.
type opened struct {
	format  Format
	model   *loaders.Model
	inputs  []*tensor.Set
	engine  backends.Engine
	forget  func()
	lengths map[string]int // see [sumLengths]; nil unless the format has blocks
}

func open(ctx context.Context, subject backends.Subject, format Format) (*opened, error) {
	if _, err := Parse(string(format)); err != nil {
		return nil, fmt.Errorf("unknown format %q: expected one of %v", format, formats)
	}
	if err := subject.Repeatable(); err != nil {
		return nil, fmt.Errorf("cannot run the model again with simulated rounding: %w", err)
	}
	model, err := backends.ONNX("rounding", subject.Model)
	if err != nil {
		return nil, err
	}
	inputs, err := subject.Draw()
	if err != nil {
		return nil, err
	}
	engine, forget, err := backends.ForParts(ctx, subject.Engine, model, subject.Inputs)
	if err != nil {
		return nil, err
	}
	s := &opened{format: format, model: model, inputs: inputs, engine: engine, forget: forget}
	if blocks[format] > 0 {
		if s.lengths, err = sumLengths(model); err != nil {
			forget()
			return nil, err
		}
	}
	return s, nil
}

// survey finds the tensors to round in the graph, and their largest magnitudes over all inputs. For
// FP16 and BF16 these are all float32 tensors that nodes compute. For other formats they are only
// the inputs of matrix multiplications and convolutions, including model inputs.
func (s *opened) survey(ctx context.Context) (tensors, error) {
	model, inputs, format := s.model, s.inputs, s.format
	nodes, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	known, wanted := tensors{}, computed(nodes)
	if !format.everywhere() {
		fed, made := tensors{}, wanted
		for _, set := range inputs {
			for name, t := range set.All() {
				if t.ElementType() == tensor.Float32 {
					fed[name] = max(fed[name], largest(t))
				}
			}
		}
		wanted = tensors{}
		for _, n := range nodes {
			for _, name := range format.operands(n, s.lengths) {
				if most, isInput := fed[name]; isInput {
					known[name] = most
				} else if _, ok := made[name]; ok {
					wanted[name] = 0
				}
			}
		}
	}
	open, err := known.declare(model, wanted, func(string) bool { return format.scaled() })
	if err != nil {
		return nil, err
	}
	if !format.scaled() {
		inputs = inputs[:1]
	}
	_, err = look(ctx, s.engine, model, inputs, open, func(name string, t *tensor.Tensor) error {
		known[name] = max(known[name], largest(t))
		return nil
	})
	return known, err
}

// computed returns the tensors that nodes other than Constants output.
func computed(nodes []loaders.Node) tensors {
	list := tensors{}
	for _, n := range nodes {
		for _, name := range n.Outputs {
			if name != "" && (n.Op != "Constant" || n.Domain != "") {
				list[name] = 0
			}
		}
	}
	return list
}

// declare adds to t the wanted tensors that the model declares as float32, except those whose
// values are needed. It returns the tensors for which the caller must run the model: tensors
// without a declared type, and float32 tensors whose values are needed.
func (t tensors) declare(model *loaders.Model, wanted tensors, needed func(name string) bool) (
	open []string, err error) {
	names := slices.Sorted(maps.Keys(wanted)) // in a fixed order, so that results are reproducible
	declared, err := model.Declared(names...)
	for _, name := range names {
		switch v, ok := declared[name]; {
		case ok && (v.Kind != loaders.Tensor || v.Type != tensor.Float32):
		case ok && !needed(name):
			t[name] = 0
		default:
			open = append(open, name)
		}
	}
	return open, err
}

// lookedAt is the maximum number of inner tensors that one run returns. It limits the memory that a
// run needs.
const lookedAt = 128

// look runs the model repeatedly with up to [lookedAt] of the named tensors marked as outputs,
// until each tensor has been returned for each set of inputs. It calls visit for each float32
// tensor, and returns the number of models that it opened.
func look(ctx context.Context, engine backends.Engine, model *loaders.Model, inputs []*tensor.Set,
	names []string, visit func(name string, t *tensor.Tensor) error) (opened int, err error) {
	for some := range slices.Chunk(names, lookedAt) {
		m, err := model.Mark(some...)
		if err != nil {
			return opened, err
		}
		backend, err := engine.Open(ctx, m, fixtures.Of(inputs...))
		if err != nil {
			return opened, fmt.Errorf("measuring the model's tensors: %w", err)
		}
		opened++
		for _, set := range inputs {
			run, wrong := backend.Run(ctx, fixtures.Of(set))
			if err = wrong; err != nil {
				break
			}
			for _, name := range some {
				t, ok := run.Outputs()[0].Get(name)
				if ok && t.ElementType() == tensor.Float32 {
					err = errors.Join(err, visit(name, t))
				}
			}
		}
		if err = errors.Join(err, backend.Close()); err != nil {
			return opened, fmt.Errorf("measuring the model's tensors: %w", err)
		}
	}
	return opened, nil
}

// largest returns the largest finite magnitude of a tensor.
func largest(t *tensor.Tensor) float64 {
	most := 0.0
	for i := range t.Len() {
		if v := math.Abs(t.Float64At(i)); v-v == 0 {
			most = max(most, v)
		}
	}
	return most
}
