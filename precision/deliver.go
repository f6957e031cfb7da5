package precision

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Among runs the search with several subjects of the same model. An engine that can keep nodes in
// float32 judges the sets, and another engine is the reference. If there is only one engine and it
// computes in float32, it takes both parts and judges the model rounded by casts.
func (r Repair) Among(ctx context.Context, subjects []backends.Subject) (*Repaired, error) {
	var references []backends.Subject
	for _, s := range subjects {
		switch {
		case backends.CapabilitiesOf(s.Engine).NodeLayers == nil:
			references = append(references, s)
		case r.Engine != nil:
			return nil, fmt.Errorf("precision: repair: one engine computes in %s, got %v and %v", r.Format,
				r.Engine, s.Engine)
		default:
			r.Engine = s.Engine
		}
	}
	if len(references) != 1 {
		return nil, fmt.Errorf("precision: repair: want one engine that computes in float32 for the "+
			"reference, such as ONNX Runtime, got %d", len(references))
	}
	return r.Find(ctx, references[0])
}

// Deliver verifies the lowered model, saves it unless file is "", and describes the kept nodes and
// how to use the model. original is the path of the original model, and weak is an engine that
// computes in the format and can keep nodes in float32. If the lowered model fails the rule,
// Deliver returns an error; if the nodes were found in an engine and no file is written, it only
// notes the failure.
func (r *Repaired) Deliver(ctx context.Context, file, original string, weak backends.Engine) (
	string, error) {
	report, err := r.Holds(ctx)
	if err != nil {
		return "", err
	}
	text := r.Text()
	if report.Verdict != compare.Pass {
		wrong := fmt.Sprintf("the model with casts fails in %v with these nodes: %s",
			r.subject.Engine, report.Reason)
		switch {
		case r.engine == nil:
			return "", fmt.Errorf("precision: %s", wrong)
		case file != "":
			return "", fmt.Errorf("precision: %s; name no file, or repair without %v", wrong, r.engine)
		}
		text += "note: " + wrong + "\n"
	}
	var engines []backends.Engine
	raise := backends.CapabilitiesOf(weak).Raise
	if names, err := r.Named(); err != nil {
		text += "\n" + err.Error() + "\n"
	} else if raise != nil {
		kept, err := raise(names, tensor.Float32)
		if err != nil {
			return "", err
		}
		flags, err := r.Flags()
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("\nTensorRT 10, which obeys layer precisions:\n  --trt --%s %s\n  %#v\n",
			r.Format, flags, kept)
		engines = append(engines, kept)
	}
	if file == "" {
		return text + "TensorRT 11 and other engines: write -o FIXED.onnx for a model with casts\n", nil
	}
	files, err := r.Save(file, original, engines...)
	if err != nil {
		return "", err
	}
	return text + "TensorRT 11 and other engines: the model with casts, checked by the spec\n" +
		"saved " + strings.Join(files, "\nsaved ") + "\n", nil
}
