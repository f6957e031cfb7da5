package decode

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// state is a hidden state: the output that becomes an input of the next frame.
type state struct {
	Output string `json:"output"`
	Input  string `json:"input"`
}

// State names a hidden state of a streaming model: the output that becomes the given input of the
// next frame. An engine with this option takes frames instead of tokens; see [Stream].
func State(output, input string) Option {
	return option.New(option.Call("decode.State", output, input), func(s *settings) error {
		if output == "" || input == "" {
			return errors.New("a state needs the names of an output and of an input")
		}
		for _, known := range s.States {
			if known.Input == input {
				return fmt.Errorf("outputs %q and %q are both states for input %q; keep one", known.Output,
					output, input)
			}
		}
		s.States = append(slices.Clone(s.States), state{output, input})
		return nil
	})
}

// onlyStates returns an error if settings contain states and any other option.
func onlyStates(s *settings) error {
	tokens := defaults()
	tokens.States = s.States
	if len(s.States) > 0 && fmt.Sprintf("%+v", *s) != fmt.Sprintf("%+v", tokens) {
		return errors.New("decode.State is for streams of frames, the other options are for tokens: " +
			"use only one of the two")
	}
	return nil
}

// Stream runs a model with hidden states frame by frame. It is [Run] for frames:
//
//	decode.Stream(ctx, ort.Engine(), model, fixtures.Load("speech.npz"),
//		decode.State("hn", "h"), decode.State("cn", "c"))
//
// Each set of inputs is a frame. An input with one more dimension than the model declares contains
// several frames along its first axis: [frames,1,512] for [batch,samples]. Other inputs of the same
// set, such as a sampling rate, are passed with each of these frames.
//
// If the inputs of a frame include a state, that value is fed, and so starts or restarts the
// stream. All other states come from the previous frame. In the first frame they are zeros of the
// declared shape. A dynamic dimension of that shape takes the size of a dimension of the same name
// in a different input, or 1.
//
// The run has one iteration per frame with all outputs, including the states. [Part] names the
// first frame and state at which two runs differ.
func Stream(ctx context.Context, of backends.Engine, model fixtures.Declaration,
	frames fixtures.Inputs, options ...Option) (*backends.Run, error) {
	e := Engine(of, options...)
	if e.(engine).Wrong() == nil && !e.(engine).takesFrames() {
		return nil, errors.New("decode: a stream needs a state: add decode.State(output, input)")
	}
	return backends.RunIn(ctx, e, model, frames)
}

// stream is a model with states that is open in an engine.
type stream struct {
	engine   engine
	settings *settings
	model    fixtures.Declaration
	inputs   map[string]loaders.Value // declared by the model
	of       backends.Backend
}

// streams returns a stream whose model is not yet open in the inner engine. It returns nil if
// e.parts is set and the model lacks the input or the output of a state.
func (e engine) streams(model fixtures.Declaration) (*stream, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	if e.inner == nil {
		return nil, errNoEngine
	}
	if model == nil {
		return nil, errNoModel
	}
	list, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	b := &stream{engine: e, settings: s, model: model, inputs: map[string]loaders.Value{}}
	for _, v := range list {
		b.inputs[v.Name] = v
	}
	outputs, err := outputsOf(model)
	if err != nil {
		return nil, err
	}
	for _, st := range s.States {
		_, takes := b.inputs[st.Input]
		switch returns := outputs == nil || slices.Contains(outputs, st.Output); {
		case takes && returns:
		case e.parts:
			return nil, nil
		case !takes:
			return nil, fmt.Errorf("decode: %s has no input %q for the state; it has %s", model.Name(),
				st.Input, inputNames(list))
		default:
			return nil, fmt.Errorf("decode: %s has no output %q for the state; it has %s", model.Name(),
				st.Output, names.List(outputs))
		}
	}
	return b, nil
}

// openStream opens a model whose states are carried from frame to frame.
func (e engine) openStream(ctx context.Context, model fixtures.Declaration,
	inputs fixtures.Inputs) (backends.Backend, error) {
	b, err := e.streams(model)
	switch {
	case err != nil:
		return nil, err
	case b == nil: // its recorded inputs need no states
		return e.inner.Open(ctx, model, inputs)
	}
	if b.of, err = e.inner.Open(ctx, model, b.shapes(inputs)); err != nil {
		return nil, err
	}
	return b, nil
}

// streamParts implements [backends.Capabilities.Parts] for an engine with states.
func (e engine) streamParts(ctx context.Context, model fixtures.Declaration,
	inputs fixtures.Inputs) (backends.Engine, func(), error) {
	b, err := e.streams(model)
	if err != nil {
		return nil, func() {}, err
	}
	if b != nil {
		inputs = b.shapes(inputs)
	}
	parts, forget, err := backends.ForParts(ctx, e.inner, model, inputs)
	return engine{inner: parts, List: e.List, parts: true}, forget, err
}

// Close closes the model.
func (b *stream) Close() error { return b.of.Close() }

