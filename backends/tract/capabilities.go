package tract

import (
	"math"

	"github.com/modelparity/modelparity/backends"
)

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Unshared: e.unshared,
		Chain: func(string) int { return math.MaxInt }}
}

func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}
