package backends

import (
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// recorder records for `modelparity mutate` which model ran, and on which inputs.
type recorder struct {
	on   bool
	sets []*tensor.Set
	size int
}

// mostRecorded is the size in bytes after which no more inputs of a run are recorded. A mutant that
// the first inputs do not reveal is rarely revealed by the rest.
const mostRecorded = 16 << 20

func (r *recorder) add(set *tensor.Set) {
	if !r.on || r.size > mostRecorded {
		return
	}
	r.sets = append(r.sets, set)
	for _, t := range set.All() {
		r.size += t.Size()
	}
}

func (r *recorder) record(model fixtures.Declaration, checksum string) error {
	if !r.on {
		return nil
	}
	onnx, ok := model.(*loaders.Model)
	switch {
	case !ok && model == nil:
		return nil
	case !ok:
		overlay.Bypassed(Described(model))
		return nil
	case onnx.Path() == "":
		if onnx.Dir() == "" {
			overlay.Bypassed(onnx.Name() + ", a model in memory")
		}
		return nil
	}
	file := overlay.InputsFile(onnx.Path(), checksum)
	if file == "" {
		return nil
	}
	if err := fixtures.Save(file, fixtures.Of(r.sets...)); err != nil {
		return fmt.Errorf("modelparity mutate cannot record the inputs: %w", err)
	}
	return nil
}
