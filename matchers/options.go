package matchers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// changed is a changed copy, without the result of a Match. The copy shares nothing that change
// writes to.
func (m *comparer) changed(change func(*comparer)) *comparer {
	c := *m
	c.last = comparison{}
	c.outputs = maps.Clone(m.outputs)
	if c.outputs == nil {
		c.outputs = map[string]held{}
	}
	c.options.Names = maps.Clone(m.options.Names)
	c.options.TopK = maps.Clone(m.options.TopK)
	c.reportTo = slices.Clone(m.reportTo)
	change(&c)
	return &c
}

// Within adds compare.Within(atol, rtol, stat) for every output to the checks of [MatchOutputs] and
// With; all must pass, and their order does not matter. A second, different tolerance is an error.
// To check several statistics, add the others:
//
//	MatchGolden("digits").Within(1e-5, 1e-5, Elementwise).With(compare.Within(1e-7, 0, Mean))
func (m tolerances[M]) Within(atol, rtol float64, stat compare.Stat) M {
	return m.changed(func(c *comparer) {
		c.wrong(c.all.tolerate("every output", compare.Within(atol, rtol, stat),
			", and add the other with With(compare.Within(…)) if both must hold"))
	})
}

// With adds checks for every output; all must pass. Package compare has ULP distance, cosine
// similarity, the additive rule, an allowed share of mismatches, and compare.Func for your own.
//
//	MatchOutputsWithin(1e-2, 1e-2, Max).With(compare.CosineSimilarity(0.999)).Of(fp32)
func (m tolerances[M]) With(checks ...compare.Check) M {
	return m.changed(func(c *comparer) { c.all.add(checks) })
}

// ForOutput checks one output with compare.Within(atol, rtol, stat) and the checks of
// ForOutputWith, instead of the checks for every output. The name may be a pattern: * is any run of
// characters, ? any one character, [seq] and [!seq] are classes. An exact name takes precedence
// over a pattern. A second, different tolerance for one output, a name that neither side has, a
// pattern that matches nothing and two patterns that match one output are errors.
//
//	MatchOutputs().ForOutput("present.*.key", 1e-3, 1e-3, Max).ForOutput("logits", 0, 1e-2, Max)
func (m tolerances[M]) ForOutput(
	name string, atol, rtol float64, stat compare.Stat,
) M {
	return m.changed(func(c *comparer) {
		own := c.outputs[name]
		c.wrong(own.tolerate(fmt.Sprintf("output %q", name), compare.Within(atol, rtol, stat),
			", and add the other with ForOutputWith if both must hold"))
		c.outputs[name] = own
	})
}

// ForOutputWith adds checks for one output, or for all that a pattern matches. Together with
// ForOutput's, they replace the checks for every output. Passing no check is an error.
func (m tolerances[M]) ForOutputWith(name string, checks ...compare.Check) M {
	return m.changed(func(c *comparer) {
		own := c.outputs[name]
		own.add(checks)
		if own.empty {
			c.wrong(fmt.Errorf("ForOutputWith(%q) has no check, so it could not fail", name))
		}
		c.outputs[name] = own
	})
}

// Only compares only the outputs that match one of the names and patterns, or one of an earlier
// call: Only("logits", "present.*.key"). The message counts the others. A pattern that matches
// nothing is an error. See [OutputsMatcher.ForOutput] for patterns.
func (m choices[M]) Only(patterns ...string) M {
	return m.changed(func(c *comparer) {
		c.choose("Only", patterns)
		c.options.Only = slices.Concat(c.options.Only, patterns)
	})
}

// Except skips the outputs that match one of the names and patterns, or one of an earlier call. A
// pattern that matches nothing is an error.
func (m choices[M]) Except(patterns ...string) M {
	return m.changed(func(c *comparer) {
		c.choose("Except", patterns)
		c.options.Except = slices.Concat(c.options.Except, patterns)
	})
}

// choose rejects an empty list of outputs.
func (m *comparer) choose(method string, patterns []string) {
	if len(patterns) == 0 || slices.Contains(patterns, "") {
		m.wrong(fmt.Errorf("%s names no output: give names or patterns such as %q", method, "present.*"))
	}
}

// wrong keeps the first misuse of the chain.
func (m *comparer) wrong(err error) {
	if m.misuse == nil {
		m.misuse = err
	}
}

