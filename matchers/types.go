package matchers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/golden"
)

// chain is embedded by every group of methods below. It contains the matcher's settings so far, and
// a function that makes a matcher M from changed settings. The methods return modified copies, so
// you can store a matcher and complete it in several ways.
type chain[M any] struct {
	of   *comparer
	next func(*comparer) M
}

func (m chain[M]) changed(change func(*comparer)) M { return m.next(m.of.changed(change)) }

// These types group the methods. A matcher embeds only the groups that apply to it, so calling a
// method of another group does not compile.
type (
	tolerances[M any] struct{ chain[M] }
	overrides[M any]  struct{ chain[M] }
	choices[M any]    struct{ chain[M] }
	references[M any] struct{ chain[M] }
	reports[M any]    struct{ chain[M] }
	searches[M any]   struct{ chain[M] }
	files[M any]      struct{ chain[M] }
	measured[M any]   struct{ chain[M] }
)

// OutputsMatcher compares the outputs of a run with a second run or a file. Create one with
// [MatchOutputsWithin] or [MatchOutputs]; its methods return modified copies.
type OutputsMatcher struct {
	*comparer
	tolerances[*OutputsMatcher]
	overrides[*OutputsMatcher]
	choices[*OutputsMatcher]
	references[*OutputsMatcher]
	reports[*OutputsMatcher]
	searches[*OutputsMatcher]
}

func outputsMatcher(c *comparer) *OutputsMatcher {
	m := chain[*OutputsMatcher]{c, outputsMatcher}
	return &OutputsMatcher{c, tolerances[*OutputsMatcher]{m}, overrides[*OutputsMatcher]{m},
		choices[*OutputsMatcher]{m}, references[*OutputsMatcher]{m}, reports[*OutputsMatcher]{m},
		searches[*OutputsMatcher]{m}}
}

// OfGolden compares with the golden file of the given name, as [MatchGolden] does. An update writes
// the file. Without a name, the file is named after the spec.
func (m *OutputsMatcher) OfGolden(name ...string) *GoldenMatcher {
	return goldenMatcher(m.ofGolden(name))
}

// GoldenMatcher compares the outputs of a run with a golden file. Create one with [MatchGolden] or
// [OutputsMatcher.OfGolden]; its methods return modified copies.
type GoldenMatcher struct {
	*comparer
	tolerances[*GoldenMatcher]
	overrides[*GoldenMatcher]
	choices[*GoldenMatcher]
	reports[*GoldenMatcher]
	searches[*GoldenMatcher]
	files[*GoldenMatcher]
}

func goldenMatcher(c *comparer) *GoldenMatcher {
	m := chain[*GoldenMatcher]{c, goldenMatcher}
	return &GoldenMatcher{c, tolerances[*GoldenMatcher]{m}, overrides[*GoldenMatcher]{m},
		choices[*GoldenMatcher]{m}, reports[*GoldenMatcher]{m}, searches[*GoldenMatcher]{m},
		files[*GoldenMatcher]{m}}
}

// Sampled makes the next update store only the given number of elements of each larger output,
// together with statistics of all elements and checksums of blocks. Every comparison with such a
// file says how much of the outputs was compared. Complete outputs are needed to compare decisions,
// to compare with measured noise, and for rules that depend on the elements' positions or on their
// sum (see compare.Check.OnSample).
func (m *GoldenMatcher) Sampled(elements int) *GoldenMatcher {
	return goldenMatcher(m.changed(func(c *comparer) {
		if c.layout.Sample = elements; elements < 1 {
			c.wrong(fmt.Errorf("Sampled(%d): a sample needs at least 1 element", elements))
		}
	}))
}

// NoiseMatcher succeeds if two runs differ by no more than the measured noise. Create one with
// [MatchWithinNoise]; its methods return modified copies.
type NoiseMatcher struct {
	*comparer
	choices[*NoiseMatcher]
	references[*NoiseMatcher]
	reports[*NoiseMatcher]
	searches[*NoiseMatcher]
	measured[*NoiseMatcher]
}

func noiseMatcher(c *comparer) *NoiseMatcher {
	m := chain[*NoiseMatcher]{c, noiseMatcher}
	return &NoiseMatcher{c, choices[*NoiseMatcher]{m}, references[*NoiseMatcher]{m},
		reports[*NoiseMatcher]{m}, searches[*NoiseMatcher]{m}, measured[*NoiseMatcher]{m}}
}

// OfGolden compares with a golden file. An update writes the file together with the measured noise.
// Without a name, the file is named after the spec.
func (m *NoiseMatcher) OfGolden(name ...string) *GoldenFileMatcher {
	return goldenFileMatcher(m.ofGolden(name))
}

// FalseAlarm sets the probability that the comparison fails although the engine is correct. For
// [NoWorseThan], an engine is correct if its errors are no larger than the rounding errors of the
// number format. The default is 1e-4. A higher probability detects smaller faults.
func (m measured[M]) FalseAlarm(probability float64) M {
	return m.changed(func(c *comparer) { c.falseAlarm = probability })
}

