//go:build linux && cgo

package trt

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/loaders"
)

// layerNames are the names of the layers of a model's network whose precision can be chosen, and ""
// for others, in its order.
func layerNames(ctx context.Context, model *loaders.Model, s *settings) (names []string,
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
			name := layer.Name()
			if layerType(layer) == "CONSTANT" || !computesFloats(layer) {
				name = ""
			}
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), model.Name(), w.log.explain(err))
	}
	return names, err
}
