package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// sides assigns roles to the engines. The search uses the engine that can keep individual nodes in
// float32. The other engine must compute in float32; sides returns it as the reference. If there is
// only one engine, it must compute in float32, and it has both roles.
func (r *repairRequest) sides(subjects []backends.Subject) (backends.Subject, error) {
	var references []backends.Subject
	for _, s := range subjects {
		switch {
		case backends.CapabilitiesOf(s.Engine).NodeLayers == nil:
			references = append(references, s)
		case r.search.Engine != nil:
			return s, fmt.Errorf("exactly one engine must compute in %s, got %v and %v", r.search.Format,
				r.search.Engine, s.Engine)
		default:
			r.search.Engine = s.Engine
		}
	}
	if len(references) != 1 {
		return backends.Subject{}, fmt.Errorf("want exactly one float32 engine as the reference, such "+
			"as ONNX Runtime, got %d", len(references))
	}
	return references[0], nil
}

// deliver verifies the lowered model, saves it if a file was named, and describes the kept nodes
// and how to use the model. original is the path of the original model. weak is an engine that
// computes in the low-precision format and can keep nodes in float32. If the lowered model is out
// of tolerance, deliver returns an error. However, if [precision.Repair.Engine] was set and no file
// is to be written, deliver only adds a note to the text.
func (r *repairRequest) deliver(ctx context.Context, found *precision.Repaired, original string,
	reference, weak backends.Engine) (string, error) {
	file := r.Path("--output")
	report, err := found.Holds(ctx)
	if err != nil {
		return "", err
	}
	text := found.Text()
	if report.Verdict != compare.Pass {
		wrong := fmt.Sprintf("with these nodes in float32 and the other nodes rounded by casts, "+
			"the model still fails in %v: %s", reference, report.Reason)
		switch {
		case r.search.Engine == nil:
			return "", fmt.Errorf("precision: %s", wrong)
		case file != "":
			return "", fmt.Errorf("precision: %s; remove either -o or the engine %v", wrong,
				r.search.Engine)
		}
		text += "note: " + wrong + "\n"
	}
	var engines []backends.Engine
	raise := backends.CapabilitiesOf(weak).Raise
	if layers, err := found.Named(); err != nil {
		text += "\n" + err.Error() + "\n"
	} else if raise != nil {
		kept, err := raise(layers, tensor.Float32)
		if err != nil {
			return "", err
		}
		flags, err := found.Flags()
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("\nTensorRT, which obeys layer precisions:\n  --trt --%s %s\n  %#v\n",
			r.search.Format, flags, kept)
		if r.search.Engine == nil {
			text += keptNote(original, r.search.Format)
		}
		engines = append(engines, kept)
	}
	if file == "" {
		return text + "for other engines, write a model with casts: add -o FIXED.onnx\n", nil
	}
	files, err := found.Save(file, original, engines...)
	if err != nil {
		return "", err
	}
	return text + "for other engines, use the saved model, which has casts; the saved spec tests " +
		"it\n" + savedText(files), nil
}

// keptNote returns a line about nodes of the ONNX model at path that the search kept in float32,
// but TensorRT computes in the given format: nodes in the bodies of If, Loop and Scan, and nodes of
// other domains. keptNote returns "" if the model has no such nodes.
func keptNote(path string, format precision.Format) string {
	nodes, _ := loaders.ONNX(path).Nodes() // the search read the model before
	var found []string
	for _, n := range nodes {
		if slices.Contains([]string{"If", "Loop", "Scan"}, n.Op) {
			found = append(found, strings.TrimSpace("the body of "+n.Op+" "+n.Name))
		} else if n.Domain != "" && n.Domain != "ai.onnx" {
			found = append(found, strings.TrimSpace(n.Domain+"."+n.Op+" "+n.Name))
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("note: --%s also lowers what this search kept in float32: %s; "+
		"check the flags with modelparity run --trt\n", format, names.Join(found))
}
