//go:build linux && cgo

package trt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/cuda"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// session is one deserialized engine, ready to run one inference at a time. It owns all of its GPU
// memory.
type session struct {
	machine
	settings runSettings
	log      *watch
	runtimes []trtabi.Runtime // the last runtime reads the plan
	engine   trtabi.Engine
	stripped bool           // the plan had no weights, and the engine has not got them yet
	streams  []*cuda.Stream // the inferences take turns on them
	stream   *cuda.Stream   // the stream of the current inference
	runs     int
	context  trtabi.Context // created by the first inference or after a refit
	bindings []*binding
	working  *cuda.Buffer // the context's memory, if this package allocates it
	debug    *listener    // nil if there are no debug tensors
	close    sync.Once
}

// load deserializes a plan. The session collects the given debug tensors and, if unfused is true,
// all tensors that remain after fusion.
func (m machine) load(plan []byte, s *settings, log *watch, tensors []string,
	unfused bool) (*session, error) {
	session := &session{machine: m, settings: s.runSettings, log: log, working: m.device.NewBuffer()}
	err := m.device.Do(func() error { return session.read(plan, s) })
	if err == nil && (len(tensors) > 0 || unfused) {
		session.debug = &listener{session: session, names: tensors, unfused: unfused}
	}
	if err != nil {
		err = log.explain(err)
		session.Close()
		return nil, err
	}
	return session, nil
}

func (s *session) read(plan []byte, all *settings) (err error) {
	if len(plan) == 0 {
		return errors.New("the plan is empty")
	}
	runtime, err := s.library.NewRuntime()
	if err != nil {
		return err
	}
	s.runtimes = append(s.runtimes, runtime)
	if s.settings.LoadRuntime != "" {
		if runtime, err = runtime.Load(s.settings.LoadRuntime); err != nil {
			return err
		}
		s.runtimes = append(s.runtimes, runtime)
	}
	if all.Flags[flagVersionCompatible] {
		runtime.AllowHostCode()
	}
	for _, path := range all.Plugins {
		if err := runtime.LoadPlugins(path); err != nil {
			return err
		}
	}
	if s.engine, err = runtime.Engine(plan); err != nil {
		return err
	}
	// TensorRT cannot be asked whether the plan had weights. But its default flags for saving an engine
	// exclude the weights only if the plan had none (docs/evidence/tensorrt.md).
	if s.stripped, err = s.engine.SavesNoWeights(); err != nil {
		return err
	}
	s.stripped = s.stripped || all.Flags[flagStripPlan]
	if profiles := s.engine.Profiles(); s.settings.Profile < 0 || s.settings.Profile >= profiles {
		return fmt.Errorf("unknown optimization profile %d; the engine has 0 to %d",
			s.settings.Profile, profiles-1)
	}
	if err := s.setBudget(); err != nil {
		return err
	}
	for _, name := range s.engine.Tensors() {
		b, err := newBinding(s, s.engine.Binding(name, s.settings.Profile))
		if err != nil {
			return err
		}
		s.bindings = append(s.bindings, b)
	}
	for range max(1, s.settings.Streams) {
		stream, err := s.device.NewStream()
		if err != nil {
			return err
		}
		s.streams = append(s.streams, stream)
	}
	s.stream = s.streams[0]
	return nil
}

func (s *session) outputNames() []string {
	var names []string
	for _, b := range s.bindings {
		if !b.Input {
			names = append(names, b.Name)
		}
	}
	return names
}

// setBudget sets the number of bytes of weights that stay on the GPU.
func (s *session) setBudget() error {
	budget := s.settings.Budget
	if percent := s.settings.Percent; percent != nil {
		bytes := int64(float64(s.engine.StreamableWeights()) * *percent / 100)
		budget = &bytes
	}
	if budget == nil {
		return nil
	}
	if s.engine.StreamableWeights() == 0 {
		return errors.New("a weight streaming budget needs streamable weights: build the engine " +
			"with trt.WeightStreaming and trt.StronglyTyped")
	}
	return s.engine.SetWeightStreamingBudget(*budget)
}

