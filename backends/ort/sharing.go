package ort

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
)

// shares says which session serves for a model. What a provider other than the CPU's holds on a
// device, and what custom operators, a log and entries of the configuration do while a session is
// made, keeps a session from being shared.
func (e engine) shares(ctx context.Context, s *settings, model *loaders.Model, version string,
	o onnxruntime.Options) (sessions.Sharing, error) {
	if e.alone || s.accelerated() || s.log != nil || len(s.CustomOps) > 0 || len(s.Config) > 0 {
		return sessions.Sharing{}, nil
	}
	return sessions.Shared.Sharing(ctx, fmt.Sprintf("%s %s %+v", Name, version, o), model)
}

// often is how often the backend's session may be lent, 0 without end. Where inputs may have
// other shapes each time, ONNX Runtime keeps some kilobytes for each set of shapes, unless it is
// told that they vary.
func (b *backend) often(o onnxruntime.Options) int {
	if !o.Varying && slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || dynamic(v)
	}) {
		return mostShapes
	}
	return 0
}

// mostShapes is how many sets of shapes a session may have seen.
const mostShapes = 256
