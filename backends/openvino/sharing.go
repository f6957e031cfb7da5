package openvino

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends/internal/native"
	"github.com/modelparity/modelparity/backends/internal/prepared"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/loaders"
)

// session is a model that several backends may use. It contains the model as OpenVINO has read it,
// and the models compiled from it: one for the declared shapes, or several for different input
// shapes. It does not contain the state of a stateful model: each inference has its own.
type session struct {
	prepared.Models[*abi.Compiled]
	read     *abi.Model
	settings *settings
	reading  sync.Mutex // held while the model is being compiled
	inputs   []port
	outputs  []port

	asked    sync.Once
	computed string // goes into the provenance of every run
}

func newSession(model *abi.Model, of *settings) *session {
	s := &session{read: model, settings: of}
	s.Preparing.Free = func() error {
		model.Close()
		return nil
	}
	return s
}

// get returns the model compiled for these input shapes, and compiles it if necessary.
func (s *session) get(ctx context.Context, shapes []given) (*abi.Compiled, error) {
	var key strings.Builder
	for _, g := range shapes {
		fmt.Fprintf(&key, "%q%v", g.port.Name, g.dims)
	}
	return s.Get(ctx, key.String(), func() (*abi.Compiled, error) {
		compiled, err := s.compile(shapes)
		return compiled, explain(err)
	})
}

func (s *session) compile(shapes []given) (*abi.Compiled, error) {
	byIndex := map[int][]int{}
	for _, g := range shapes {
		if len(g.dims) == 0 && !g.port.HasShape {
			return nil, fmt.Errorf("input %q is 0-d, but the model does not declare its rank, and "+
				"OpenVINO's C API cannot set it; declare the shape [] in the model",
				g.port.Name)
		}
		if len(g.dims) > 0 { // a declared 0-d input needs no shape
			byIndex[g.port.place] = g.dims
		}
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	if err := s.read.Reshape(byIndex); err != nil {
		return nil, err
	}
	return s.read.Compile(s.settings.Device, s.settings.compile())
}

// shared returns the key under which backends share the model's session, or "" if it is not shared.
// A session is not shared if its device is not the CPU, if it is compiled for static shapes, if a
// [Property] is set, or if OpenVINO maps the model's file into memory, because the file may change
// later.
func (e engine) shared(s *settings, library *abi.Library, onnx *loaders.Model) (string, error) {
	if e.alone || onnx == nil || s.Device != CPU || s.Static || len(s.Properties) > 0 {
		return "", nil
	}
	if fromFile, err := native.ReadsFile(onnx); err != nil || fromFile {
		return "", err
	}
	return fmt.Sprintf("%s %s %s %v", backendName, library.Path, library.Version, s.compile()), nil
}
