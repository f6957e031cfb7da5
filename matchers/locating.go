package matchers

import (
	"cmp"
	"errors"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Locating makes a failure message name the first tensor inside the models that is out of
// tolerance, and the node that computes this tensor. The message also says whether that node is
// wrong when it runs by itself. The search runs both models again, in their own engines and with
// the same options: first with the models' intermediate tensors as extra outputs, then node by
// node. The search starts when the failure message is printed, so a passing spec never runs it.
//
//	Expect(ort.Run(ctx, exported, inputs)).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).
//		Of(ort.Run(ctx, shipped, inputs)).Locating())
//
// Both sides must be runs of engines, because nothing can run again for a file or a bare tensor.
// The checks for every output also apply to the tensors inside the models. With [MatchWithinNoise]
// and [NoWorseThan], the tolerance of each tensor is measured like the outputs' tolerances, both
// for the whole model and for the node by itself. With [MatchDecisions], the tolerance is the
// measured noise. Only the rows whose decisions flipped run again, if the model can run single
// rows.
//
// The search stops if the spec is interrupted, and in any case well before go test ends the
// process; the message then shows what has been found so far. If the search cannot run, one line
// says why. It never changes the verdict. See locate.Divergence.
//
// For two runs of a decoder (package decode), Locating names the first token, layer and cache that
// differ, without running anything again. For two streams it names the first frame and state that
// differ. If the two sides compute that frame differently from the same states, it also searches
// inside the frame. Frames are judged by the matcher's own rule or, with [MatchDecisions], by the
// noise.
func (m searches[M]) Locating() M {
	return m.changed(func(c *comparer) { c.locating = true })
}

// located runs the search and describes the result in text.
func (m *comparer) located() string {
	const not = "the first divergence cannot be located: "
	var text string
	var frame *tensor.Set // of a stream
	parting, at, ok := m.parted()
	if ok && at == nil {
		return parting
	}
	if frame = at; ok {
		text = parting + "\n"
	}
	if why := cmp.Or(unrepeatable("actual", m.last.actual),
		unrepeatable("expected", m.last.expected)); why != "" {
		return text + not + why
	}
	actual, expected := m.last.actual.run.Subject(), m.last.expected.run.Subject()
	if frame != nil {
		actual.Inputs, actual.InputsSHA256 = fixtures.Of(frame), ""
		expected.Inputs, expected.InputsSHA256 = actual.Inputs, ""
	}
	ctx, err := backends.ContextOf(m.last.actual.run, m.last.expected.run)
	if err != nil {
		return text + not + err.Error()
	}
	search, where := locate.Options{Compare: m.rules(), Isolate: true}, ""
	switch {
	case m.noise:
		search.Measure = noise.Inside(m.bars(), m.engine)
	case m.format != nil:
		search.Measure = m.insideFormat().Measure
	case m.decision != nil:
		search.Measure = noise.Inside(m.bars(), m.engine)
		if frame != nil {
			break
		}
		var inputs fixtures.Inputs
		if inputs, where, err = flipped(m.last, actual); err != nil {
			return not + err.Error()
		}
		actual.Inputs, expected.Inputs = inputs, inputs
		actual.InputsSHA256, expected.InputsSHA256 = "", ""
	}
	found, err := locate.Divergence(ctx, actual, expected, search)
	if found == nil {
		return text + not + strings.TrimPrefix(err.Error(), "locate: ")
	}
	return text + "inside the models" + where + ":\n    " +
		strings.ReplaceAll(found.Text(), "\n", "\n    ")
}

// parted describes the first difference between two runs of a decoder: its token, layer and cache.
// ok is false if the runs are not of a decoder, or if the rule cannot compare single tokens. A
// model with states that reads one frame after another counts as a decoder too. For such a model,
// frame may contain the inputs and states of the frame that differs; see [decode.Parting].
func (m *comparer) parted() (text string, frame *tensor.Set, ok bool) {
	found, err := decode.PartBy(m.last.actual.run, m.last.expected.run, m.hold())
	switch {
	case errors.Is(err, decode.ErrNoDecoder), errors.Is(err, errToken):
		return "", nil, false
	case err != nil:
		return "the first difference between the two runs of the decoder is unknown: " +
			strings.TrimPrefix(err.Error(), "decode: "), nil, true
	case found == nil:
		return "no single token or frame is out of tolerance", nil, true
	}
	return found.String(), found.Frame, true
}

// errToken is the error of [NoWorseThan] for a single token of a decoder.
var errToken = errors.New("a number format's rounding errors are measured only for whole " +
	"outputs, not for single tokens")

// hold returns the matcher's rule as a function that compares single tokens or frames. If the
// rule's limits must be measured first, the first call of the function measures them.
func (m *comparer) hold() decode.Hold {
	actual, expected := m.last.actual.run, m.last.expected.run
	switch {
	case m.noise:
		return decode.Under(m.rules(), m.last.noise.Noise, m.bars())
	case m.decision != nil:
		measured := sync.OnceValues(func() (*noise.Reference, error) {
			return noise.Between(actual, expected, noise.In(m.engine))
		})
		return func(at decode.Slice, a, e *tensor.Tensor) (string, error) {
			of, err := measured()
			if err != nil {
				return "", err
			}
			return decode.Under(m.rules(), of.Noise, m.bars())(at, a, e)
		}
	case m.format != nil:
		return m.holdFormat(actual, expected)
	}
	return decode.Under(m.rules(), nil, m.bars())
}

// unrepeatable returns the reason why a side cannot run again, or "" if it can.
func unrepeatable(which string, s side) string {
	if s.run == nil {
		return "the " + which + " side has only tensors, which no engine can compute again: pass the " +
			"*backends.Run instead"
	}
	if err := s.run.Subject().Repeatable(); err != nil {
		return "the " + which + " side: " + err.Error()
	}
	return ""
}
