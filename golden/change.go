package golden

import (
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// ChangeKind says what an update did to a golden file.
type ChangeKind string

// The kinds of change.
const (
	Untouched ChangeKind = "untouched" // no update was requested
	Unchanged ChangeKind = "unchanged" // the file already had these bytes
	Kept      ChangeKind = "kept"      // the run matched the file within the spec's tolerance
	Created   ChangeKind = "created"
	Rewritten ChangeKind = "rewritten"
)

// writes reports whether a change of this kind writes the file.
func (k ChangeKind) writes() bool { return k == Created || k == Rewritten }

// Change describes what an update did or would do. It marshals to JSON even with NaN values.
type Change struct {
	Path string     `json:"path"`
	Kind ChangeKind `json:"kind"`
	// Proposed is true if nothing was written because the mode is [Diff].
	Proposed bool `json:"proposed,omitempty"`
	// Moved has one entry per output and iteration, in the new run's order, followed by the
	// outputs that are gone. It is empty if there was no old file.
	Moved []Move `json:"moved,omitempty"`
	// Damage says why the old file could not be read; it is empty if the file was readable.
	Damage string `json:"damage,omitempty"`
	// By names the spec by its text, or the assertion by its file and line.
	By string `json:"by,omitempty"`
	// Verdict is the result of comparing the run with the old file within the spec's tolerance, and
	// Reason says why the comparison failed. Both are empty if there was no old file.
	Verdict   compare.Verdict `json:"verdict,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Tolerance string          `json:"tolerance,omitempty"` // the spec's tolerance in words
	// Was and Is are the provenance of the old run and of the new run. Was is nil if there was no
	// old file.
	Was *backends.Provenance `json:"was,omitempty"`
	Is  *backends.Provenance `json:"is,omitempty"`
}

// Move describes how much one output differs from its previous golden value.
type Move struct {
	Output    string `json:"output"`
	Iteration int    `json:"iteration"`
	// MaxAbs and MaxRel are the largest absolute and the largest relative change of an element; the
	// relative change is |new - old| / |old|. Both are NaN if a NaN appeared or disappeared, or if
	// Reason is set.
	MaxAbs float64 `json:"max_abs"`
	MaxRel float64 `json:"max_rel"`
	// Reason says what changed besides the values: "new", "gone", or a different type or shape. It is
	// empty if only values changed.
	Reason string `json:"reason,omitempty"`
	// Verdict is the result for this output within the spec's tolerance, and Fails says why the
	// output fails. Verdict is empty if the tolerance ignores the output.
	Verdict compare.Verdict `json:"verdict,omitempty"`
	Fails   string          `json:"fails,omitempty"`
}

// Wrote reports whether the file was written.
func (c Change) Wrote() bool { return !c.Proposed && c.Kind.writes() }

// what returns the kind in words, such as "rewritten", "would be rewritten" or "kept".
func (c Change) what() string {
	if c.Proposed && c.Kind.writes() {
		return "would be " + string(c.Kind)
	}
	return string(c.Kind)
}

// String returns one line for a report: "golden rewritten: testdata/golden/digits.json, max abs
// change 0.00123 (logits), probabilities unchanged", or "golden kept:
// testdata/golden/digits.json: within tolerance, moved by at most 3.3e-06 (features)".
func (c Change) String() string { return names.Line(c.line()) }

func (c Change) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "golden %s: %s", c.what(), c.Path)
	switch {
	case c.Kind == Kept:
		return b.String() + ": within tolerance, " + c.furthest()
	case c.Kind != Rewritten:
		return b.String()
	case c.Damage != "":
		return b.String() + ", the old file could not be read: " + c.Damage
	}
	for _, m := range c.Moved {
		b.WriteString(", " + m.text(c.numbered()))
	}
	return b.String()
}

// furthest names the output that changed most. An output whose change cannot be expressed as a
// number, such as a string or a new NaN, ranks above all others.
func (c Change) furthest() string {
	most := Move{}
	for _, m := range c.Moved {
		if math.IsNaN(m.MaxAbs) {
			return m.text(c.numbered())
		}
		if m.MaxAbs > most.MaxAbs {
			most = m
		}
	}
	if most.MaxAbs == 0 {
		return "no output moved"
	}
	return fmt.Sprintf("moved by at most %s (%s)",
		figures.Short(most.MaxAbs), most.name(c.numbered()))
}

// Notable reports whether the change is worth printing: whether the file was written, or was kept
// although outputs changed.
func (c Change) Notable() bool {
	return c.Kind.writes() || c.Kind == Kept && c.furthest() != "no output moved"
}

// numbered reports whether the run has several iterations. If so, messages name the iteration of
// each output.
func (c Change) numbered() bool {
	return len(c.Moved) > 0 && c.Moved[len(c.Moved)-1].Iteration > 0
}

func (m Move) name(numbered bool) string {
	if numbered {
		return fmt.Sprintf("%s of iteration %d", m.Output, m.Iteration)
	}
	return m.Output
}

func (m Move) text(numbered bool) string {
	if m.Reason == "" && m.MaxAbs != 0 {
		return fmt.Sprintf("max abs change %s (%s)", figures.Short(m.MaxAbs), m.name(numbered))
	}
	return m.name(numbered) + " " + m.extent()
}

// moves compares two runs output by output, matched by exact name. If the old file contains a
// sample, both runs must contain only the sampled elements.
func moves(current, old []*tensor.Set) (all []Move) {
	for i := range max(len(old), len(current)) {
		is, was := outputsAt(current, i), outputsAt(old, i)
		for name, t := range is.All() {
			all = append(all, move(name, i, t, was))
		}
		for _, name := range was.Names() {
			if _, kept := is.Get(name); !kept {
				all = append(all, Move{Output: name, Iteration: i, MaxAbs: math.NaN(),
					MaxRel: math.NaN(), Reason: "gone"})
			}
		}
	}
	return all
}

// outputsAt returns the outputs of an iteration, or an empty set if there is no such iteration.
func outputsAt(sets []*tensor.Set, i int) *tensor.Set {
	if i >= len(sets) {
		return new(tensor.Set)
	}
	return sets[i]
}

func move(name string, iteration int, t *tensor.Tensor, was *tensor.Set) Move {
	m := Move{Output: name, Iteration: iteration, MaxAbs: math.NaN(), MaxRel: math.NaN()}
	old, ok := was.Get(name)
	if !ok {
		m.Reason = "new"
		return m
	}
	if t.ElementType() != old.ElementType() || !t.Shape().Equal(old.Shape()) {
		m.Reason = fmt.Sprintf("was %v%v, is %v%v",
			old.ElementType(), old.Shape(), t.ElementType(), t.Shape())
		return m
	}
	if t.Identical(old) {
		m.MaxAbs, m.MaxRel = 0, 0
		return m
	}
	out, err := compare.Tensors(t, old, compare.Options{
		Checks:   []compare.Check{compare.Within(0, 0, compare.Max)},
		NaNEqual: true, InfinitiesEqual: true,
	})
	switch {
	case err != nil:
		m.Reason = "changed: " + err.Error()
	case len(out.Results) == 0:
		m.Reason = "changed: " + out.Reason
	default:
		m.MaxAbs, m.MaxRel = out.Results[0].Abs, out.Results[0].Rel
	}
	return m
}
