package matchers

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// changed calls the function change on a copy of m, and returns the copy. The copy does not have
// the result of an earlier Match. The matcher m stays unchanged.
func (m *comparer) changed(change func(*comparer)) *comparer {
	c := *m
	c.last = comparison{}
	c.outputs = maps.Clone(m.outputs)
	if c.outputs == nil {
		c.outputs = map[string]checkSet{}
	}
	c.reportTo = slices.Clone(m.reportTo)
	change(&c)
	return &c
}

// Within adds the check compare.Within(atol, rtol, stat) for every output. The checks passed to
// [MatchOutputs] and With must pass, too. Calling Within again with a different tolerance is an
// error. To check several statistics, add the others with With:
//
//	MatchGolden("digits").Within(1e-5, 1e-5, Elementwise).With(compare.Within(1e-7, 0, Mean))
func (m tolerances[M]) Within(atol, rtol float64, stat compare.Stat) M {
	return m.changed(func(c *comparer) {
		c.wrong(c.all.tolerate("every output", compare.Within(atol, rtol, stat),
			", and add the other with With(compare.Within(…)) if both must hold"))
	})
}

// With adds checks for every output; all must pass. Package compare has ULP distance, cosine
// similarity, NumPy's additive rule, an allowed fraction of mismatches, and compare.Func for a rule
// of your own.
//
//	MatchOutputsWithin(1e-2, 1e-2, Max).With(compare.CosineSimilarity(0.999)).Of(fp32)
func (m tolerances[M]) With(checks ...compare.Check) M {
	return m.changed(func(c *comparer) { c.all.add(checks) })
}

// ForOutput checks one output with compare.Within(atol, rtol, stat), and with the checks passed to
// ForOutputWith. The checks for every output then do not apply to this output. The name may be a
// pattern, in which * matches any sequence of characters, ? matches any one character, and [seq]
// and [!seq] are character classes. An exact name takes precedence over a pattern. It is an error
// to set two different tolerances for one output, to pass a name that neither side has or a pattern
// that matches nothing, or to pass two patterns that match the same output.
//
//	MatchOutputs().ForOutput("present.*.key", 1e-3, 1e-3, Max).ForOutput("logits", 0, 1e-2, Max)
func (m overrides[M]) ForOutput(
	name string, atol, rtol float64, stat compare.Stat,
) M {
	return m.changed(func(c *comparer) {
		own := c.outputs[name]
		c.wrong(own.tolerate(fmt.Sprintf("output %q", name), compare.Within(atol, rtol, stat),
			", and add the other with ForOutputWith if both must hold"))
		c.outputs[name] = own
	})
}

// ForOutputWith adds checks for one output, or for all outputs that a pattern matches. For these
// outputs, only the checks passed to ForOutputWith and the tolerance passed to ForOutput apply. The
// checks for every output, such as the ones passed to With, do not apply to these outputs. Passing
// no check is an error.
func (m overrides[M]) ForOutputWith(name string, checks ...compare.Check) M {
	return m.changed(func(c *comparer) {
		own := c.outputs[name]
		own.add(checks)
		if len(checks) == 0 {
			c.wrong(fmt.Errorf("ForOutputWith(%q) has no check, so it could not fail", name))
		}
		c.outputs[name] = own
	})
}

// Under sets options of package compare. They select the outputs to compare (Only, Except, TopK),
// pair them (Names, ByPosition), and say what counts as equal (NaNEqual, InfinitiesEqual,
// AnyElementType, AnyShape) and what passes (AllowEmpty, Finite, Average). The options must not
// contain checks: use With and ForOutputWith instead. With Names or ByPosition, an update keeps the
// names in the golden file. Calling Under twice is an error.
//
//	MatchGolden("digits").Under(compare.Options{Only: []string{"logits"}, NaNEqual: true})
func (m choices[M]) Under(o compare.Options) M {
	return m.changed(func(c *comparer) {
		c.wrong(c.under.set(o))
	})
}

// under contains the options passed to Under.
type under struct {
	options compare.Options
	given   bool
}

func (u *under) set(o compare.Options) error {
	switch {
	case len(o.Checks)+len(o.PerOutput) > 0:
		return errors.New("the options of Under contain checks: move them to With or ForOutputWith")
	case u.given:
		return errors.New("Under is called twice: put all options into one call")
	}
	o.Names, o.TopK = maps.Clone(o.Names), maps.Clone(o.TopK)
	o.Only, o.Except = slices.Clone(o.Only), slices.Clone(o.Except)
	*u = under{o, true}
	return nil
}

// wrong records an error in the use of the matcher, unless an earlier one has been recorded.
func (m *comparer) wrong(err error) {
	if m.misuse == nil {
		m.misuse = err
	}
}

// ReportTo makes Match call each of the functions with the comparison, whether it passes or fails.
// Further calls of ReportTo add functions. ginkgoreport.Attach adds an entry to the Ginkgo report;
// ginkgoreport.Save saves both sides.
func (m reports[M]) ReportTo(show ...func(compare.Pair)) M {
	return m.changed(func(c *comparer) {
		c.reportTo = append(c.reportTo, show...)
		if slices.ContainsFunc(show, func(f func(compare.Pair)) bool { return f == nil }) {
			c.wrong(errors.New("a function passed to ReportTo is nil"))
		}
	})
}

// Of sets the expected side: a *backends.Run, or any other value that this package accepts. You can
// pass both results of an engine's Run directly. If the second result is an error, Match returns
// it:
//
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchOutputsWithin(1e-3, 1e-3, Max).Of(ort.Run(ctx, model, inputs)))
func (m references[M]) Of(expected any, err ...error) M {
	return m.changed(func(c *comparer) {
		for _, e := range err {
			if e != nil {
				c.wrong(fmt.Errorf("the expected run failed: %w", e))
				return
			}
		}
		c.setReference(given{expected})
	})
}

// OfFile compares with a saved run. The file may have any format that runs.ReadRuns reads: outputs
// saved by Polygraphy or by `modelparity run --save-outputs`, .npz, .npy, .safetensors, or ONNX
// test data. "FILE#RUN" selects one of several runs, "FILE#RUN/ITERATION" selects one iteration of
// a run. If the format has no output names, outputs are paired in the order of the actual side. The
// file is never written.
func (m references[M]) OfFile(path string) M {
	return m.changed(func(c *comparer) { c.setReference(savedFile{path}) })
}

// setReference sets the expected side. If the expected side was set before, setReference records an
// error instead.
func (m *comparer) setReference(r reference) {
	if m.reference != nil {
		m.wrong(fmt.Errorf("there are two expected sides, %v and %v: keep one", m.reference, r))
		return
	}
	m.reference = r
}
