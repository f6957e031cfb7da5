//go:build linux && cgo

package trt

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// Describe loads a plan file and describes the engine in it. The options [Detailed],
// [LayerNamesOnly] and [NoLayers] of the build decide how much the description says about the
// layers.
func Describe(path string, options ...Option) (Information, error) {
	s, err := plans.List(options...).Settings()
	if err != nil {
		return Information{}, err
	}
	b, err := load(path, s, backends.Subject{}, nil)
	if err != nil {
		return Information{}, err
	}
	defer b.Close()
	return b.describe()
}

func (b *backend) describe() (info Information, err error) {
	err = b.device.Do(func() (err error) {
		info, err = b.information()
		return b.log.explain(err)
	})
	return info, err
}

// fits returns an error if the names of the plan's and the model's inputs differ, because the plan
// then cannot have been built from the model.
func (b *backend) fits(model *loaders.Model) error {
	declared, err := model.Inputs()
	if err != nil {
		return err
	}
	names := loaders.Names(declared)
	for _, v := range b.inputs() {
		if !slices.Contains(names, v.Name) {
			return fmt.Errorf("the plan was not built from %s: the plan has an input %q, but the model's "+
				"inputs are %s", model.Name(), v.Name, abridged(names))
		}
	}
	return nil
}

func (b *backend) information() (Information, error) {
	info := Information{
		Name:             b.engine.Name(),
		TensorRT:         b.library.Version().String(),
		Layers:           b.engine.Layers(),
		Profiles:         b.engine.Profiles(),
		AuxStreams:       b.engine.AuxStreams(),
		Refittable:       b.engine.Refittable(),
		Stripped:         b.stripped,
		DeviceMemory:     b.engine.DeviceMemory(),
		StreamableWeight: b.engine.StreamableWeights(),
	}
	for _, own := range slices.Concat(b.ins, b.outs) {
		t := TensorInfo{Name: own.Name, Input: own.Input, Type: own.elem.String(), Shape: own.Shape,
			Format: own.FormatText, OnHost: own.OnHost}
		for p := 0; own.Input && isDynamic(own.Shape) && p < info.Profiles; p++ {
			var shapes [][]int
			for _, which := range []trtabi.Select{trtabi.Min, trtabi.Opt, trtabi.Max} {
				shapes = append(shapes, b.engine.ProfileShape(own.Name, p, which))
			}
			t.Profiles = append(t.Profiles, shapes)
		}
		info.Tensors = append(info.Tensors, t)
	}
	text, err := b.engine.Information()
	if err != nil {
		return info, err
	}
	if info.Inspector = json.RawMessage(text); !json.Valid(info.Inspector) {
		return info, fmt.Errorf("the engine inspector returned invalid JSON: %.80q", text)
	}
	return info, nil
}
