package engineflags

import (
	"context"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// SupportFolder is the default folder of [Support], as in Polygraphy.
const SupportFolder = "polygraphy_capability_dumps"

// Support asks TensorRT's ONNX parser which nodes of a model it supports. With divide, it also
// splits the model into supported and unsupported parts; ONNX Runtime, if available, infers types
// that the model does not declare.
//
// If a node is not supported, the results are written to folder (see [trt.Support.Save]). The
// default with divide is [SupportFolder]. If a folder is given, it gets at least the text.
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
