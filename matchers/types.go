package matchers

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/golden"
)

// chain is what every group of methods below embeds: the comparison so far, and how to make the
// matcher M of a changed one. Methods of M return a changed copy, so a matcher may be kept and
// completed in several ways.
type chain[M any] struct {
	of   *comparer
	next func(*comparer) M
}

func (m chain[M]) changed(change func(*comparer)) M { return m.next(m.of.changed(change)) }

// The groups of methods. A matcher embeds those that apply to it, so others do not compile.
type (
	tolerances[M any] struct{ chain[M] }
	choices[M any]    struct{ chain[M] }
	references[M any] struct{ chain[M] }
	reports[M any]    struct{ chain[M] }
	searches[M any]   struct{ chain[M] }
	files[M any]      struct{ chain[M] }
)

// OutputsMatcher compares the outputs of a run with another run or a golden file.
// [MatchOutputsWithin] and [MatchOutputs] make it. Its methods return a changed copy.
type OutputsMatcher struct {
	*comparer
	tolerances[*OutputsMatcher]
	choices[*OutputsMatcher]
	references[*OutputsMatcher]
	reports[*OutputsMatcher]
	searches[*OutputsMatcher]
}

func outputsMatcher(c *comparer) *OutputsMatcher {
	m := chain[*OutputsMatcher]{c, outputsMatcher}
	return &OutputsMatcher{c, tolerances[*OutputsMatcher]{m}, choices[*OutputsMatcher]{m},
		references[*OutputsMatcher]{m}, reports[*OutputsMatcher]{m}, searches[*OutputsMatcher]{m}}
}

// OfGolden compares with the golden file of that name, as [MatchGolden] does, and an update writes
// it. Without a name the file is named after the spec.
func (m *OutputsMatcher) OfGolden(name ...string) *GoldenMatcher {
	return goldenMatcher(m.ofGolden(name))
}

// GoldenMatcher compares the outputs of a run with a golden file. [MatchGolden] and
// [OutputsMatcher.OfGolden] make it. Its methods return a changed copy.
type GoldenMatcher struct {
	*comparer
	tolerances[*GoldenMatcher]
	choices[*GoldenMatcher]
	reports[*GoldenMatcher]
	searches[*GoldenMatcher]
	files[*GoldenMatcher]
}

func goldenMatcher(c *comparer) *GoldenMatcher {
	m := chain[*GoldenMatcher]{c, goldenMatcher}
	return &GoldenMatcher{c, tolerances[*GoldenMatcher]{m}, choices[*GoldenMatcher]{m},
		reports[*GoldenMatcher]{m}, searches[*GoldenMatcher]{m}, files[*GoldenMatcher]{m}}
}

// Sampled makes the next update keep only that many elements of each larger output, with the
// statistics of all elements and checksums of blocks. Every comparison with such a file says how
// much was compared. Noise and decisions need complete outputs, so they cannot use it.
func (m *GoldenMatcher) Sampled(elements int) *GoldenMatcher {
	return goldenMatcher(m.changed(func(c *comparer) {
		if c.layout.Sample = elements; elements < 1 {
			c.wrong(fmt.Errorf("Sampled(%d): a sample needs at least 1 element", elements))
		}
	}))
}

// NoiseMatcher compares within measured rounding noise. [MatchWithinNoise] makes it. Its methods
// return a changed copy.
type NoiseMatcher struct {
	*comparer
	choices[*NoiseMatcher]
	references[*NoiseMatcher]
	reports[*NoiseMatcher]
	searches[*NoiseMatcher]
}

func noiseMatcher(c *comparer) *NoiseMatcher {
	m := chain[*NoiseMatcher]{c, noiseMatcher}
	return &NoiseMatcher{c, choices[*NoiseMatcher]{m}, references[*NoiseMatcher]{m},
		reports[*NoiseMatcher]{m}, searches[*NoiseMatcher]{m}}
}

// OfGolden compares with a golden file, and an update writes it with the measured noise. Without a
// name the file is named after the spec.
func (m *NoiseMatcher) OfGolden(name ...string) *GoldenFileMatcher {
	return goldenFileMatcher(m.ofGolden(name))
}

// FalseAlarm sets the probability that this comparison fails a correct engine, instead of 1e-4. A
// higher one detects smaller faults.
func (m *NoiseMatcher) FalseAlarm(probability float64) *NoiseMatcher {
	return m.with(func(n *byNoise) { n.bars.FalseAlarm = probability })
}

// MeasuredIn names the engine that measures the noise, instead of ONNX Runtime on the CPU. The
// engine must be known to be right and compute in float32.
//
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchWithinNoise().MeasuredIn(openvino.Engine()).OfGolden("resnet18"))
func (m *NoiseMatcher) MeasuredIn(engine backends.Engine) *NoiseMatcher {
	return m.with(func(n *byNoise) { n.engine = engine })
}

// ExpectedIsExact says that the expected side has no rounding errors, such as an oracle in float64.
// The bars are then √2 times lower.
func (m *NoiseMatcher) ExpectedIsExact() *NoiseMatcher {
	return m.with(func(n *byNoise) { n.bars.Exact = true })
}

