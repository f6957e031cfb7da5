package matchers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/relations"
)

// BeBatchInvariant succeeds where a row of a batch gives what it gives alone, bit for bit: in
// batches of 1, 2, 3, 7, 16 and 33 rows, of the run's own size and of the profile's, among equal
// rows, among others in any order, and beside a row of NaN or of huge values. The rows are those of
// the run's inputs, and more made of them where these are too few. Only the run is needed:
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(BeBatchInvariant())
//
// The failure names the row, the smallest batch in which it is wrong, and whether the row or its
// neighbour is to blame; with Locating also the first node inside the model. The batch is the first
// symbolic dimension that inputs and outputs share, unless Along names the axis; a model whose
// batch is fixed is an error. See relations.Batch.
func BeBatchInvariant() *RelationMatcher {
	return relation("be batch invariant", relations.Batch())
}

// BeRowIndependent succeeds where a row of a batch gives the same whatever its neighbours hold, NaN
// and huge values among them. Unlike [BeBatchInvariant] it compares batches of one size only, so an
// engine may choose its kernels by the size of the batch. See relations.Rows.
func BeRowIndependent() *RelationMatcher {
	return relation("have independent rows", relations.Rows())
}

// BeRepeatable succeeds where the run repeats, bit for bit: n times in one session, with runs of
// other inputs in between, in new sessions, and from several goroutines at once. All of them are
// held to the run that is given. An n below 2 is an error. See relations.Repeat.
func BeRepeatable(n int) *RelationMatcher {
	return relation("be repeatable", relations.Repeat(n))
}

// BeThreadInvariant succeeds where 1, 2 and 4 threads give the same. An engine without a number of
// threads is an error. See relations.Threads.
func BeThreadInvariant() *RelationMatcher {
	return relation("be thread invariant", relations.Threads())
}

// BePaddingInvariant succeeds where padding does not leak: with more places along the axis of the
// inputs, for which the input called mask is 0, the places before give the same. See
// relations.Padding.
//
//	Expect(ort.Run(ctx, encoder, inputs)).To(BePaddingInvariant(1, "attention_mask"))
func BePaddingInvariant(axis int, mask string) *RelationMatcher {
	return relation("be padding invariant", relations.Padding(axis, mask))
}

// BeOrderInvariant succeeds where the order of a set does not matter: permuted inputs give outputs
// that are permuted alike, and outputs without the set's axis stay as they are. The set is the
// batch, unless Along names another axis:
//
//	Expect(ort.Run(ctx, pointnet, clouds)).To(
//		BeOrderInvariant().Along("points", 1).Within(1e-5, 1e-5, Elementwise))
//
// See relations.Order.
func BeOrderInvariant() *RelationMatcher {
	return relation("be order invariant", relations.Order())
}

// BeInvariantUnder succeeds where transformed inputs give the outputs transformed alike, such as
// relations.Scaled(2) for a network that multiplies and rectifies. See relations.Under.
func BeInvariantUnder(t relations.Transform) *RelationMatcher {
	return relation("be invariant under "+t.Name, relations.Under(t))
}

// BeLevelInvariant succeeds where every level of the engine's optimisation gives what the lowest
// gives, within noise unless a tolerance is given: fused kernels round elsewhere. An engine without
// levels is an error. See relations.Levels.
func BeLevelInvariant() *RelationMatcher {
	m := relation("be the same at every level of optimisation", relations.Levels())
	m.near = true
	return m
}

// BeMarkingInvariant succeeds where a model gives the same with all its tensors marked as outputs,
// within noise unless a tolerance is given. The failure names a tensor whose marking alone changes
// the outputs. See relations.Marking.
func BeMarkingInvariant() *RelationMatcher {
	m := relation("be the same with its tensors marked", relations.Marking())
	m.near = true
	return m
}

// BeStepInvariant succeeds where a decoder decodes as it prefills: logits and caches are the same
// for one token a step, for several, and for all in one step, within noise unless a tolerance is
// given. The failure names the first token, layer and cache. The run is one of decode.Run:
//
//	Expect(decode.Run(ctx, ort.Engine(), model, tokens)).To(BeStepInvariant())
//
// See relations.Steps.
func BeStepInvariant() *RelationMatcher {
	m := relation("decode as it prefills", relations.Steps())
	m.near = true
	return m
}

// BeRollbackInvariant succeeds where a decoder forgets what is taken back: other tokens that are
// fed within a text, and whose slots of the cache are given up, change nothing of what follows, as
// speculative decoding needs it. Within noise unless a tolerance is given. The failure names the
// first token, layer and head. The run is one of decode.Run. See relations.Rollback.
func BeRollbackInvariant() *RelationMatcher {
	m := relation("forget tokens that are taken back", relations.Rollback())
	m.near = true
	return m
}

// BeShiftInvariant succeeds where a decoder with relative positions gives the same logits and
// values with positions from n on in place of 0, within noise unless a tolerance is given. The run
// is one of decode.Run. See relations.Shift.
func BeShiftInvariant(n int) *RelationMatcher {
	m := relation(fmt.Sprintf("be the same with positions from %d on", n), relations.Shift(n))
	m.near = true
	return m
}