// WithNames maps actual output names to expected ones. Other outputs need the same name on both
// sides. Several calls add up; two expected names for one output are an error.
func (m choices[M]) WithNames(actualToExpected map[string]string) M {
	return m.changed(func(c *comparer) {
		if c.options.Names == nil {
			c.options.Names = map[string]string{}
		}
		for _, actual := range slices.Sorted(maps.Keys(actualToExpected)) {
			expected := actualToExpected[actual]
			if before, given := c.options.Names[actual]; given && before != expected {
				c.wrong(fmt.Errorf("WithNames maps %q to %q and to %q: keep one", actual, before,
					expected))
				continue
			}
			c.options.Names[actual] = expected
		}
	})
}

// NaNEqual makes NaN equal to NaN. Without it NaN differs from everything.
func (m choices[M]) NaNEqual() M {
	return m.changed(func(c *comparer) { c.options.NaNEqual = true })
}

// InfinitiesEqual makes an infinity equal to the same infinity. Without it infinities differ from
// everything, as in Polygraphy.
func (m choices[M]) InfinitiesEqual() M {
	return m.changed(func(c *comparer) { c.options.InfinitiesEqual = true })
}

// AnyElementType compares across element types, such as an fp16 engine with its fp32 model, after
// Polygraphy's promotion. Without it a different element type is a mismatch.
func (m choices[M]) AnyElementType() M {
	return m.changed(func(c *comparer) { c.options.AnyElementType = true })
}

// AnyShape permutes or reshapes the expected tensor to the actual one's shape, by Polygraphy's
// rule. Without it a different shape is a mismatch.
func (m choices[M]) AnyShape() M {
	return m.changed(func(c *comparer) { c.options.AnyShape = true })
}

// Averaged compares the average of each statistic over the iterations with the tolerance, instead
// of each iteration's. Elementwise checks have no statistic, so they are an error.
func (m choices[M]) Averaged() M {
	return m.changed(func(c *comparer) { c.options.Average = true })
}

// AllowEmpty accepts a run whose outputs are all empty on both sides, such as a detector that finds
// nothing. Without it that is an error, because nothing was compared.
func (m choices[M]) AllowEmpty() M {
	return m.changed(func(c *comparer) { c.options.AllowEmpty = true })
}

// FailFast stops at the first output that fails, and the message says so. If tensors inside the
// model are marked ([loaders.Model.Mark]), the outputs are in graph order, so the first failure is
// the nearest to the fault.
func (m choices[M]) FailFast() M {
	return m.changed(func(c *comparer) { c.options.FailFast = true })
}

// Finite also fails any output with a NaN or an infinity on either side.
func (m choices[M]) Finite() M {
	return m.changed(func(c *comparer) { c.options.Finite = true })
}

// TopK compares the indices of the k greatest values of an output along axis, instead of the
// values; see compare.Indices. A negative axis counts from the end. The name may be a pattern, as
// for ForOutput; "" means every output without its own TopK. Two different ones for one name are an
// error.
func (m choices[M]) TopK(name string, k, axis int) M {
	return m.changed(func(c *comparer) {
		if c.options.TopK == nil {
			c.options.TopK = map[string]compare.TopK{}
		}
		top := compare.TopK{K: k, Axis: axis}
		if before, given := c.options.TopK[name]; given && before != top {
			c.wrong(fmt.Errorf("TopK(%q) is given twice, as top-%d along axis %d and top-%d along "+
				"axis %d: keep one", name, before.K, before.Axis, k, axis))
			return
		}
		c.options.TopK[name] = top
	})
}

// ReportTo calls each show with the outcome of every comparison, passing or not. Several calls add
// up. ginkgoreport.Attach adds an entry to the Ginkgo report, ginkgoreport.Save keeps both sides.
func (m reports[M]) ReportTo(show ...func(Outcome)) M {
	return m.changed(func(c *comparer) { c.reportTo = append(c.reportTo, show...) })
}

// Of sets the expected side: a *backends.Run, or any other value that this package accepts. It
// accepts both results of a backend's Run directly; Match then returns the error:
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
		c.hasReference(given{expected})
	})
}

// OfFile compares with a saved run, in any format that runs.ReadRuns reads: outputs saved by
// Polygraphy or by `modelparity run --save-outputs`, .npz, .npy, .safetensors, ONNX test data.
// "FILE#RUN" selects one of several runs, "FILE#RUN/ITERATION" one of its iterations. If the format
// has no names, outputs are paired in the order of the actual ones. The file is never written.
func (m references[M]) OfFile(path string) M {
	return m.changed(func(c *comparer) { c.hasReference(savedFile{path}) })
}

// hasReference rejects a second expected side.
func (m *comparer) hasReference(r reference) {
	if m.reference != nil {
		m.wrong(fmt.Errorf("there are two expected sides, %v and %v: keep one", m.reference, r))
		return
	}
	m.reference = r
}
