package openvino

import "github.com/modelparity/modelparity/backends"

// Capabilities is what [backends.CapabilitiesOf] asks for.
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: func(n int) (backends.Engine, error) {
		return engine{e.With(Threads(n))}, nil
	}}
}
