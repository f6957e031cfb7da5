// Package surgeon changes ONNX files like Polygraphy's commands convert and surgeon, with the same
// flags. It calls packages [loaders] and [ort], which specs can also call directly.
package surgeon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// Flags holds the flags of a command line. The zero value is a command line without flags.
type Flags struct {
	given []string

	folder         string
	ignore         bool
	infer, noInfer bool
	half           edit.Float16
	isHalf         bool
	external       loaders.External
	isExternal     bool

	shapes            map[string][]loaders.Dim
	observe           bool
	feed              inputflags.Flags // the inputs of the run that shapes are taken from
	bounds            map[string]int64 // by tensor; "" means all other tensors
	fold              bool
	folding           edit.Folding
	cleanup, toposort bool
	marks             loaders.Selection
	inputs, outputs   []string
	node              edit.NewNode
	exclude           string
	seed              int64
}

// Result describes the files that were written.
type Result struct {
	Written []string
	Text    string // lines to print, or ""
}

// Convert changes the ONNX model at path as the flags say and writes the result to out. As in
// Polygraphy, the selected tensors, if there are any, replace the model's outputs.
func (f *Flags) Convert(ctx context.Context, path string, marks loaders.Selection, out string) (
	r Result, err error) {
	if out == "" {
		return r, errNoOutput
	}
	m, err := f.Model(ctx, path, marks)
	if err != nil {
		return r, err
	}
	return f.Save(m, out)
}

// Changed is a changed model. Text holds the lines to print about the change, if any.
type Changed struct {
	*loaders.Model
	Text string
}

// Model returns the model that [Flags.Convert] would write.
func (f *Flags) Model(ctx context.Context, path string, marks loaders.Selection) (Changed, error) {
	return f.changed(ctx, path, func(m *loaders.Model) (*loaders.Model, string, error) {
		marked, err := outputs(ctx, m, marks)
		return marked, "", err
	})
}

// Given reports whether the command line has any of the flags.
func (f *Flags) Given() bool { return len(f.given) > 0 }

// Notes returns notes for the user about the inputs with which the model ran to find shapes.
func (f *Flags) Notes() []string { return f.feed.Notes("--model-input-shapes") }

// Data returns the path of the file that --save-external-data writes for a model saved to out.
// Without that flag, Data returns nil.
func (f *Flags) Data(out string) []string {
	switch {
	case !f.isExternal || out == "":
		return nil
	case f.external.File == "":
		return []string{out + ".data"}
	}
	return []string{filepath.Join(filepath.Dir(out), f.external.File)}
}

// changed loads a model and changes it as the flags say.
func (f *Flags) changed(ctx context.Context, path string,
	do func(*loaders.Model) (*loaders.Model, string, error)) (c Changed, err error) {
	var m *loaders.Model
	switch {
	case f.ignore && f.folder != "":
		return c, errors.New("--ignore-external-data reads no external data; drop --external-data-dir")
	case f.ignore:
		m = loaders.ONNXStructure(path)
	case f.folder != "":
		m = loaders.ONNXWithData(path, f.folder)
	default:
		m = loaders.ONNX(path)
	}
	if c.Model, c.Text, err = do(m); err != nil {
		return c, err
	}
	if f.infer && !f.noInfer { // before ToFloat16, which has to know the types
		c.Model, err = edit.InferShapes(ctx, c.Model, ort.EditEngine())
	}
	if f.isHalf && err == nil {
		var report edit.Float16Report
		c.Model, report, err = edit.ToFloat16(c.Model, f.half)
		c.Text += report.String()
	}
	return c, err
}

