package plots

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/locate"
)

// nodeData is Model Explorer's GraphNodeData, the results for one graph. The field names are as in
// ai-edge-model-explorer 0.1.34, node_data_builder.py.
type nodeData struct {
	Name    string            `json:"name"`
	Results map[string]result `json:"results"`
}

// result is Model Explorer's NodeDataResult.
type result struct {
	Value     any    `json:"value"` // a number, or its text if JSON cannot represent it
	BgColor   string `json:"bgColor"`
	TextColor string `json:"textColor"`
}

// SaveOverlay writes the errors that a search for a divergence found, so that graph viewers can
// show them: as node data for Google's Model Explorer ("Upload node data"), and as a copy of the
// model with notes on its nodes, for Netron. An empty path writes no file. If f is nil, because the
// search found nothing, SaveOverlay writes nothing.
//
//	found, err := locate.Divergence(ctx, run.Subject(), reference.Subject(), options)
//	err = plots.SaveOverlay(found, run.Subject().Model, "overlay.json", "annotated.onnx")
//
// Node data contains the norm-wise relative error of each tensor. The colour scale is logarithmic;
// tensors out of tolerance are red. Keys are the names of tensors, which Model Explorer shows at
// the node that computes the tensor. If a tensor has a different name on the expected side, it is
// listed under both names, so that the same file colours both models, side by side.
//
// A node's notes describe the worst of its output tensors. They are in the node's doc_string and
// metadata_props (modelparity.verdict, .error, .abs, .rel, and .error_alone if the node was also
// run alone). The copy computes the same results as the model, and passes ONNX's checker if the
// model does. See [loaders.Model.Save] for external data.
func SaveOverlay(f *locate.Finding, model fixtures.Declaration, nodeData, annotated string) error {
	if f == nil {
		return nil
	}
	for _, path := range []string{nodeData, annotated} {
		if path == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("plots: %w", err)
		}
	}
	if nodeData != "" {
		data, err := nodeDataOf(f)
		if err == nil {
			err = wholefile.WriteBytes(nodeData, data)
		}
		if err != nil {
			return err
		}
	}
	if annotated == "" {
		return nil
	}
	onnx, ok := model.(*loaders.Model)
	if !ok {
		return fmt.Errorf("plots: %s: notes can be written only to ONNX models", annotated)
	}
	noted, err := annotate(onnx, f)
	if err != nil {
		return err
	}
	return noted.Save(annotated)
}

// nodeDataOf returns the finding as node data for Model Explorer.
func nodeDataOf(f *locate.Finding) ([]byte, error) {
	data := nodeData{Name: "modelparity: error", Results: map[string]result{}}
	scale := tintsOf(f.Tensors)
	for i := range f.Tensors {
		p := &f.Tensors[i]
		if p.Verdict == "" {
			continue
		}
		r := scale.result(float64(p.Error), p.Verdict == compare.Fail)
		data.Results[p.Tensor] = r
		if _, taken := data.Results[p.Expected]; p.Expected != "" && !taken {
			data.Results[p.Expected] = r
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	return text.Bytes(), nil
}

// tints is a scale of colours between the decimal logarithms lo and hi of the smallest and the
// largest error.
type tints struct{ lo, hi float64 }

func tintsOf(points []locate.Point) tints {
	s := tints{math.Inf(1), math.Inf(-1)}
	for i := range points {
		v := float64(points[i].Error)
		if points[i].Verdict != "" && v > 0 && v <= math.MaxFloat64 {
			s.lo, s.hi = min(s.lo, math.Log10(v)), max(s.hi, math.Log10(v))
		}
	}
	return s
}

// result returns an error with its colour: from pale to dark, blue within tolerance and red beyond
// it. Errors that are not finite are magenta.
func (s tints) result(v float64, fails bool) result {
	if v != v || v > math.MaxFloat64 {
		return result{locate.Number(v), "#ff00ff", "#000000"}
	}
	share := 0.0
	if v > 0 && s.hi > s.lo {
		share = (math.Log10(v) - s.lo) / (s.hi - s.lo)
	}
	mix := func(from, to float64) int { return int(math.Round(from + (to-from)*share)) }
	r := result{Value: locate.Number(v), TextColor: "#000000"}
	switch {
	case fails:
		r.BgColor = fmt.Sprintf("#%02x%02x%02x", mix(255, 170), mix(150, 0), mix(140, 20))
		if share > 0.4 {
			r.TextColor = "#ffffff"
		}
	case v == 0:
		r.BgColor = "#ffffff"
	default:
		r.BgColor = fmt.Sprintf("#%02x%02x%02x", mix(235, 120), mix(243, 180), 255)
	}
	return r
}

// prefix is the prefix of the metadata keys that are written into a model.
const prefix = "modelparity."

// annotate returns a copy of the actual side's model with notes on its nodes.
func annotate(model *loaders.Model, f *locate.Finding) (*loaders.Model, error) {
	points := map[string]*locate.Point{}
	for i := range f.Tensors {
		if f.Tensors[i].Verdict != "" {
			points[f.Tensors[i].Tensor] = &f.Tensors[i]
		}
	}
	return edit.Annotate(model, func(n loaders.Node) (edit.Annotation, bool) {
		var worst *locate.Point
		for _, name := range n.Outputs {
			if p := points[name]; p != nil && (worst == nil || isWorse(p, worst)) {
				worst = p
			}
		}
		if worst == nil {
			return edit.Annotation{}, false
		}
		a := edit.Annotation{Text: fmt.Sprintf("modelparity: %s: %s, error %v (abs %v, rel %v)",
			worst.Tensor, worst.Verdict, worst.Error, worst.Abs, worst.Rel),
			Entries: [][2]string{{prefix + "tensor", worst.Tensor},
				{prefix + "verdict", string(worst.Verdict)}, {prefix + "error", worst.Error.String()},
				{prefix + "abs", worst.Abs.String()}, {prefix + "rel", worst.Rel.String()}}}
		if worst.Own != nil {
			a.Text += fmt.Sprintf("; alone: %s, error %v", worst.Own.Verdict, worst.Own.Error)
			a.Entries = append(a.Entries, [2]string{prefix + "error_alone", worst.Own.Error.String()})
		}
		for _, mark := range []struct {
			at   *locate.Point
			text string
		}{{f.First, "the first tensor out of tolerance"}, {f.Isolated,
			"out of tolerance when run alone"}} {
			if mark.at != nil && mark.at.Tensor == worst.Tensor {
				a.Text += "; " + mark.text
				a.Entries = append(a.Entries, [2]string{prefix + "found", mark.text})
			}
		}
		return a, true
	})
}

// isWorse reports whether tensor a is worse than tensor b of the same node. A tensor that fails is
// worse than one that passes. If both pass or both fail, the one with the larger error is worse.
func isWorse(a, b *locate.Point) bool {
	if a.Verdict != b.Verdict {
		return a.Verdict == compare.Fail
	}
	return figures.Worse(float64(a.Error), float64(b.Error))
}
