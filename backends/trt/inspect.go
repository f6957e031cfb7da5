//go:build linux && cgo

package trt

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// Information describes the engine. What it tells about layers is decided when it is built, by
// [ProfilingVerbosity].
func (e *Engine) Information() (Information, error) {
	if err := e.begin(context.Background()); err != nil {
		return Information{}, fmt.Errorf("tensorrt: %w", err)
	}
	defer e.end()
	var info Information
	err := e.device.Do(func() (err error) {
		info, err = e.sessions[0].describe()
		return e.log.explain(err)
	})
	return info, err
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
		return info, fmt.Errorf("the engine inspector's answer is not JSON: %.80q", text)
	}
	return info, nil
}
