package matchers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/relations"
)

// BeBatchInvariant succeeds if each row of a batch has the same outputs as the row alone, bit for
// bit. It tries batches of 1, 2, 3, 7, 16 and 33 rows, of as many rows as the run has, and of the
// sizes in the engine's optimisation profiles. It fills the rest of a batch with copies of the row,
// with other rows in several orders, or with NaN and huge values. The rows come from the run's
// inputs; if there are too few, further rows are derived from them. The matcher needs only the run:
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(BeBatchInvariant())
//
// The failure message names the row, the smallest batch in which it is wrong, and whether the row
// or its neighbour is at fault; with Locating, it also names the first node inside the model that
// is wrong. Along sets the batch axis. Without Along, it is a symbolic dimension with a name like
// "batch". If no dimension has such a name, it is the first symbolic dimension that is the leading
// dimension of both an input and an output. It is an error if the batch size is fixed. See
// relations.Batch.
func BeBatchInvariant() *RelationMatcher {
	return relation("be batch invariant", relations.Batch())
}

// BeRowIndependent succeeds if the outputs of a row do not depend on the other rows of the batch,
// even if the other rows contain NaN or huge values. Unlike [BeBatchInvariant] it only compares
// batches of the same size, so the engine may use different kernels for different batch sizes. See
// relations.Rows.
func BeRowIndependent() *RelationMatcher {
	return relation("have independent rows", relations.Rows())
}

// BeRepeatable succeeds if repeated runs equal the given run, bit for bit. It first makes n runs in
// one session, with runs on other inputs in between. Then it makes runs in new sessions, and
// finally runs from several goroutines at once. It is an error if n is below 2. See
// relations.Repeat.
func BeRepeatable(n int) *RelationMatcher {
	return relation("be repeatable", relations.Repeat(n))
}

// BeThreadInvariant succeeds if the outputs are the same with 1, 2 and 4 threads. It is an error if
// the engine has no option for the number of threads. See relations.Threads.
func BeThreadInvariant() *RelationMatcher {
	return relation("be thread invariant", relations.Threads())
}

// BePaddingInvariant succeeds if padding does not change the outputs at the original positions. It
// pads the inputs along the given axis, and sets the mask, which is the input with the given name,
// to 0 in the padding. See relations.Padding.
//
//	Expect(ort.Run(ctx, encoder, inputs)).To(BePaddingInvariant(1, "attention_mask"))
func BePaddingInvariant(axis int, mask string) *RelationMatcher {
	return relation("be padding invariant", relations.Padding(axis, mask))
}

// BeOrderInvariant succeeds if the order of the elements along an axis of the inputs does not
// matter. When it permutes the inputs along this axis, the outputs must be permuted in the same
// way; outputs without this axis must not change. The axis is the batch axis, unless Along names a
// different one:
//
//	Expect(ort.Run(ctx, pointnet, clouds)).To(
//		BeOrderInvariant().Along("points", 1).Within(1e-5, 1e-5, Elementwise))
//
// See relations.Order.
func BeOrderInvariant() *RelationMatcher {
	return relation("be order invariant", relations.Order())
}

// BeInvariantUnder succeeds if transforming the inputs transforms the outputs in the corresponding
// way. relations.Scaled(2), for example, doubles the inputs and expects doubled outputs, as from a
// network of matrix multiplications and Relus. See relations.Under.
func BeInvariantUnder(t relations.Transform) *RelationMatcher {
	return relation("be invariant under "+t.Name, relations.Under(t))
}

// BeLevelInvariant succeeds if the outputs at every optimisation level of the engine equal the
// outputs at the lowest level. Unless you set a tolerance, differences within noise are allowed,
// because fused kernels round differently. It is an error if the engine has no such levels. See
// relations.Levels.
func BeLevelInvariant() *RelationMatcher {
	return relation("compute the same results at every optimisation level", relations.Levels())
}

// AgreeAcross succeeds if the given releases of the run's engine compute the same outputs as the
// run, with the same options. "1.24.4" names a single release, "1.24" names all its patch releases,
// and "1.24..1.31" names a range that includes both ends:
//
//	Expect(ort.Run(ctx, model, inputs)).To(AgreeAcross("1.24.4", "1.31"))
//
// Unless you set a tolerance, differences within noise are allowed. Each release runs in a process
// of its own. A release must be in the cache; otherwise AgreeAcross returns an error that says
// which command to run (see ort.Release). The failure message names the oldest release that differs
// and lists the others. Only releases of ONNX Runtime are supported. The command `modelparity
// bisect` fetches releases and finds the first bad one. See relations.Releases.
func AgreeAcross(releases ...string) *RelationMatcher {
	return relation("agree across the releases "+names.Line(strings.Join(releases, ", ")),
		relations.Releases(releases...))
}