// Save writes a changed model. It writes the weights to a separate file if the flags ask for it, or
// if the model is too large for a single file.
func (f *Flags) Save(m Changed, out string) (r Result, err error) {
	r.Text = m.Text
	if f.isExternal {
		r.Written, err = m.SaveExternal(out, f.external)
		if len(r.Written) == 1 {
			r.Text += "no weight is large enough for external data: all weights are in the model file\n"
		}
		return r, err
	}
	if err = m.Model.Save(out); err == nil {
		saved, _ := loaders.ONNX(out).ExternalData()
		r.Written = append([]string{out}, slices.DeleteFunc(saved, func(data string) bool {
			return !strings.HasPrefix(data, out) // else the model was too large for one file
		})...)
	}
	return r, err
}

// outputs returns a copy of the model with the selected tensors as its outputs. If none are
// selected, it returns the model unchanged.
func outputs(ctx context.Context, m *loaders.Model, marks loaders.Selection) (*loaders.Model,
	error) {
	_, wanted, err := m.Marked(marks)
	if err != nil || wanted == nil {
		return m, err
	}
	values, inferred, err := typed(ctx, m, wanted)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(values, func(v loaders.Value) bool { return v.Kind != loaders.Tensor }) {
		m = inferred // a sequence's type is copied from its declaration
	}
	return edit.WithOutputs(m, values...)
}

// typed returns the named tensors with their declared or inferred types, and the model that
// declares these types.
func typed(ctx context.Context, m *loaders.Model, names []string) ([]loaders.Value, *loaders.Model,
	error) {
	values, err := known(m, names)
	if err == nil && slices.ContainsFunc(values, func(v loaders.Value) bool { return !v.HasShape }) {
		if m, err = edit.InferShapes(ctx, m, ort.EditEngine()); err != nil {
			return nil, nil, fmt.Errorf("the types of %s are not declared and cannot be inferred: %w",
				strings.Join(names, ", "), err)
		}
		values, err = known(m, names)
	}
	return values, m, err
}

// known returns the named tensors with the types and shapes that the model declares, or that its
// weights have.
func known(m *loaders.Model, names []string) ([]loaders.Value, error) {
	declared, err := m.Declared(names...)
	weights, wrong := m.Initializers()
	for _, w := range weights {
		v := loaders.Value{Name: w.Name, Kind: loaders.Tensor, Type: w.Type, HasShape: true}
		for _, size := range w.Shape {
			v.Dims = append(v.Dims, loaders.Dim{Size: size})
		}
		declared[w.Name] = v
	}
	values := make([]loaders.Value, len(names))
	for i, name := range names {
		values[i] = loaders.Value{Name: name, Kind: loaders.Untyped}
		if value, known := declared[name]; known {
			values[i] = value
		}
	}
	return values, cmp.Or(err, wrong)
}

// insert adds a node to the model's graph. If ONNX Runtime refuses the new model, for example
// because it does not know the operator, the text says so.
func (f *Flags) insert(ctx context.Context, m *loaders.Model) (*loaders.Model, string, error) {
	f.node.Inputs, f.node.Outputs = f.inputs, f.outputs
	if f.node.Op == "" || len(f.inputs) == 0 || len(f.outputs) == 0 {
		return nil, "", errors.New("insert needs --op, and one or more tensors each after --inputs " +
			"and --outputs")
	}
	inserted, err := edit.Insert(m, f.node)
	if err != nil {
		return nil, "", err
	}
	_, text, err := f.shaped(ctx, inserted)
	return inserted, text, err
}

// sanitize simplifies a model. It also infers shapes, unless a flag turns that off.
func (f *Flags) sanitize(ctx context.Context, m *loaders.Model) (_ *loaders.Model, text string,
	err error) {
	f.marks.Names = values.Marked(f.outputs)
	m, err = outputs(ctx, m, f.marks)
	if len(f.shapes) > 0 && err == nil {
		m, err = edit.WithInputShapes(m, f.shapes)
	}
	if f.cleanup && err == nil {
		m, err = edit.Cleanup(m)
	}
	if f.toposort && err == nil {
		m, err = edit.Sorted(m)
	}
	if err != nil {
		return nil, "", err
	}
	if f.fold {
		before, _ := m.Nodes() // FoldConstants returns the error of a model that cannot be read
		if m, err = edit.FoldConstants(ctx, m, f.folding, ort.EditEngine()); err != nil {
			return nil, "", err
		}
		after, err := m.Nodes()
		if err != nil {
			return nil, "", err
		}
		text = fmt.Sprintf("folded %d of %d nodes\n", len(before)-len(after), len(before))
	}
	m, said, err := f.shaped(ctx, m)
	if err != nil || f.bounds == nil {
		return m, text + said, err
	}
	m, bounded, err := f.bounded(m)
	return m, text + said + bounded, err
}

