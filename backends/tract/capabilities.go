package tract

import "github.com/modelparity/modelparity/backends"

// Capabilities is what [backends.CapabilitiesOf] asks for.
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Unshared: e.unshared}
}

// unshared is the engine with sessions of its own.
func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}