// BeMarkingInvariant succeeds if the model's outputs do not change when all of its intermediate
// tensors are marked as extra outputs. Unless you set a tolerance, differences within noise are
// allowed. The failure message names a tensor whose marking alone changes the outputs. See
// relations.Marking.
func BeMarkingInvariant() *RelationMatcher {
	return relation("compute the same results with all tensors marked as outputs", relations.Marking())
}

// BeStepInvariant succeeds if a decoder computes the same logits and caches however many tokens it
// reads per step: one, several, or all. Unless you set a tolerance, differences within noise are
// allowed. The failure message names the first token, layer and cache that differ. The run must
// come from decode.Run:
//
//	Expect(decode.Run(ctx, ort.Engine(), model, tokens)).To(BeStepInvariant())
//
// See relations.Steps.
func BeStepInvariant() *RelationMatcher {
	return relation("compute the same results token by token as in one step", relations.Steps())
}

// BeRollbackInvariant succeeds if tokens that are rolled back leave no trace, as speculative
// decoding requires. The decoder reads additional tokens, which are then removed from its caches.
// Afterwards the decoder must continue as if it had never read these tokens. Unless you set a
// tolerance, differences within noise are allowed. The failure message names the first token, layer
// and head that differ. The run must come from decode.Run. See relations.Rollback.
func BeRollbackInvariant() *RelationMatcher {
	return relation("compute the same results as if it had never read tokens that it rolled back",
		relations.Rollback())
}

// BeShiftInvariant succeeds if a decoder with relative positions computes the same logits and
// cached values if its positions start at n instead of 0. Unless you set a tolerance, differences
// within noise are allowed. The run must come from decode.Run. See relations.Shift.
func BeShiftInvariant(n int) *RelationMatcher {
	return relation(fmt.Sprintf("compute the same results with positions that start at %d", n),
		relations.Shift(n))
}

// BeSequenceInvariant succeeds if a decoder computes the same results for a sequence in a batch as
// for the sequence alone. It tries the batch with and without padding in front of the sequence.
// Unless you set a tolerance, differences within noise are allowed. The failure message names the
// first token, layer and head that differ. The run must come from decode.Run. See
// relations.Sequences.
func BeSequenceInvariant() *RelationMatcher {
	return relation("compute the same results for a sequence in a batch as for the sequence alone",
		relations.Sequences())
}

// BeResetInvariant succeeds if a stream leaves nothing behind in the engine. A second stream in the
// same session, and a stream after a reset of the states, must equal the first stream, bit for bit.
// The run must come from decode.Stream. See relations.Reset.
func BeResetInvariant() *RelationMatcher {
	return relation("repeat the stream after a reset", relations.Reset())
}

// BeChunkInvariant succeeds if the outputs do not change when the frames of a stream are joined
// into chunks. Unless you set a tolerance, differences within noise are allowed. It is an error if
// the model's frames cannot be joined. The run must come from decode.Stream. See relations.Chunks.
func BeChunkInvariant() *RelationMatcher {
	return relation("compute the same results for chunks of frames as for single frames",
		relations.Chunks())
}

// BeRebuildable succeeds if n engines, each newly built from the model, compute the same outputs,
// bit for bit. The builds do not use caches. The failure message names the layers for which
// TensorRT has chosen different tactics. It is an error if n is below 2. See relations.Rebuild.
func BeRebuildable(n int) *RelationMatcher {
	return relation("be rebuildable", relations.Rebuild(n))
}

// BeProfileInvariant succeeds if engines built with other optimisation profiles compute the same
// outputs from the run's inputs. It tries other smallest, most likely and largest input shapes,
// several profiles in one engine, and fixed shapes. Unless you set a tolerance, differences within
// noise are allowed. The failure message names the profile. It is an error if the engine has no
// profiles, or if no dimension of the model's inputs is dynamic. See relations.Profiles.
//
//	Expect(trt.Run(ctx, model, inputs)).To(BeProfileInvariant())
func BeProfileInvariant() *RelationMatcher {
	return relation("compute the same results with every profile", relations.Profiles())
}