// prepare creates the context before the first inference.
func (s *session) prepare() error {
	context, err := s.engine.Context(index(trtabi.Strategies, s.settings.Strategy))
	if err != nil {
		return err
	}
	s.context = context
	if p := s.settings.Profile; p != 0 && !context.SetProfile(p, s.stream.Handle()) {
		return fmt.Errorf("TensorRT rejects optimization profile %d", p)
	}
	if s.debug != nil {
		if err := s.debug.attach(); err != nil {
			return err
		}
	}
	return s.stream.Wait()
}

// infer runs the engine once on the inputs. It checks ctx before and after the inference. It never
// abandons an inference that has started, because the GPU still uses the session's memory.
func (s *session) infer(ctx context.Context, inputs *tensor.Set) ([]tensor.Entry, error) {
	var outputs []tensor.Entry
	err := s.device.Do(func() (err error) {
		if s.context == (trtabi.Context{}) {
			if err := s.prepare(); err != nil {
				return s.log.explain(err)
			}
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if outputs, err = s.execute(inputs); err != nil {
			return s.log.explain(err)
		}
		return context.Cause(ctx)
	})
	return outputs, err
}

func (s *session) execute(inputs *tensor.Set) ([]tensor.Entry, error) {
	if err := backends.CheckInputs(s.inputs(), inputs); err != nil {
		return nil, err
	}
	s.stream = s.streams[s.runs%len(s.streams)]
	s.runs++
	for _, b := range s.bindings {
		if b.Input {
			t, _ := inputs.Get(b.Name)
			if err := b.write(t); err != nil {
				return nil, fmt.Errorf("input %q: %w", b.Name, err)
			}
		}
	}
	if err := s.context.InferShapes(); err != nil {
		return nil, err
	}
	for _, b := range s.bindings {
		if !b.Input {
			if err := b.reserve(); err != nil {
				return nil, fmt.Errorf("output %q: %w", b.Name, err)
			}
		}
	}
	if s.settings.Strategy == "USER_MANAGED" {
		size := s.context.MemoryForShapes()
		if err := s.working.Reserve(size); err != nil {
			return nil, err
		}
		if err := s.context.SetMemory(s.working.Address(), s.working.Size()); err != nil {
			return nil, err
		}
	}
	started := s.context.Enqueue(s.stream.Handle())
	err := s.stream.Wait()
	for _, b := range s.bindings {
		b.allocator.Repanic()
	}
	if s.debug != nil {
		s.debug.callback.Repanic()
	}
	if !started {
		err = errors.Join(errors.New("TensorRT did not start the inference"), err)
	}
	if err != nil {
		return nil, err
	}
	return s.outputs()
}

func (s *session) outputs() ([]tensor.Entry, error) {
	var entries []tensor.Entry
	for _, b := range s.bindings {
		if !b.Input {
			t, err := b.read()
			if err != nil {
				return nil, fmt.Errorf("output %q: %w", b.Name, err)
			}
			entries = append(entries, tensor.Entry{Name: b.Name, Tensor: t})
		}
	}
	if s.debug == nil {
		return entries, nil
	}
	heard, err := s.debug.take()
	for _, entry := range heard {
		// An output may also be among the unfused tensors; it is returned only once.
		if !slices.ContainsFunc(entries, func(e tensor.Entry) bool { return e.Name == entry.Name }) {
			entries = append(entries, entry)
		}
	}
	return entries, err
}

// inputs returns the engine's inputs. Dynamic dimensions have no symbols.
func (s *session) inputs() (values []loaders.Value) {
	for _, b := range s.bindings {
		if !b.Input {
			continue
		}
		v := loaders.Value{Name: b.Name, Type: b.elem, HasShape: true,
			TypeName: fmt.Sprintf("tensor(%v)", b.elem)}
		for _, size := range b.Shape {
			v.Dims = append(v.Dims, loaders.Dim{Size: size})
		}
		values = append(values, v)
	}
	return values
}

// Close frees all resources of the session. Closing twice is harmless.
func (s *session) Close() {
	s.close.Do(func() {
		_ = s.device.Do(func() error {
			s.context.Delete()
			for _, b := range s.bindings {
				b.Close()
			}
			if s.debug != nil {
				s.debug.callback.Close()
			}
			s.engine.Delete()
			for i := len(s.runtimes) - 1; i >= 0; i-- {
				s.runtimes[i].Delete()
			}
			s.working.Close()
			for _, stream := range s.streams {
				stream.Close()
			}
			return nil
		})
	})
}
