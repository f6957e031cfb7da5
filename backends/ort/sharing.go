package ort

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
)

// shared returns the key under which backends share the model's session, or "" if it is not shared.
// A session is not shared if its preferred provider is not the CPU, because it then holds device
// memory. It is not shared either if it has custom operators, a log or configuration entries,
// because these take effect while a session is created.
func (e engine) shared(s *settings, version string, o onnxruntime.Options) string {
	if e.alone || s.accelerated() || s.log != nil || len(s.CustomOps) > 0 || len(s.Config) > 0 {
		return ""
	}
	return fmt.Sprintf("%s %s %+v", backendName, version, o)
}

// often returns how many times the backend's session may be used before a new one replaces it; 0
// means any number. A limit is needed if input shapes may change, because ONNX Runtime keeps some
// kilobytes for each combination of shapes, unless it is configured for varying shapes.
func (b *backend) often(o onnxruntime.Options) int {
	if !o.Varying && slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || dynamic(v)
	}) {
		return mostShapes
	}
	return 0
}

// mostShapes is the largest number of runs in one session whose input shapes may change; see often.
const mostShapes = 256
