//go:build linux && cgo

package trt

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/loaders"
)

// networkLayers returns the layers that TensorRT's parser makes from a model, in network order.
func networkLayers(ctx context.Context, model *loaders.Model, s *settings) (layers []networkLayer,
	err error) {
	m, err := open(s)
	if err != nil {
		return nil, err
	}
	w := &workshop{machine: m, order: order{settings: *s, model: model}, log: listen(m.library, s)}
	defer w.log.stop()
	err = w.ask(ctx, model, func(c *construction, data []byte, path string) error {
		if err := c.parser.Parse(data, path); err != nil {
			return err
		}
		for _, layer := range c.network.Layers() {
			one := networkLayer{inputs: tensorNames(layer.Inputs()),
				outputs: tensorNames(layer.Outputs())}
			if layerType(layer) != "CONSTANT" && computesFloats(layer) {
				one.name = layer.Name()
			}
			layers = append(layers, one)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), model.Name(), w.log.explain(err))
	}
	return layers, err
}
