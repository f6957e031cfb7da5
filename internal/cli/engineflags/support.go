package engineflags

import (
	"context"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// SupportFolder is where [Support] writes by default, as Polygraphy does.
const SupportFolder = "polygraphy_capability_dumps"

// Support asks TensorRT's ONNX parser which nodes of a model it takes. With divide it cuts the
// model into parts by that; ONNX Runtime infers the types that the model does not declare, if it is
// there and loads the model.
//
// What is not supported is written to a folder (see [trt.Support.Save]): the given one, or of a
// model that is divided [SupportFolder]. A given folder gets the text in any case.
func Support(ctx context.Context, model *loaders.Model, divide bool, folder string,
	options ...trt.Option) (found *trt.Support, written []string, err error) {
	if divide {
		typed := model
		if inferred, err := edit.InferShapes(ctx, model, ort.EditEngine()); err == nil {
			typed = inferred
		}
		found, err = trt.Partition(ctx, typed, options...)
	} else {
		found, err = trt.Supports(ctx, model, options...)
	}
	if err != nil {
		return nil, nil, err
	}
	if folder == "" && divide && !found.Supported {
		folder = SupportFolder
	}
	if folder != "" {
		written, err = found.Save(folder)
	}
	return found, written, err
}
