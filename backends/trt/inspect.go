//go:build linux && cgo

package trt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// Information describes the engine. The options [Detailed], [LayerNamesOnly] and [NoLayers] of the
// build decide how much Information says about the layers.
func (b *Backend) Information() (Information, error) {
	if err := b.begin(context.Background()); err != nil {
		return Information{}, fmt.Errorf("tensorrt: %w", err)
	}
	defer b.end()
	var info Information
	err := b.device.Do(func() (err error) {
		info, err = b.session.describe()
		info.Stripped = errors.Is(b.weights, errStripped)
		return b.log.explain(err)
	})
	return info, err
}

// Name returns the name of the model or plan file.
func (b *Backend) Name() string { return b.provenance.Model }

// Inputs returns the engine's inputs, so that [fixtures.Random] and [fixtures.LoadFor] can make
// inputs for the engine. Dynamic dimensions have no symbols; [Backend.Information] returns their
// bounds in the profiles.
func (b *Backend) Inputs() ([]loaders.Value, error) {
	// Inputs must not wait for a run to end, because generating the inputs of a run calls Inputs.
	return b.session.inputs(), nil
}

// fits returns an error if the names of the plan's and the model's inputs differ, because the plan
// then cannot have been built from the model.
func (b *Backend) fits(model *loaders.Model) error {
	declared, err := model.Inputs()
	if err != nil {
		return fmt.Errorf("tensorrt: %w", err)
	}
	var names []string
	for _, v := range declared {
		names = append(names, v.Name)
	}
	for _, v := range b.session.inputs() {
		if !slices.Contains(names, v.Name) {
			return fmt.Errorf("tensorrt: the plan %s was not built from %s: the plan has an input %q, "+
				"but the model's inputs are %s", b.Name(), model.Name(), v.Name, abridged(names))
		}
	}
	return nil
}

func (s *session) describe() (Information, error) {
	memory, err := s.engine.DeviceMemory()
	if err != nil {
		memory = -1
	}
	info := Information{
		Name:             s.engine.Name(),
		TensorRT:         s.library.Version().String(),
		Layers:           s.engine.Layers(),
		Profiles:         s.engine.Profiles(),
		AuxStreams:       s.engine.AuxStreams(),
		Refittable:       s.engine.Refittable(),
		DeviceMemory:     memory,
		StreamableWeight: s.engine.StreamableWeights(),
	}
	for _, b := range s.bindings {
		t := TensorInfo{Name: b.Name, Input: b.Input, Type: b.elem.String(), Shape: b.Shape,
			Format: b.FormatText, OnHost: b.OnHost}
		for p := 0; b.Input && isDynamic(b.Shape) && p < info.Profiles; p++ {
			var shapes [][]int
			for _, which := range []trtabi.Select{trtabi.Min, trtabi.Opt, trtabi.Max} {
				shapes = append(shapes, s.engine.ProfileShape(b.Name, p, which))
			}
			t.Profiles = append(t.Profiles, shapes)
		}
		info.Tensors = append(info.Tensors, t)
	}
	text, err := s.engine.Information()
	if err != nil {
		return info, err
	}
	if info.Inspector = json.RawMessage(text); !json.Valid(info.Inspector) {
		return info, fmt.Errorf("the engine inspector returned invalid JSON: %.80q", text)
	}
	return info, nil
}
