package matchers

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/precision"
)

// BeExactOnIntegers succeeds if the engine of a run computes exact results on the integer twin of
// its model. The twin has the same nodes but sparse integer weights and inputs, so float32
// represents every sum without rounding, in any order of summation. The matcher therefore needs no
// tolerance to detect an engine that silently computes in a lower precision than requested, such as
// bfloat16, TF32 or float16.
//
//	Expect(openvino.Run(ctx, model, inputs)).To(BeExactOnIntegers(ort.Engine()))
//
// The run's engine and each of the given engines run the twin. All engines with exact results
// must return the same bits. An engine with a fast convolution algorithm, such as Winograd's, has
// small errors in float32. It passes too. [precision.Twin.Text] lists the parts of the model that
// the twin does not check. A run that was read from a file is an error.
func BeExactOnIntegers(as ...backends.Engine) types.GomegaMatcher {
	return &integersMatcher{others: as}
}

type integersMatcher struct {
	others []backends.Engine
	report *precision.TwinReport // the report of the last Match
}

func (m *integersMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	run, ctx, err := repeatable(actual)
	if err == nil {
		m.report, err = precision.TwinAmong(ctx, run.Subject(),
			append(slices.Clone(m.others), run.Subject().Engine)...)
	}
	if err != nil {
		return false, fmt.Errorf("BeExactOnIntegers: %w", err)
	}
	last := len(m.report.Sides) - 1
	for _, side := range m.report.Sides[:last] {
		if !side.Passes() {
			return false, errors.New("BeExactOnIntegers: the reference engine is not exact itself: " +
				side.String())
		}
	}
	return m.report.Sides[last].Passes(), nil
}

func (m *integersMatcher) FailureMessage(any) string {
	return "Expected exact results for the integer twin (model with integer weights), but\n    " +
		m.text()
}

func (m *integersMatcher) NegatedFailureMessage(any) string {
	return "Expected inexact results for the integer twin (model with integer weights), but\n    " +
		m.text()
}

func (m *integersMatcher) text() string {
	text := m.report.Verdicts() + m.report.Twin.Text()
	return names.Escape(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    "))
}

func (m *integersMatcher) String() string {
	return "compute exact results for integer weights and inputs"
}

func (m *integersMatcher) GomegaString() string { return m.String() }
