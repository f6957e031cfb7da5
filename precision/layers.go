package precision

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Layers finds how many of a model's first or last layers must run in a higher precision, like
// Polygraphy's `debug precision`. It uses an engine that can set the precision of individual
// layers. If there is no such engine, it inserts casts into the model, as [Repair] does, and counts
// all nodes except Constants as layers.
type Layers struct {
	// Linear raises the precision of one more layer at each step, starting with none. The default is
	// a binary search that starts with all layers.
	Linear bool
	// Reverse searches for a number of last layers instead of first layers.
	Reverse bool
	// Higher is the higher precision; the default is float32. Other precisions require an engine that
	// can set the precision of layers.
	Higher tensor.ElementType
	// Format is the format that casts round the model to: FP16 or BF16. An engine that can set the
	// precision of layers has options of its own for its lower precision; with such an engine, Format
	// only selects the advice in the result's text.
	Format Format
	// Rule compares the outputs with outputs computed in float32. It is used only if Check is nil.
	Rule compare.Options
	// Check reports whether the file at the given path fails. The file contains the built engine or
	// the model with casts ([Repaired.Lowered]).
	Check func(ctx context.Context, file string) (fails bool, err error)
	// Tolerances reports whether the user set Rule. Setting both Rule and Check is an error.
	Tolerances bool
	// File is the path to which the engine or the model is written before each call of Check.
	File string
	// Progress, if not nil, is called with the result of each step.
	Progress func(line string)
}

// Find runs the search. All subjects must have the same model. At most one subject has an engine
// that can set the precision of layers ([backends.Capabilities.Layers]). At most one other subject
// has a float32 engine, which is the reference. If there is no reference, Check must be
// set. If Check is set, there must be a single subject.
//
// All builds of a search share the engine's timing measurements; see [Repair.Builds].
//
// Errors: [ErrBeyond] if float32 itself fails; errors of the engines and of Check.
func (l Layers) Find(ctx context.Context, subjects []backends.Subject) (m *Marked, err error) {
	defer prefix("precision: layers", &err)
	if !l.Higher.Valid() {
		l.Higher = tensor.Float32
	}
	var layered, plain []backends.Subject
	for _, s := range subjects {
		if backends.CapabilitiesOf(s.Engine).Layers != nil {
			layered = append(layered, s)
		} else {
			plain = append(plain, s)
		}
	}
	switch {
	case len(layered) > 1 || len(plain) > 1 || len(subjects) == 0:
		return nil, fmt.Errorf("expected one engine with configurable layer precisions, one float32 "+
			"reference, or both; got %d engines", len(subjects))
	case l.Check != nil && len(subjects) > 1:
		return nil, errors.New("a judge command needs no reference: pass only one engine")
	case l.Check != nil && l.Tolerances:
		return nil, errors.New("a judge command decides what passes, so tolerances have no effect: " +
			"drop them")
	case l.Check == nil && len(plain) == 0:
		return nil, fmt.Errorf("there is nothing to compare the outputs of %v with: add a float32 "+
			"engine, such as ONNX Runtime, or a judge command", layered[0].Engine)
	case len(layered) > 0:
		m, err = l.inEngine(ctx, layered[0], plain)
	default:
		m, err = l.rounded(ctx, plain[0])
	}
	if err != nil {
		return nil, err
	}
	m.Model = subjects[0].Model.Name()
	if file, ok := subjects[0].Model.(*loaders.Model); ok {
		m.path = file.Path()
	}
	return m, nil
}

// search finds how many of the first or last layers must run in the higher precision. It assumes
// that raising the precision of more layers never makes the result worse. passes reports whether
// the result passes if the layers in the range [from,to) run in the higher precision.
//
// search takes the same steps as `debug precision` of Polygraphy 0.53.6
// (tools/debug/subtool/precision.py). It copies two quirks of that command: a bisection never tries
// zero layers, and a bisection reports failure if every layer is needed.
func (l Layers) search(ctx context.Context, layers int,
	passes func(ctx context.Context, from, to int) (bool, error)) (*Marked, error) {
	if layers < 1 {
		return nil, fmt.Errorf("the model has %d layers: expected at least one", layers)
	}
	m := &Marked{Linear: l.Linear, Reverse: l.Reverse, Higher: l.Higher, Layers: layers}
	try := func(count int) (bool, error) {
		from, to := l.ends(layers, count)
		ok, err := passes(ctx, from, to)
		if err != nil {
			return false, fmt.Errorf("layers %d to %d in %v: %w", from, to, l.Higher, err)
		}
		m.Steps++
		if l.Progress != nil {
			l.Progress(fmt.Sprintf("%d of %d layers in %v: %s", count, layers, l.Higher, verdict(ok)))
		}
		return ok, nil
	}
	if l.Linear {
		for count := 0; count <= layers && !m.Found; count++ {
			var err error
			if m.Found, err = try(count); err != nil {
				return nil, err
			}
			m.Count = count
		}
	} else {
		bad, good := 0, layers+1
		for count := layers; good-bad > 1; {
			ok, err := try(count)
			if err != nil {
				return nil, err
			}
			if ok {
				good = count
				count = (good + bad) / 2
			} else {
				bad = count
				count = (good + bad + 1) / 2
			}
		}
		m.Count, m.Found = good, good < layers
	}
	if !m.Found {
		m.Count = 0
	}
	return m, nil
}

