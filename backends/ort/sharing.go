package ort

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
)

// shares decides whether other backends may use a session for the model, and how the session is
// recognised. A session is not shared if it uses a provider other than the CPU's, because it then
// holds device memory. It is not shared either if it has custom operators, a log or configuration
// entries, because these take effect while a session is created.
func (e engine) shares(ctx context.Context, s *settings, model *loaders.Model, version string,
	o onnxruntime.Options) (sessions.Sharing, error) {
	if e.alone || s.accelerated() || s.log != nil || len(s.CustomOps) > 0 || len(s.Config) > 0 {
		return sessions.Sharing{}, nil
	}
	return sessions.Shared.Sharing(ctx, fmt.Sprintf("%s %s %+v", backendName, version, o), model)
}

// often returns how many runs may use the backend's session before a new one replaces it; 0 means
// any number. The limit is needed if input shapes may change: for each combination of shapes ONNX
// Runtime then keeps some kilobytes, unless it is configured for varying shapes.
func (b *backend) often(o onnxruntime.Options) int {
	if !o.Varying && slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || dynamic(v)
	}) {
		return mostShapes
	}
	return 0
}

// mostShapes is the number of runs of one session if its input shapes may change; see often.
const mostShapes = 256
