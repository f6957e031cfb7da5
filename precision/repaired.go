package precision

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/speccode"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// Named returns the names of the layers that an engine must keep in float32
// ([backends.Capabilities.Raise]): the kept compute nodes, and the data-movement nodes between them
// that engines treat as separate layers. It returns an error if a kept compute node has no name.
func (r *Repaired) Named() ([]string, error) {
	return r.search.network.named(r.kept)
}

// Flags returns the command-line flags that make TensorRT 10 keep the nodes in float32, or "" if
// no node needs to be kept.
func (r *Repaired) Flags() (string, error) {
	names, err := r.Named()
	if err != nil || len(names) == 0 {
		return "", err
	}
	return layerFlags(names, tensor.Float32), nil
}

// layerFlags returns the flags that make TensorRT 10 compute the named layers in the given type.
func layerFlags(names []string, elem tensor.ElementType) string {
	text := "--precision-constraints obey --layer-precisions"
	for _, name := range names {
		word := name + ":" + elem.String()
		if strings.ContainsAny(word, " \t\n'\"\\$*?[]#~=%|&;()<>{}`!") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		text += " " + word
	}
	return text
}

// Inputs returns the inputs that the search used: the subject's, and those that the search added
// because an earlier set of nodes failed on them.
func (r *Repaired) Inputs() fixtures.Inputs { return fixtures.Of(r.search.inputs...) }

// Holds runs the model to deploy ([Repaired.Lowered]) in the engine of [Repair.Find]'s subject, and
// judges the outputs by [Repair.Rule]. Find may have run only a float32 model with casts. Because
// engines add or drop casts, the outputs of the two models can differ.
func (r *Repaired) Holds(ctx context.Context) (compare.Report, error) {
	lowered, err := r.Lowered()
	if err != nil {
		return compare.Report{}, fmt.Errorf("precision: %w", err)
	}
	w := r.search
	run, err := backends.RunIn(ctx, w.subject.Engine, lowered, fixtures.Of(w.inputs...))
	if err != nil {
		return compare.Report{}, fmt.Errorf("precision: running the repaired model: %w", err)
	}
	return compare.Runs(run.Outputs(), w.expected, w.Rule)
}

// Text formats the result for people. It ends with a newline.
func (r *Repaired) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s: %d of %d compute nodes stay in float32", r.Model, r.Format,
		r.Computing, r.Of)
	if n := len(r.Keep) - r.Computing; n > 0 {
		fmt.Fprintf(&b, ", and %d nodes that move data between them", n)
	}
	fmt.Fprintf(&b, "\nfound in %d runs; the model has %d nodes that output floats\n", r.Runs, r.Nodes)
	b.WriteString(r.Unused.text())
	if r.Builds > 0 {
		fmt.Fprintf(&b, "checked sets of nodes with the engine %v: %d builds and their runs took %v\n",
			r.search.Engine, r.Builds, r.Judging.Round(time.Millisecond))
	}
	if len(r.Keep) == 0 {
		return b.String()
	}
	b.WriteString("\n")
	rows := [][]string{{"float32", "operator",
		fmt.Sprintf("error in %s, as a fraction of the allowed error", r.Format)}}
	for _, k := range r.Keep {
		text := fmt.Sprintf("%.2g", k.Error)
		switch {
		case k.Follows:
			text = "(moves)"
		case k.Error < 0:
			text = "infinite"
		}
		if k.Why != "" {
			text += ": " + string(k.Why)
		}
		rows = append(rows, []string{k.Node, k.Op, text})
	}
	b.WriteString(strings.Join(figures.Table(rows), "\n") + "\n")
	return b.String()
}

// DataFiles lists the files that [Repaired.Save] may write next to a model.
func DataFiles(file string) []string {
	return []string{file + ".data", inputsBeside(file), outputsBeside(file), specBeside(file)}
}

func inputsBeside(file string) string  { return file + ".inputs.json" }
func outputsBeside(file string) string { return file + ".outputs.json" }
func specBeside(file string) string    { return strings.TrimSuffix(file, ".onnx") + "_test.go" }

// Save writes the model to deploy ([Repaired.Lowered]) to file, the inputs of the search to
// <file>.inputs.json, and a spec to <file without .onnx>_test.go. Save returns the paths of the
// written files. original is the path of the model that was repaired.
//
// The spec runs the model to deploy, and compares its outputs with the outputs of the original
// model in float32. The spec also runs the original model in each of engines, and compares the
// outputs in the same way. The caller must set up these engines to keep the nodes of
// [Repaired.Named] in float32.
//
// If [Repair.Expected] was set, Save writes these expected outputs to <file>.outputs.json, and the
// spec compares with them instead of the outputs of the original model.
func (r *Repaired) Save(file, original string, engines ...backends.Engine) (written []string,
	err error) {
	defer prefix("precision", &err)
	lowered, err := r.Lowered()
	if err != nil {
		return nil, err
	}
	spec, err := r.spec(file, original, engines...)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	if err := wholefile.Beside(file, DataFiles(file)...); err != nil {
		return nil, err
	}
	if err := lowered.Save(file); err != nil {
		return nil, err
	}
	written = []string{file, inputsBeside(file)}
	if err := fixtures.Save(inputsBeside(file), r.Inputs()); err != nil {
		return nil, err
	}
	if r.search.Expected != nil {
		if err := fixtures.Save(outputsBeside(file), fixtures.Of(r.search.expected...)); err != nil {
			return nil, fmt.Errorf("outputs: %w", err)
		}
		written = append(written, outputsBeside(file))
	}
	if err := wholefile.WriteBytes(specBeside(file), spec); err != nil {
		return nil, fmt.Errorf("spec of %s: %w", file, err)
	}
	return append(written, specBeside(file)), nil
}

// spec returns the Go file that [Repaired.Save] writes.
func (r *Repaired) spec(file, original string, engines ...backends.Engine) ([]byte, error) {
	to := "the same model in float32"
	outputs := ""
	if r.search.Expected != nil {
		to, outputs = "saved outputs", outputsBeside(file)
	}
	reference, rule := r.search.subject.Engine, r.search.Rule
	sides := []speccode.Side{{Test: "Repaired", Engine: reference, Model: file}}
	for i, e := range engines {
		sides = append(sides, speccode.Side{Test: fmt.Sprintf("Kept%d", i+1), Engine: e,
			Model: original})
	}
	return speccode.Spec{File: specBeside(file), Sides: sides, Original: original,
		Inputs: inputsBeside(file), Outputs: outputs, Reference: reference,
		About: fmt.Sprintf("Compares a model in %s (%d of %d nodes in float32) with %s.", r.Format,
			r.Computing, r.Of, to),
		Rule: compare.Options{Checks: rule.Checks, PerOutput: rule.PerOutput,
			NaNEqual: rule.NaNEqual, InfinitiesEqual: rule.InfinitiesEqual}}.Source()
}