// shaped infers types and shapes and declares them in the model, unless a flag turns that off.
func (f *Flags) shaped(ctx context.Context, m *loaders.Model) (*loaders.Model, string, error) {
	if f.observe {
		if f.noInfer || f.ignore {
			return nil, "", errors.New("--force-fallback-shape-inference has to run the model; drop " +
				"--no-shape-inference and --ignore-external-data, which prevent that")
		}
		if err := f.feed.Check(); err != nil {
			return nil, "", err
		}
		for inputs, err := range f.feed.Inputs(m).All() {
			if err != nil {
				return nil, "", fmt.Errorf("observe shapes: %w", err)
			}
			seen, err := edit.ObserveShapes(ctx, m, inputs, ort.EditEngine())
			return seen, "", err
		}
		return nil, "", errors.New("observe shapes: there are no inputs")
	}
	if f.noInfer || f.ignore {
		return m, "", nil
	}
	inferred, err := edit.InferShapes(ctx, m, ort.EditEngine())
	switch {
	case context.Cause(ctx) != nil:
		return nil, "", context.Cause(ctx)
	case err != nil:
		return m, fmt.Sprintf("shapes could not be inferred: %v\n", err), nil
	}
	return inferred, "", nil
}

// bounded sets upper bounds on the tensors whose values determine the sizes of other tensors.
func (f *Flags) bounded(m *loaders.Model) (_ *loaders.Model, text string, err error) {
	own := maps.Clone(f.bounds)
	delete(own, "")
	m, applied, err := edit.WithUpperBounds(m, own, f.bounds[""])
	for _, name := range slices.Sorted(maps.Keys(applied)) {
		text += fmt.Sprintf("%s: at most %d\n", name, applied[name])
	}
	if len(applied) == 0 {
		text = "nothing to bound: " + describe.Unbounded(nil)
	}
	return m, text, err
}

// prune sets weights to zero. The text lists these weights, and says why others were not changed.
func (f *Flags) prune(_ context.Context, m *loaders.Model) (*loaders.Model, string, error) {
	pruned, report, err := edit.Prune(m)
	var b strings.Builder
	for _, w := range report {
		if w.Kept != "" {
			fmt.Fprintf(&b, "%s was not changed: %s\n", w.Name, w.Kept)
		} else {
			fmt.Fprintf(&b, "%s: %s set to zero\n", w.Name, figures.Plural(w.Zeroed, "value"))
		}
	}
	if len(report) == 0 && err == nil {
		b.WriteString("no weight of a Conv, Gemm or MatMul was found\n")
	}
	return pruned, b.String(), err
}

// strip removes the weights from a model.
func (f *Flags) strip(_ context.Context, m *loaders.Model) (*loaders.Model, string, error) {
	var except []string
	if f.exclude != "" {
		data, err := regular.Read(f.exclude)
		if err != nil {
			return nil, "", err
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" {
				except = append(except, line)
			}
		}
	}
	stripped, names, err := edit.StripWeights(m, except...)
	return stripped, "stripped " + figures.Plural(len(names), "weight") + "\n", err
}

// reconstruct gives random values to the weights that strip has removed.
func (f *Flags) reconstruct(_ context.Context, m *loaders.Model) (*loaders.Model, string, error) {
	full, names, err := edit.ReconstructWeights(m, f.seed)
	return full, "reconstructed " + figures.Plural(len(names), "weight") + "\n", err
}
