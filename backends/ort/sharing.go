package ort

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxruntime"
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
