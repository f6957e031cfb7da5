//go:build linux && cgo

package trt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// start deserializes the plan. The engine then also returns the given debug tensors and, if the
// options ask for them, all tensors that remain after fusion.
func (b *backend) start(s *settings, debug []string) error {
	err := b.device.Do(func() error { return b.deserialize(s) })
	if err == nil && (len(debug) > 0 || s.Marks.Unfused) {
		b.debug = &listener{backend: b, names: debug, unfused: s.Marks.Unfused}
	}
	return b.log.explain(err)
}

func (b *backend) deserialize(s *settings) error {
	if len(b.plan) == 0 {
		return errors.New("the plan is empty")
	}
	runtime, err := b.library.NewRuntime()
	if err != nil {
		return err
	}
	b.runtimes = append(b.runtimes, runtime)
	if s.LoadRuntime != "" {
		if runtime, err = runtime.Load(s.LoadRuntime); err != nil {
			return err
		}
		b.runtimes = append(b.runtimes, runtime)
	}
	if s.Flags[flagVersionCompatible] {
		runtime.AllowHostCode()
	}
	for _, path := range s.Plugins {
		if err := runtime.LoadPlugins(path); err != nil {
			return err
		}
	}
	if b.engine, err = runtime.Engine(b.plan); err != nil {
		return err
	}
	// TensorRT cannot be asked whether the plan had weights. But its default flags for saving an
	// engine exclude the weights only if the plan had none (docs/evidence/tensorrt.md).
	if b.stripped, err = b.engine.SavesNoWeights(); err != nil {
		return err
	}
	b.stripped = b.stripped || s.Flags[flagStripPlan]
	if profiles := b.engine.Profiles(); s.Profile < 0 || s.Profile >= profiles {
		return fmt.Errorf("unknown optimization profile %d; the engine has 0 to %d", s.Profile,
			profiles-1)
	}
	if err := b.setBudget(); err != nil {
		return err
	}
	for _, name := range b.engine.Tensors() {
		t, err := newBinding(b, b.engine.Binding(name, s.Profile))
		if err != nil {
			return err
		}
		if t.Input {
			b.ins = append(b.ins, t)
		} else {
			b.outs = append(b.outs, t)
		}
	}
	for range max(1, s.Streams) {
		stream, err := b.device.NewStream()
		if err != nil {
			return err
		}
		b.streams = append(b.streams, stream)
	}
	b.stream = b.streams[0]
	return nil
}

// setBudget sets the number of bytes of weights that stay on the GPU.
func (b *backend) setBudget() error {
	budget := b.settings.Budget
	if percent := b.settings.Percent; percent != nil {
		bytes := int64(float64(b.engine.StreamableWeights()) * *percent / 100)
		budget = &bytes
	}
	if budget == nil {
		return nil
	}
	if b.engine.StreamableWeights() == 0 {
		return errors.New("a weight streaming budget needs streamable weights: build the engine " +
			"with trt.WeightStreaming and trt.StronglyTyped")
	}
	return b.engine.SetWeightStreamingBudget(*budget)
}

// prepare creates the context before the first inference.
func (b *backend) prepare() error {
	context, err := b.engine.Context(index(trtabi.Strategies, b.settings.Strategy))
	if err != nil {
		return err
	}
	b.context = context
	if p := b.settings.Profile; p != 0 && !context.SetProfile(p, b.stream.Handle()) {
		return fmt.Errorf("TensorRT rejects optimization profile %d", p)
	}
	if b.debug != nil {
		if err := b.debug.attach(); err != nil {
			return err
		}
	}
	return b.stream.Wait()
}

// infer runs one set of inputs through the engine. It checks ctx before and after the inference. It
// never abandons an inference that has started, because the GPU still uses the backend's memory.
func (b *backend) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	var outputs []tensor.Entry
	err := b.device.Do(func() (err error) {
		if b.context == (trtabi.Context{}) {
			if err := b.prepare(); err != nil {
				return b.log.explain(err)
			}
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if outputs, err = b.execute(inputs); err != nil {
			return b.log.explain(err)
		}
		return context.Cause(ctx)
	})
	for i := range outputs {
		if err == nil {
			outputs[i], err = b.casts.widen(outputs[i])
		}
	}
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(outputs...)
}

func (b *backend) execute(inputs *tensor.Set) ([]tensor.Entry, error) {
	if err := backends.CheckInputs(b.inputs(), inputs); err != nil {
		return nil, err
	}
	b.stream = b.streams[b.runs%len(b.streams)]
	b.runs++
	for _, t := range b.ins {
		value, _ := inputs.Get(t.Name)
		if err := t.write(value); err != nil {
			return nil, fmt.Errorf("input %q: %w", t.Name, err)
		}
	}
	if err := b.context.InferShapes(); err != nil {
		return nil, err
	}
	for _, t := range b.outs {
		if err := t.reserve(); err != nil {
			return nil, fmt.Errorf("output %q: %w", t.Name, err)
		}
	}
	if b.settings.Strategy == "USER_MANAGED" {
		size := b.context.MemoryForShapes()
		if err := b.working.Reserve(size); err != nil {
			return nil, err
		}
		if err := b.context.SetMemory(b.working.Address(), b.working.Size()); err != nil {
			return nil, err
		}
	}
	started := b.context.Enqueue(b.stream.Handle())
	err := b.stream.Wait()
	for _, t := range b.outs {
		if failed := t.allocator.Err(); failed != nil {
			err = errors.Join(fmt.Errorf("output %q: %w", t.Name, failed), err)
		}
	}
	if b.debug != nil {
		err = errors.Join(b.debug.callback.Err(), err)
	}
	if !started {
		err = errors.Join(errors.New("TensorRT did not start the inference"), err)
	}
	if err != nil {
		return nil, err
	}
	return b.outputs()
}

func (b *backend) outputs() ([]tensor.Entry, error) {
	var entries []tensor.Entry
	for _, t := range b.outs {
		value, err := t.read()
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", t.Name, err)
		}
		entries = append(entries, tensor.Entry{Name: t.Name, Tensor: value})
	}
	if b.debug == nil {
		return entries, nil
	}
	heard, err := b.debug.take()
	for _, entry := range heard {
		// An output may also be among the unfused tensors; it is returned only once.
		if !slices.ContainsFunc(entries, func(e tensor.Entry) bool { return e.Name == entry.Name }) {
			entries = append(entries, entry)
		}
	}
	return entries, err
}

// inputs returns the engine's inputs. Dynamic dimensions have no symbols.
func (b *backend) inputs() (values []loaders.Value) {
	for _, t := range b.ins {
		v := loaders.Value{Name: t.Name, Type: t.elem, HasShape: true,
			TypeName: fmt.Sprintf("tensor(%v)", t.elem)}
		for _, size := range t.Shape {
			v.Dims = append(v.Dims, loaders.Dim{Size: size})
		}
		values = append(values, v)
	}
	return values
}
