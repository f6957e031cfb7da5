package openvino

import (
	"math"

	"github.com/modelparity/modelparity/backends"
)

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: e.threads, Unshared: e.unshared,
		Chain: chain}
}

// chain is what was measured: a product's error stops growing at about 512 terms, a convolution's
// never does.
func chain(op string) int {
	if op == "Conv" {
		return math.MaxInt
	}
	return 512
}

func (e engine) threads(n int) (backends.Engine, error) {
	e.List = e.With(Threads(n))
	return e, nil
}

func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}
