package openvino

import "github.com/modelparity/modelparity/backends"

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: e.threads, Unshared: e.unshared,
		Sequential: func(op string) bool { return op == "Conv" }}
}

func (e engine) threads(n int) (backends.Engine, error) {
	e.List = e.With(Threads(n))
	return e, nil
}

func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}