// RelationMatcher compares a run with further runs of the same model in the same engine. Create one
// with [BeBatchInvariant] or another function of this file; its methods return modified copies.
type RelationMatcher struct {
	what     string
	relation relations.Relation
	options  relations.Options
	report   *relations.Report // the report of the last Match
}

func relation(what string, r relations.Relation) *RelationMatcher {
	return &RelationMatcher{what: what, relation: r}
}

func (m *RelationMatcher) changed(change func(*relations.Options)) *RelationMatcher {
	c := &RelationMatcher{what: m.what, relation: m.relation, options: m.options}
	c.options.Along = maps.Clone(m.options.Along)
	c.options.Rule.Checks = slices.Clone(m.options.Rule.Checks)
	change(&c.options)
	return c
}

// Within allows differences within the tolerances, as [MatchOutputsWithin] does. Without a
// tolerance, outputs must be equal bit for bit, unless the function that created the matcher says
// otherwise.
func (m *RelationMatcher) Within(atol, rtol float64, stat compare.Stat) *RelationMatcher {
	return m.With(compare.Within(atol, rtol, stat))
}

// With adds checks of package compare; the outputs must pass all of them.
func (m *RelationMatcher) With(checks ...compare.Check) *RelationMatcher {
	return m.changed(func(o *relations.Options) {
		o.Rule.Checks = append(o.Rule.Checks, checks...)
	})
}

// WithinNoise allows differences that rounding explains, as [MatchWithinNoise] does. The noise is
// measured for each reference run.
func (m *RelationMatcher) WithinNoise() *RelationMatcher {
	return m.changed(func(o *relations.Options) { o.Rule.Noise = true })
}

// Along sets the batch axis of an input. For [BeOrderInvariant] it sets the axis of the elements to
// permute, and for [BeChunkInvariant] the axis of the frames. The input "*" stands for every input
// that has a dynamic dimension at that axis.
func (m *RelationMatcher) Along(input string, axis int) *RelationMatcher {
	return m.changed(func(o *relations.Options) {
		if o.Along == nil {
			o.Along = map[string]int{}
		}
		o.Along[input] = axis
	})
}

// Sizes sets the batch sizes to try. Without it, the matcher tries default sizes, the run's own
// size and the sizes in the engine's optimisation profiles.
func (m *RelationMatcher) Sizes(sizes ...int) *RelationMatcher {
	return m.changed(func(o *relations.Options) { o.Sizes = sizes })
}

// Locating makes a failure message name the first node inside the model that breaks the relation.
// It works for relations between rows, and for relations between configurations of the engine, such
// as different numbers of threads. To find the node, it runs the model again with its intermediate
// tensors as extra outputs.
func (m *RelationMatcher) Locating() *RelationMatcher {
	return m.changed(func(o *relations.Options) { o.Locate = true })
}

// Match implements Gomega's matcher interface.
func (m *RelationMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	if m.report, err = m.check(actual); err != nil {
		return false, fmt.Errorf("%s: %w", m.what, err)
	}
	return m.report.Holds(), nil
}

func (m *RelationMatcher) check(actual any) (*relations.Report, error) {
	run, ctx, err := repeatable(actual)
	if err != nil {
		return nil, err
	}
	options := m.options
	options.Ran = run.Outputs()
	report, err := relations.Check(ctx, run.Subject(), options, m.relation)
	if err == nil && report.Refused() != nil {
		err = fmt.Errorf("not judged: %s", report.Refused().Refused)
	}
	return report, err
}

// FailureMessage says which run breaks the relation, and how.
func (m *RelationMatcher) FailureMessage(any) string {
	return names.Escape(fmt.Sprintf("Expected %s in %s to %s %s, but\n    %s",
		names.Line(m.report.Model), m.report.Engine, m.what, m.report.Rule,
		m.text(m.report.Results[0].Breach.String())))
}

// NegatedFailureMessage says that the relation holds although it should not.
func (m *RelationMatcher) NegatedFailureMessage(any) string {
	return names.Escape(fmt.Sprintf("Expected %s in %s not to %s %s, but it\n    %s",
		names.Line(m.report.Model), m.report.Engine, m.what, m.report.Rule,
		m.text(m.report.Results[0].String())))
}

func (m *RelationMatcher) text(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// String describes the matcher in the messages of an enclosing matcher, such as And.
func (m *RelationMatcher) String() string { return m.what }

// GomegaString keeps Gomega from printing the matcher field by field.
func (m *RelationMatcher) GomegaString() string { return m.String() }
