package matchers

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/locate"
)

// finiteMatcher succeeds if no output contains NaN or infinities.
type finiteMatcher struct {
	// The remaining fields describe the last Match, for the messages.
	outputs int           // how many outputs were checked, over all iterations
	found   []string      // one line for each output with NaN or infinities
	run     *backends.Run // the actual run; nil for bare tensors
}

func (m *finiteMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	m.outputs, m.found = 0, nil
	s, err := sideOf(actual)
	if err != nil {
		return false, fmt.Errorf("BeFinite: %w", err)
	}
	m.run = s.run
	report, err := compare.Finite(s.sets, false)
	if err != nil {
		return false, fmt.Errorf("BeFinite: %w", err)
	}
	m.outputs = len(report.Outputs)
	for _, o := range report.Outputs {
		if o.Verdict == compare.Fail {
			m.found = append(m.found, fmt.Sprintf("%q, iteration %d, %d elements: %s", o.Name, o.Iteration,
				o.Actual.Len(), strings.TrimPrefix(o.Reason, "not finite: ")))
		}
	}
	return report.Verdict == compare.Pass, nil
}

func (m *finiteMatcher) FailureMessage(any) string {
	lines := []string{"Expected every element to be finite, but"}
	for _, line := range m.found {
		lines = append(lines, "    "+line)
	}
	if m.run != nil && m.run.Subject().Repeatable() == nil {
		lines = append(lines, m.origin())
	}
	return names.Escape(strings.Join(lines, "\n"))
}

// origin names the node in which NaN or an infinity first appears. To find that node, origin runs
// the model again with its intermediate tensors as extra outputs.
func (m *finiteMatcher) origin() string {
	var found *locate.Origin
	ctx, err := backends.ContextOf(m.run)
	if err == nil {
		found, err = locate.NonFinite(ctx, m.run.Subject())
	}
	if err != nil {
		return "the node that produces them cannot be found: " + err.Error()
	}
	return strings.TrimRight(found.Text(nil), "\n")
}

func (m *finiteMatcher) NegatedFailureMessage(any) string {
	return fmt.Sprintf("Expected an element that is NaN or infinite, but every element of %d "+
		"outputs is finite", m.outputs)
}

func (m *finiteMatcher) String() string { return "be finite" }

func (m *finiteMatcher) GomegaString() string { return m.String() }
