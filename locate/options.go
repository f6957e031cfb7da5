package locate

import (
	"fmt"

	"github.com/modelparity/modelparity/compare"
)

// Options says what [Divergence] holds tensors to, and how it walks.
type Options struct {
	// Compare is the rule for every tensor, and for the final outputs. At least one check is
	// needed, such as compare.Within(1e-5, 1e-5, compare.Elementwise). Inside the graph, NaN equals
	// NaN and an infinity the same infinity, whatever the options say: masks are full of them, and a
	// value that both sides share is not where they part.
	Compare compare.Options
	// Isolate also runs every node alone on the expected side's values.
	Isolate bool
	// Memory bounds the bytes of marked tensors that are held at once, per side; 0 is 1 GiB. A
	// single tensor larger than that is still compared, alone.
	Memory int64
	// Progress is called whenever the search gets on, for a progress bar; nil is nobody. Under Ginkgo
	// nothing is needed: with a SpecContext, the search is part of the spec's progress reports.
	Progress func(Progress)
}

// defaultMemory is Options.Memory where it is 0.
const defaultMemory = 1 << 30

func (o *Options) validate() error {
	if len(o.Compare.Checks) == 0 {
		return fmt.Errorf("locate: Options.Compare has no check that holds for every tensor: " +
			"add compare.Within(…) to its Checks")
	}
	if o.Memory < 0 {
		return fmt.Errorf("locate: Options.Memory is %d: want 0 for 1 GiB, or more", o.Memory)
	}
	return nil
}

func (o *Options) memory() int64 {
	if o.Memory == 0 {
		return defaultMemory
	}
	return o.Memory
}

// inside is the rule for tensors within the graph.
func (o *Options) inside() compare.Options {
	return compare.Options{Checks: o.Compare.Checks, NaNEqual: true, InfinitiesEqual: true,
		AllowEmpty:     true,
		AnyElementType: o.Compare.AnyElementType, AnyShape: o.Compare.AnyShape,
		Workers: o.Compare.Workers}
}
