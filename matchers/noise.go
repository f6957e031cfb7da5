package matchers

import (
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/noise"
)

// byNoise is the rule of a matcher whose tolerances are measured noise instead of fixed numbers.
type byNoise struct {
	bars   compare.Bars
	engine backends.Engine // measures the noise; nil for ONNX Runtime
}

// judge reads or measures the noise, and compares the two sides.
func (n *byNoise) judge(actual, expected side, o compare.Options) (
	compare.Report, *noise.Reference, error) {
	of, err := noise.Between(actual.run, expected.run, noise.In(n.engine))
	if err != nil {
		return compare.Report{}, nil, err
	}
	report, err := compare.WithinNoise(actual.sets, expected.sets, of.Noise, n.bars, o)
	return report, of, err
}

// judgeOld compares the actual run with an old golden file, using the noise stored in the file. It
// returns an error if the file stores no noise.
func (n *byNoise) judgeOld(actual side, old *backends.Run, o compare.Options) (
	compare.Report, error) {
	// This measures nothing, because a file cannot be run.
	of, err := noise.Between(nil, old, noise.In(n.engine))
	if err == nil && !of.Kept() {
		err = errors.New("the golden file stores no noise")
	}
	if err != nil {
		return compare.Report{}, err
	}
	return compare.WithinNoise(actual.sets, old.Outputs(), of.Noise, n.bars, o)
}

// String returns the rule in words.
func (n *byNoise) String() string {
	return "rounding noise, with " + figures.FalseAlarm(n.bars.FalseAlarm)
}