// MeasuredIn sets the engine in which the noise or the errors of a number format are measured. The
// engine must be known to be correct and must compute in float32. The default for noise is ONNX
// Runtime on the CPU. The default for a format is the expected run's engine.
//
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchWithinNoise().MeasuredIn(openvino.Engine()).OfGolden("resnet18"))
func (m measured[M]) MeasuredIn(engine backends.Engine) M {
	return m.changed(func(c *comparer) { c.engine = engine })
}

// FormatMatcher compares the errors of a lower-precision engine with the errors that rounding to
// the engine's number format would cause. Create one with [NoWorseThan]; its methods return
// modified copies.
type FormatMatcher struct {
	*comparer
	choices[*FormatMatcher]
	references[*FormatMatcher]
	reports[*FormatMatcher]
	searches[*FormatMatcher]
	measured[*FormatMatcher]
}

func formatMatcher(c *comparer) *FormatMatcher {
	m := chain[*FormatMatcher]{c, formatMatcher}
	return &FormatMatcher{c, choices[*FormatMatcher]{m}, references[*FormatMatcher]{m},
		reports[*FormatMatcher]{m}, searches[*FormatMatcher]{m}, measured[*FormatMatcher]{m}}
}

// OfGolden compares with a golden file. It only reads the file, and never updates it. Without a
// name, the file is named after the spec. A golden file has no engine, so
// MeasuredIn must name one.
func (m *FormatMatcher) OfGolden(name ...string) *GoldenFileMatcher {
	return goldenFileMatcher(m.ofGolden(name))
}

// GoldenFileMatcher compares a run with a golden file. It tolerates noise or the rounding errors of
// a number format, or compares only decisions. Create one with OfGolden of [NoiseMatcher],
// [FormatMatcher] or [DecisionMatcher]; its methods return modified copies.
type GoldenFileMatcher struct {
	*comparer
	reports[*GoldenFileMatcher]
	files[*GoldenFileMatcher]
}

func goldenFileMatcher(c *comparer) *GoldenFileMatcher {
	m := chain[*GoldenFileMatcher]{c, goldenFileMatcher}
	return &GoldenFileMatcher{c, reports[*GoldenFileMatcher]{m}, files[*GoldenFileMatcher]{m}}
}

// ofGolden sets the golden file. Without a name, the file is named after the spec.
func (m *comparer) ofGolden(name []string) *comparer {
	return m.changed(func(c *comparer) {
		g := goldenFile{own: new(ownFile)}
		if len(name) > 0 {
			g = goldenFile{name: name[0]}
		}
		if len(name) > 1 {
			c.wrong(fmt.Errorf("want one name for the golden file, got %d: %s", len(name),
				strings.Join(name, ", ")))
		}
		c.setReference(g)
	})
}

// In delays an update of the golden file until the test t has passed. The file is then written only
// if all other assertions of the test, and all other matchers inside an And, pass as well. In a
// Ginkgo suite, ginkgoreport.Suite does the same for every spec.
//
//	g.Expect(run).To(And(BeFinite(), MatchGolden("digits").In(t)))
//
// Without In or ginkgoreport.Suite, the file is written at once, and only if the golden matcher is
// asserted alone.
func (m files[M]) In(t golden.T) M { return m.changed(func(c *comparer) { c.test = t }) }

// AllowNonFinite lets an update write a golden file that contains NaN or infinities. Without it,
// such an update is an error. Runs match such a file only with the options NaNEqual or
// InfinitiesEqual.
func (m files[M]) AllowNonFinite() M { return m.changed(func(c *comparer) { c.nonFinite = true }) }

// Inline sets how many bytes of data the next update may store in the golden file itself. If there
// is more data, the largest outputs go into compressed files next to the golden file. The default
// is 1 MiB. If the number is negative, all data is stored in the golden file.
func (m files[M]) Inline(bytes int64) M {
	return m.changed(func(c *comparer) { c.layout.Inline = bytes })
}

// PerEngine compares each run with the most specific existing golden file for its engine, precision
// and device, in the order of [golden.Variants]:
//
//	resnet18@tensorrt-fp16-sm90, resnet18@tensorrt-fp16, resnet18@tensorrt, resnet18
//
// Messages and reports show the order. If the run matches the first file that exists, an update
// keeps this file. Otherwise it writes the file with the most specific name, and never a file that
// other engines share. To see which of the files agree with each other, pass them all to
// `modelparity compare`.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchGolden("resnet18").PerEngine().Within(1e-2, 1e-2, Elementwise))
func (m files[M]) PerEngine() M {
	return m.changed(func(c *comparer) {
		g, ok := c.reference.(goldenFile)
		if !ok {
			c.wrong(errors.New("PerEngine needs a golden file as the expected side"))
			return
		}
		g.perEngine = true
		c.reference = g
	})
}
