package openvino

import (
	"context"
	"fmt"
	"slices"
	"sync"

	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
)

// session is a compiled model that several backends may use. Each inference has its own request,
// which holds the state of a stateful model.
type session struct {
	inputs   []port
	outputs  []port
	compiled *variants
	bytes    int64 // memory that creating the session took

	asked    sync.Once
	computed string // goes into the provenance of every run
}

// Close frees the library's memory once the inferences in progress have ended. It does not wait for
// them.
func (s *session) Close() error {
	s.compiled.close()
	return nil
}

// Memory returns an estimate of the session's size in bytes, because OpenVINO does not report it:
// the growth of the process while the session was created, but at least twice the model's size,
// because OpenVINO keeps the model and a second copy of its weights.
func (s *session) Memory() (int64, error) { return s.bytes, nil }

// shares says whether and how the session for the model is shared with other backends. A session is
// not shared if its device is not the CPU, if it is compiled for static shapes, if a [Property] is
// set, or if OpenVINO maps the model's file into memory, because the file may change later.
func (e engine) shares(ctx context.Context, s *settings, library *abi.Library,
	onnx *loaders.Model) (sessions.Sharing, error) {
	if e.alone || onnx == nil || s.Device != CPU || s.Static || len(s.Properties) > 0 {
		return sessions.Sharing{}, nil
	}
	if fromFile, err := readsFile(onnx); err != nil || fromFile {
		return sessions.Sharing{}, err
	}
	return sessions.Shared.Sharing(ctx, fmt.Sprintf("%s %s %s %v", backendName, library.Path(),
		library.Version(), s.compile()), onnx)
}

// lend lets other backends use the session, unless the model is compiled for the shapes of each
// run.
func (b *backend) lend(shared sessions.Sharing) error {
	if len(b.pending()) > 0 {
		return nil
	}
	times := 0
	if slices.ContainsFunc(b.inputs, func(p port) bool {
		return slices.ContainsFunc(p.Dims, loaders.Dim.Dynamic)
	}) {
		times = mostShapes
	}
	return shared.Lend(b.lease, times)
}

// mostShapes is the number of runs that may use a session whose input shapes can change. The limit
// is needed because OpenVINO keeps kernels for each set of shapes.
const mostShapes = 256