// Run runs the frames as one stream.
func (b *stream) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	last, carried := map[string]*tensor.Tensor{}, false
	run, err := b.engine.collect(ctx, b.model, b.frames(inputs), shape{States: b.settings.States},
		func(ctx context.Context, set *tensor.Set) (of backends.Iteration, made backends.Provenance,
			err error) {
			feed, err := b.feed(set, last)
			if err != nil {
				return of, made, err
			}
			carried = carried || len(last) > 0 && feed.Len() > set.Len()
			run, err := b.of.Run(ctx, fixtures.Of(feed))
			if err != nil {
				return of, made, err
			}
			of = run.Iterations()[0]
			of.Runtime = max(of.Runtime, 0)
			for _, st := range b.settings.States {
				t, ok := of.Outputs.Get(st.Output)
				if !ok {
					return of, made, fmt.Errorf("the model returned no output %q", st.Output)
				}
				last[st.Input] = t
			}
			return of, run.Provenance, nil
		})
	if err == nil && run.Len() > 1 && !carried && !b.engine.parts {
		return nil, fmt.Errorf("decode: the inputs of all %d frames include the states, so no state is "+
			"carried from frame to frame: set states in the first frame only, or not at all", run.Len())
	}
	return run, err
}

// feed adds the states that the inputs of a frame lack: those in last, from the previous frame, or
// zeros.
func (b *stream) feed(set *tensor.Set, last map[string]*tensor.Tensor) (*tensor.Set, error) {
	more := map[string]*tensor.Tensor{}
	for _, st := range b.settings.States {
		if _, given := set.Get(st.Input); given {
			continue
		}
		t := last[st.Input]
		if t == nil {
			var err error
			if t, err = b.first(b.inputs[st.Input], set); err != nil {
				return nil, err
			}
		}
		more[st.Input] = t
	}
	return sets.With(set, more)
}

// first returns the initial value of a state, which is zero everywhere.
func (b *stream) first(v loaders.Value, set *tensor.Set) (*tensor.Tensor, error) {
	if !v.HasShape || v.Type.Bits() < 8 {
		return nil, fmt.Errorf("state %s has no declared shape, so it cannot start with zeros: set its "+
			"value in the first frame", v)
	}
	shape := sizes(v)
	for i, d := range v.Dims {
		for name, t := range set.All() {
			for k, other := range b.inputs[name].Dims {
				if d.Dynamic() && d.Symbol != "" && other.Symbol == d.Symbol && k < len(t.Shape()) {
					shape[i] = t.Shape()[k]
				}
			}
		}
	}
	return blank(v, shape)
}

// frames splits each set along an additional first axis, the axis of frames, into one set per
// frame. If the first set has no such axis, frames returns the inputs unchanged, which preserves
// [fixtures.Inputs.Notes].
func (b *stream) frames(inputs fixtures.Inputs) fixtures.Inputs {
	for set, err := range inputs.All() {
		if err == nil && len(b.framed(set)) == 0 {
			return inputs
		}
		break
	}
	return mapped(inputs, inputs.Origin().Text, b.split)
}

// mapped replaces each set of the inputs with the sets that split returns for it.
func mapped(inputs fixtures.Inputs, text string,
	split func(*tensor.Set) ([]*tensor.Set, error)) fixtures.Inputs {
	return fixtures.Repeatable(text, func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			for set, err := range inputs.All() {
				var sets []*tensor.Set
				if err == nil {
					sets, err = split(set)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				for _, s := range sets {
					if !yield(s, nil) {
						return
					}
				}
			}
		}
	})
}

// framed returns the names of the inputs with an additional axis of frames.
func (b *stream) framed(set *tensor.Set) (list []string) {
	for name, t := range set.All() {
		if v := b.inputs[name]; v.HasShape && len(t.Shape()) == len(v.Dims)+1 {
			list = append(list, name)
		}
	}
	return list
}

// split returns the frames of a set. A state without an axis of frames goes only into the first
// frame.
func (b *stream) split(set *tensor.Set) ([]*tensor.Set, error) {
	framed := b.framed(set)
	if len(framed) == 0 {
		return []*tensor.Set{set}, nil
	}
	of, _ := set.Get(framed[0])
	var sets []*tensor.Set
	for i := range of.Shape()[0] {
		var entries []tensor.Entry
		for name, t := range set.All() {
			switch {
			case !slices.Contains(framed, name):
				if i > 0 && slices.ContainsFunc(b.settings.States,
					func(st state) bool { return st.Input == name }) {
					continue
				}
			case t.Shape()[0] != of.Shape()[0]:
				return nil, fmt.Errorf("decode: input %q has %d frames, and %q has %d", name, t.Shape()[0],
					framed[0], of.Shape()[0])
			default:
				var err error
				if t, err = rows.One(t, 0, i); err != nil {
					return nil, fmt.Errorf("decode: input %q: %w", name, err)
				}
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		frame, err := tensor.NewSet(entries...)
		if err != nil {
			return nil, err
		}
		sets = append(sets, frame)
	}
	return sets, nil
}

// shapes adds all-zero states to the frames, so that engines can be built for the shapes of all
// inputs.
func (b *stream) shapes(inputs fixtures.Inputs) fixtures.Inputs {
	return mapped(b.frames(inputs), inputs.Origin().Text,
		func(set *tensor.Set) ([]*tensor.Set, error) {
			full, err := b.feed(set, nil)
			return []*tensor.Set{full}, err
		})
}
