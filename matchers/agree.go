package matchers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/locate"
)

// AgreeAmong succeeds if a run and the given engines all agree on all outputs. It runs the same
// model on the same inputs in each of these engines; every pair of runs must agree within the same
// tolerance. If not all runs agree, the failure message names the minority for each output, or says
// that there is a tie.
//
//	Expect(trt.Run(ctx, model, inputs)).To(
//		AgreeAmong(ort.Engine(), openvino.Engine(), tract.Engine()).Within(1e-4, 1e-4, Elementwise))
//
// You may pass the same engine several times with different options; each counts as a vote. If the
// majority consists only of such votes, the message says that they come from the same code. Without
// a tolerance every element must be equal. It is an error if the run was read from a file, because
// the model is then unknown, or if an engine cannot run the model.
func AgreeAmong(engines ...backends.Engine) *AgreementMatcher {
	return agreementMatcher(&comparer{}, engines)
}

// AgreementMatcher compares a run with other engines' runs of the same model. Create one with
// [AgreeAmong]; its methods return modified copies. A pair of runs agrees only if it passes all
// checks.
type AgreementMatcher struct {
	tolerances[*AgreementMatcher]
	choices[*AgreementMatcher]
	comparer *comparer // holds the checks and options
	engines  []backends.Engine

	last *locate.VoteReport // the result of the last Match
}

func agreementMatcher(c *comparer, engines []backends.Engine) *AgreementMatcher {
	m := chain[*AgreementMatcher]{c, func(c *comparer) *AgreementMatcher {
		return agreementMatcher(c, engines)
	}}
	return &AgreementMatcher{tolerances[*AgreementMatcher]{m}, choices[*AgreementMatcher]{m}, c,
		engines, nil}
}

// Locating makes a failure message name the node at which each engine of the minority first
// differs. To find that node, Locating runs the model again: first with its intermediate tensors as
// extra outputs, then node by node.
func (m *AgreementMatcher) Locating() *AgreementMatcher {
	return m.tolerances.changed(func(c *comparer) { c.locating = true })
}

// Match implements Gomega's matcher interface.
func (m *AgreementMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	if m.last, err = m.vote(actual); err != nil {
		return false, fmt.Errorf("AgreeAmong: %w", err)
	}
	return m.last.Unanimous(), nil
}

// vote runs the engines and compares every pair of runs.
func (m *AgreementMatcher) vote(actual any) (*locate.VoteReport, error) {
	switch {
	case m.comparer.misuse != nil:
		return nil, m.comparer.misuse
	case len(m.engines) == 0:
		return nil, errors.New("no engine to agree with: pass at least one, such as ort.Engine()")
	}
	run, ctx, err := repeatable(actual)
	if err != nil {
		return nil, err
	}
	of := run.Subject()
	report, err := locate.Vote(ctx, of.Model, of.Inputs, locate.VoteOptions{Run: run,
		Compare: m.comparer.rules(), Locate: m.comparer.locating}, m.engines...)
	if err != nil {
		return nil, err
	}
	for _, v := range report.Refused() {
		return nil, fmt.Errorf("%s cannot run the model: %s", v.Name, v.Refused)
	}
	return report, nil
}

// FailureMessage describes how the engines disagree.
func (m *AgreementMatcher) FailureMessage(actual any) string {
	run, _ := sideOf(actual)
	return names.Escape(fmt.Sprintf("Expected\n    %v\nto agree with %s\n%s", run, m.names(),
		strings.TrimRight(m.last.Text(), "\n")))
}

// NegatedFailureMessage says that all engines agree although they should not.
func (m *AgreementMatcher) NegatedFailureMessage(actual any) string {
	run, _ := sideOf(actual)
	return names.Escape(fmt.Sprintf("Expected\n    %v\nnot to agree with %s\nbut %s within %s", run,
		m.names(), m.last.Headline(), m.last.Rule))
}

// String describes the matcher in the messages of an enclosing matcher, such as And.
func (m *AgreementMatcher) String() string { return "agree with " + m.names() }

// GomegaString keeps Gomega from printing the matcher field by field.
func (m *AgreementMatcher) GomegaString() string { return m.String() }

func (m *AgreementMatcher) names() string {
	var names []string
	for _, e := range m.engines {
		names = append(names, fmt.Sprint(e))
	}
	return strings.Join(names, ", ")
}