// ends returns a range of count layers, [from,to): the last ones if l.Reverse is set, and the first
// ones otherwise.
func (l Layers) ends(layers, count int) (from, to int) {
	if l.Reverse {
		return layers - count, layers
	}
	return 0, count
}

// inEngine searches for the layers that need a higher precision. The engine can set the precision
// of single layers.
func (l Layers) inEngine(ctx context.Context, subject backends.Subject,
	references []backends.Subject) (*Marked, error) {
	names, err := backends.CapabilitiesOf(subject.Engine).Layers(ctx, subject.Model)
	if err != nil {
		return nil, err
	}
	engine, forget, err := sharing(ctx, subject.Engine, subject.Model, subject.Inputs)
	if err != nil {
		return nil, err
	}
	defer forget()
	var expected []*tensor.Set
	if l.Check == nil {
		reference := references[0]
		if err := noise.Float32(ctx, reference.Engine); err != nil {
			return nil, err
		}
		run, err := backends.RunIn(ctx, reference.Engine, reference.Model, reference.Inputs)
		if err != nil {
			return nil, err
		}
		expected = run.Outputs()
	} else {
		engine = backends.CapabilitiesOf(engine.Save(l.File))
	}
	some := func(from, to int) []string {
		return slices.DeleteFunc(slices.Clone(names[from:to]),
			func(name string) bool { return name == "" })
	}
	found, err := l.search(ctx, len(names), func(ctx context.Context, from, to int) (bool, error) {
		raised, err := engine.Raise(some(from, to), l.Higher)
		if err != nil {
			return false, err
		}
		if l.Check != nil {
			backend, err := raised.Open(ctx, subject.Model, subject.Inputs)
			if err == nil {
				err = backend.Close()
			}
			if err != nil {
				return false, err
			}
			return l.check(ctx)
		}
		run, err := backends.RunIn(ctx, raised, subject.Model, subject.Inputs)
		if err != nil {
			return false, err
		}
		report, err := compare.Runs(run.Outputs(), expected, l.Rule)
		return report.Verdict == compare.Pass, err
	})
	if err == nil {
		found.Format = l.Format
		found.Names = some(l.ends(found.Layers, found.Count))
		found.told = true
	}
	return found, err
}

// check reports whether the written file passes Check.
func (l Layers) check(ctx context.Context) (bool, error) {
	fails, err := l.Check(ctx, l.File)
	return !fails, err
}

// rounded runs the search ([Layers.search]) on models in which casts do the rounding. Each step
// keeps a different number of nodes in float32.
func (l Layers) rounded(ctx context.Context, subject backends.Subject) (*Marked, error) {
	if l.Format == "" {
		return nil, errors.New("specify the format to round to: precision.FP16 or precision.BF16")
	}
	if l.Higher != tensor.Float32 {
		return nil, fmt.Errorf("the higher precision must be float32, got %v: %v cannot set the "+
			"precision of single layers, so the search adds casts to the float32 model", l.Higher,
			subject.Engine)
	}
	rule := l.Rule
	if l.Check != nil { // Check judges, so use a rule that the reference passes
		rule = compare.Options{Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)},
			NaNEqual: true, InfinitiesEqual: true}
	}
	w, done, err := Repair{Format: l.Format, Rule: rule}.begin(ctx, subject)
	if err != nil {
		return nil, err
	}
	defer done()
	n := w.network
	passes := func(ctx context.Context, from, to int) (bool, error) {
		kept := n.among(from, to)
		if l.Check == nil {
			t, err := w.try(ctx, kept)
			return err == nil && t.Passes, err
		}
		model, err := n.in(asDeployed, kept)
		if err == nil {
			err = model.Save(l.File)
		}
		if err != nil {
			return false, err
		}
		return l.check(ctx)
	}
	found, err := l.search(ctx, len(n.layers()), passes)
	if err != nil {
		return nil, err
	}
	found.Format = l.Format
	from, to := l.ends(found.Layers, found.Count)
	kept := n.among(from, to)
	for j, i := range n.steps {
		if kept[j] {
			found.Names = append(found.Names, n.nodes[i].label())
		}
	}
	_, unnamed := n.named(kept)
	found.told = unnamed == nil
	return found, nil
}

// layers lists the nodes except Constants, in the order of Polygraphy's `debug precision`.
func (n *network) layers() (list []int) {
	for i := range n.nodes {
		if n.nodes[i].Op != "Constant" || n.nodes[i].Domain != "" {
			list = append(list, i)
		}
	}
	return list
}

// among returns, for each compute node, whether its index among [network.layers] is in [from,to).
func (n *network) among(from, to int) []bool {
	kept := make([]bool, len(n.steps))
	for _, i := range n.layers()[from:to] {
		if n.nodes[i].role == computes {
			kept[n.nodes[i].step] = true
		}
	}
	return kept
}
