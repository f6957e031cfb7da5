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

// chain returns measured values: the error of a matrix multiplication stops growing at about 512
// terms, whereas the error of a convolution keeps growing.
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