func (m *NoiseMatcher) with(change func(*byNoise)) *NoiseMatcher {
	return noiseMatcher(m.changed(func(c *comparer) {
		own := *c.noise
		change(&own)
		c.noise = &own
	}))
}

// FormatMatcher compares an engine of lower precision with its number format. [NoWorseThan] makes
// it. Its methods return a changed copy.
type FormatMatcher struct {
	*comparer
	choices[*FormatMatcher]
	references[*FormatMatcher]
	reports[*FormatMatcher]
}

func formatMatcher(c *comparer) *FormatMatcher {
	m := chain[*FormatMatcher]{c, formatMatcher}
	return &FormatMatcher{c, choices[*FormatMatcher]{m}, references[*FormatMatcher]{m},
		reports[*FormatMatcher]{m}}
}

// OfGolden compares with a golden file, which is never written. Without a name the file is named
// after the spec. It has no engine, so [FormatMatcher.MeasuredIn] must name one.
func (m *FormatMatcher) OfGolden(name ...string) *GoldenFileMatcher {
	return goldenFileMatcher(m.ofGolden(name))
}

// AsPublished uses the gate as AWS publishes it, instead of ours, which allows for chance. See
// compare.NoWorseThan.
func (m *FormatMatcher) AsPublished() *FormatMatcher {
	return m.with(func(p *byPrecision) { p.bars.Published = true })
}

// FalseAlarm sets the probability that this comparison fails an engine that is no worse, instead of
// 1e-4. A higher one detects smaller faults.
func (m *FormatMatcher) FalseAlarm(probability float64) *FormatMatcher {
	return m.with(func(p *byPrecision) { p.bars.FalseAlarm = probability })
}

// MeasuredIn names the engine that runs the rounded model. It must be known to be right and compute
// in float32.
func (m *FormatMatcher) MeasuredIn(engine backends.Engine) *FormatMatcher {
	return m.with(func(p *byPrecision) { p.engine = engine })
}

func (m *FormatMatcher) with(change func(*byPrecision)) *FormatMatcher {
	return formatMatcher(m.changed(func(c *comparer) {
		own := *c.lower
		change(&own)
		c.lower = &own
	}))
}

// GoldenFileMatcher compares with a golden file by noise, a number format or decisions, which their
// matchers' OfGolden makes. Its methods return a changed copy.
type GoldenFileMatcher struct {
	*comparer
	reports[*GoldenFileMatcher]
	files[*GoldenFileMatcher]
}

func goldenFileMatcher(c *comparer) *GoldenFileMatcher {
	m := chain[*GoldenFileMatcher]{c, goldenFileMatcher}
	return &GoldenFileMatcher{c, reports[*GoldenFileMatcher]{m}, files[*GoldenFileMatcher]{m}}
}

// ofGolden sets the golden file of a name, or of the spec's own text.
func (m *comparer) ofGolden(name []string) *comparer {
	return m.changed(func(c *comparer) {
		g, err := goldenNamed(name)
		if err != nil {
			c.wrong(err)
		}
		c.hasReference(g)
	})
}

// In makes an update of the golden file wait until the plain test t has passed. A match next to
// other assertions, or inside And, is then written only if all of them pass. In a Ginkgo suite,
// ginkgoreport.Suite does the same for every spec.
//
//	g.Expect(run).To(And(BeFinite(), MatchGolden("digits").In(t)))
//
// Without either, a match is written at once, and only if the golden matcher is asserted alone.
func (m files[M]) In(t golden.T) M { return m.changed(func(c *comparer) { c.test = t }) }

// AllowNonFinite lets an update write a golden file with NaN or infinities, which it otherwise
// refuses. Such a file only matches with NaNEqual or InfinitiesEqual.
func (m files[M]) AllowNonFinite() M { return m.changed(func(c *comparer) { c.nonFinite = true }) }

// Inline sets how many bytes of data the next update keeps in the golden file itself; the largest
// outputs beyond that go into compressed files next to it. The default is 1 MiB, or GOLDEN_INLINE.
// A negative number keeps all data in the file.
func (m files[M]) Inline(bytes int64) M {
	return m.changed(func(c *comparer) { c.layout.Inline = bytes })
}

// PerEngine compares each run with the most specific golden file for its engine, precision and
// device that exists, in the order of [golden.Variants]:
//
//	resnet18@tensorrt-fp16-sm90, resnet18@tensorrt-fp16, resnet18@tensorrt, resnet18
//
// Messages and reports show the order. An update keeps the first existing file if the run matches
// it. Otherwise it writes the most specific one, and never a file that other engines use.
// `modelparity compare` with all of the files shows which agree.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchGolden("resnet18").PerEngine().Within(1e-2, 1e-2, Elementwise))
func (m files[M]) PerEngine() M {
	return m.changed(func(c *comparer) {
		g, ok := c.reference.(goldenFile)
		if !ok {
			c.wrong(errors.New("PerEngine needs the golden file as the only expected side"))
			return
		}
		g.perEngine = true
		c.reference = g
	})
}
