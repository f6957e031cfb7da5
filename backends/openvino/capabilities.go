package openvino

import "github.com/modelparity/modelparity/backends"

// Capabilities is what [backends.CapabilitiesOf] asks for.
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: e.threads, Unshared: e.unshared}
}

// threads is the engine with so many threads.
func (e engine) threads(n int) (backends.Engine, error) {
	e.List = e.With(Threads(n))
	return e, nil
}

// unshared is the engine with sessions of its own.
func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}
