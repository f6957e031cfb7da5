package openvino

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/memory"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
)

// session is a model in OpenVINO, which several backends may use: each inference has a request of
// its own, which holds whatever a stateful model remembers.
type session struct {
	inputs   []port
	outputs  []port
	compiled *variants
	bytes    int64 // that it took to make it
}

// Close frees what the library holds once the inferences under way have ended. It does not wait for
// them.
func (s *session) Close() error {
	s.compiled.close()
	return nil
}

// Memory is what the process grew by when the session was made, and at least the model twice, for
// OpenVINO keeps the model and lays out its weights anew. OpenVINO itself does not tell.
func (s *session) Memory() (int64, error) { return s.bytes, nil }

// measured sets the session's memory to what the process has more than before, or to least.
func (s *session) measured(before uint64, least int64) {
	after, ok := memory.Resident()
	if ok && after > before {
		least = max(least, int64(after-before))
	}
	s.bytes = least
}

// shares says which session serves for a model. What other devices hold, and what OpenVINO's own
// properties do, keep a session from being shared, and so does a file that OpenVINO maps, which may
// change while it is open.
func (e engine) shares(ctx context.Context, s *settings, library *abi.Library,
	onnx *loaders.Model) (sessions.Sharing, error) {
	if e.alone || onnx == nil || s.Device != CPU || s.Static || len(s.Properties) > 0 {
		return sessions.Sharing{}, nil
	}
	if fromFile, err := readsFile(onnx); err != nil || fromFile {
		return sessions.Sharing{}, err
	}
	return sessions.Shared.Sharing(ctx, fmt.Sprintf("%s %s %s %v", Name, library.Path(),
		library.Version(), s.compile()), onnx)
}

// lend lends the backend's session to others, if it was compiled as declared: other models are
// compiled for the shapes of each run.
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

// mostShapes is how often a session is lent whose inputs may have other shapes each time, for each
// of which OpenVINO keeps kernels.
const mostShapes = 256
