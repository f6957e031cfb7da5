package ort

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
)

// shares returns the terms on which a session for the model may be shared. A session is not shared
// at all if it uses a provider other than the CPU's, because such sessions hold device memory, or
// if it has custom operators, a log or configuration entries, because these take effect while a
// session is created.
func (e engine) shares(ctx context.Context, s *settings, model *loaders.Model, version string,
	o onnxruntime.Options) (sessions.Sharing, error) {
	if e.alone || s.accelerated() || s.log != nil || len(s.CustomOps) > 0 || len(s.Config) > 0 {
		return sessions.Sharing{}, nil
	}
	return sessions.Shared.Sharing(ctx, fmt.Sprintf("%s %s %+v", backendName, version, o), model)
}

// often returns how many runs may use the backend's session before it is replaced; 0 means any
// number. If the shapes of inputs may change, ONNX Runtime keeps some kilobytes for each
// combination of shapes, unless it is configured for varying shapes.
func (b *backend) often(o onnxruntime.Options) int {
	if !o.Varying && slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || dynamic(v)
	}) {
		return mostShapes
	}
	return 0
}

// mostShapes is the number of shape combinations that one session may run.
const mostShapes = 256
