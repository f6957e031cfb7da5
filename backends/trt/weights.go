//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/loaders"
)

// errStripped is the error for running an engine without weights. TensorRT itself reports nothing:
// it would compute with zeros.
var errStripped = errors.New("the plan was built without weights (trt.StripPlan) and would " +
	"return zeros: open it with its ONNX model")

// giveWeights restores the weights of a stripped engine from a model that has the same structure.
func (b *backend) giveWeights(model *loaders.Model) error {
	data, path, err := source(model)
	if err == nil {
		err = b.device.Do(func() error { return b.log.explain(b.engine.Refit(data, path)) })
	}
	if err != nil {
		return fmt.Errorf("weights from %s: %w", model.Name(), err)
	}
	b.stripped = false
	set(&b.provenance.Options, "weights", "from "+model.Name())
	return nil
}
