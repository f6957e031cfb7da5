package precision

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// Marked is the result of [Layers].
type Marked struct {
	Model   string             `json:"model"`
	Linear  bool               `json:"linear,omitempty"`
	Reverse bool               `json:"reverse,omitempty"`
	Higher  tensor.ElementType `json:"higher"`
	Format  Format             `json:"format,omitempty"`
	// Count is the smallest number of layers that must run in the higher precision, and Layers is the
	// total number of layers. Found is false if no number of layers passes, or if a binary search
	// needs all layers.
	Count  int  `json:"count"`
	Layers int  `json:"layers"`
	Found  bool `json:"found"`
	// Names lists the layers to run in the higher precision, as far as they have names.
	Names []string `json:"names,omitempty"`
	Steps int      `json:"steps"`

	told bool // whether an engine can be told the names
	path string
}

// Text formats the result for people. It ends with a newline.
func (m *Marked) Text() string {
	var b strings.Builder
	mode, direction, end := "bisect", "forward", "first" // Polygraphy's words, as in the messages
	if m.Linear {
		mode = "linear"
	}
	if m.Reverse {
		direction, end = "reverse", "last"
	}
	message := "could not find a configuration that satisfied accuracy requirements"
	if m.Found {
		message = fmt.Sprintf("to achieve acceptable accuracy, try running the %s %d layer(s) in higher "+
			"precision", end, m.Count)
	}
	fmt.Fprintf(&b, "%s: %s\n", m.Model, message)
	fmt.Fprintf(&b, "%s %s over %d layers took %d steps\n", mode, direction, m.Layers, m.Steps)
	if m.Found && len(m.Names) > 0 {
		fmt.Fprintf(&b, "in %v: %s\n", m.Higher, strings.Join(m.Names, ", "))
		if m.told {
			fmt.Fprintf(&b, "TensorRT flags:\n  %s\n", layerFlags(m.Names, m.Higher))
		}
	}
	if m.Format == FP16 || m.Format == BF16 {
		fmt.Fprintf(&b, "modelparity repair %s --%s finds the fewest nodes, which need not be "+
			"consecutive\n", cmp.Or(m.path, m.Model), m.Format)
	}
	return b.String()
}