// BeSequenceInvariant succeeds where a decoder's sequence gives in a batch what it gives alone,
// with any padding in front, within noise unless a tolerance is given. The failure names the first
// token, layer and head. The run is one of decode.Run. See relations.Sequences.
func BeSequenceInvariant() *RelationMatcher {
	m := relation("give in a batch what a sequence gives alone", relations.Sequences())
	m.near = true
	return m
}

// BeRebuildable succeeds where n builds of the model give the same, bit for bit, caches left out of
// account. The failure names the layers for which TensorRT chose other tactics. An n below 2 is an
// error. See relations.Rebuild.
func BeRebuildable(n int) *RelationMatcher {
	return relation("be rebuildable", relations.Rebuild(n))
}

// RelationMatcher holds a run to itself. [BeBatchInvariant] and the functions beside it make one.
// Its methods return changed copies.
type RelationMatcher struct {
	what     string
	relation relations.Relation
	options  relations.Options
	near     bool              // within noise, where no rule is given
	report   *relations.Report // of the last Match
}

func relation(what string, r relations.Relation) *RelationMatcher {
	return &RelationMatcher{what: what, relation: r}
}

func (m *RelationMatcher) changed(change func(*relations.Options)) *RelationMatcher {
	c := &RelationMatcher{what: m.what, relation: m.relation, options: m.options, near: m.near}
	c.options.Along = maps.Clone(m.options.Along)
	c.options.Rule.Checks = slices.Clone(m.options.Rule.Checks)
	change(&c.options)
	return c
}

// Within allows differences within tolerances, as [MatchOutputsWithin] does, in place of equality
// bit for bit.
func (m *RelationMatcher) Within(atol, rtol float64, stat compare.Stat) *RelationMatcher {
	return m.With(compare.Within(atol, rtol, stat))
}

// With holds runs to checks of package compare; all must hold.
func (m *RelationMatcher) With(checks ...compare.Check) *RelationMatcher {
	return m.changed(func(o *relations.Options) {
		o.Rule.Checks = append(o.Rule.Checks, checks...)
	})
}

// WithinNoise allows what rounding explains, as [MatchWithinNoise] does. The noise is measured for
// each run that others are held to, in the engine itself.
func (m *RelationMatcher) WithinNoise() *RelationMatcher {
	return m.changed(func(o *relations.Options) { o.Rule.Noise = true })
}

// Along says which axis of an input is the batch, or the set. The name "*" stands for every input
// whose dimension is dynamic there.
func (m *RelationMatcher) Along(input string, axis int) *RelationMatcher {
	return m.changed(func(o *relations.Options) {
		if o.Along == nil {
			o.Along = map[string]int{}
		}
		o.Along[input] = axis
	})
}

// Sizes chooses the batch sizes, in place of relations.Sizes and those of the run and the profile.
func (m *RelationMatcher) Sizes(sizes ...int) *RelationMatcher {
	return m.changed(func(o *relations.Options) { o.Sizes = sizes })
}

// Locating lets a failure name the first node inside the model that breaks the relation, where
// rows, or numbers of threads, are held to each other. It takes further runs, with tensors marked.
func (m *RelationMatcher) Locating() *RelationMatcher {
	return m.changed(func(o *relations.Options) { o.Locate = true })
}

// Match implements Gomega's matcher.
func (m *RelationMatcher) Match(actual any) (bool, error) {
	m.report = nil
	run, ok := actual.(*backends.Run)
	if !ok || run == nil {
		return false, fmt.Errorf("%s: got %T, wanted a *backends.Run of an engine", m, actual)
	}
	subject := run.Subject()
	if err := subject.Repeatable(); err != nil {
		return false, fmt.Errorf("%s: %w", m, err)
	}
	ctx, err := backends.ContextOf(run)
	if err != nil {
		return false, fmt.Errorf("%s: %w", m, err)
	}
	options := m.options
	options.Ran = run.Outputs()
	if m.near && options.Rule.Exact() {
		options.Rule.Noise = true
	}
	report, err := relations.Check(ctx, subject, options, m.relation)
	if err != nil {
		return false, fmt.Errorf("%s: %w", m, err)
	}
	if refused := report.Refused(); refused != nil {
		return false, fmt.Errorf("%s: not judged: %s", m, refused.Refused)
	}
	m.report = report
	return report.Holds(), nil
}

// FailureMessage says which run breaks the relation, and how.
func (m *RelationMatcher) FailureMessage(any) string {
	return fmt.Sprintf("Expected %s in %s to %s %s, but\n    %s", m.report.Model, m.report.Engine,
		m.what, m.report.Rule, m.text(m.report.Results[0].Breach.String()))
}

// NegatedFailureMessage says that the relation holds.
func (m *RelationMatcher) NegatedFailureMessage(any) string {
	return fmt.Sprintf("Expected %s in %s not to %s %s, but it\n    %s", m.report.Model,
		m.report.Engine, m.what, m.report.Rule, m.text(m.report.Results[0].String()))
}

func (m *RelationMatcher) text(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// String names the matcher inside composed ones.
func (m *RelationMatcher) String() string { return m.what }

// GomegaString keeps Gomega from printing the report.
func (m *RelationMatcher) GomegaString() string { return m.String() }
