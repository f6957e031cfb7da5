package matchers

import (
	"context"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/locate"
)

// locating is a search for the first divergence, to be made if the outputs differ.
type locating struct {
	ctx              context.Context
	actual, expected locate.Side
	inputs           fixtures.Inputs
}

// Locating lets a failure say where the two runs part: it ends with the first tensor inside the
// models that is out of tolerance, the node that makes it so, and whether that node is wrong by
// itself. The search runs both models again, with their tensors marked and node by node; it is made
// only for a message that somebody reads, and never by a spec that passes.
//
//	actual := locate.Side{Model: exported, Open: open}
//	expected := locate.Side{Model: shipped, Open: open}
//	Expect(ort.Run(ctx, exported, inputs)).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).
//		Of(ort.Run(ctx, shipped, inputs)).Locating(ctx, actual, expected, inputs))
//
// The checks for every output hold inside the models too. What keeps the search from being made is
// told in the message; it changes no verdict. See locate.Divergence.
func (m *OutputsMatcher) Locating(
	ctx context.Context, actual, expected locate.Side, inputs fixtures.Inputs,
) *OutputsMatcher {
	return m.changed(func(c *OutputsMatcher) {
		c.locating = &locating{ctx, actual, expected, inputs}
	})
}

// text makes the search.
func (l *locating) text(rules compare.Options) string {
	report, err := locate.Divergence(l.ctx, l.actual, l.expected, l.inputs,
		locate.Options{Compare: rules, Isolate: true})
	if err != nil {
		return "the first divergence could not be located: " + err.Error()
	}
	return "inside the models:\n    " + strings.ReplaceAll(report.Text(), "\n", "\n    ")
}
