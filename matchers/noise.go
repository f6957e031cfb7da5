package matchers

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/noise"
)

// byNoise describes a comparison that is decided by measured noise instead of fixed tolerances.
type byNoise struct {
	bars   compare.NoiseBars
	engine backends.Engine // measures the noise; nil for ONNX Runtime
}

// rounded is the norm-wise relative error that a single node may have because of rounding.
const rounded = 16 * 0x1p-24

// inside returns the rule for tensors inside the models, whose noise was not measured. The rule
// allows the norm-wise relative error that noise allows for the output that differs most.
func (n *byNoise) inside(report compare.Report, o compare.Options) (
	compare.Options, string, error) {
	worst, limit := 0.0, 0.0
	o.Only, o.Except = nil, nil
	probe := o
	probe.Checks = []compare.Check{compare.NormRelative(math.MaxFloat64)}
	for _, out := range report.Outputs {
		if out.Verdict != compare.Fail || out.Actual == nil || len(out.Results) == 0 {
			continue
		}
		norm, err := compare.Tensors(out.Actual, out.Expected, probe)
		if err != nil || len(norm.Results) == 0 {
			continue // strings, or an expected side of zeros
		}
		off, allowed := norm.Results[0].Value, 0.0
		if times := out.Results[0].Value; times >= 1 {
			allowed = off / times
		}
		if off-off != 0 { // not finite on one of the sides
			off = math.MaxFloat64
		}
		if off > worst {
			worst, limit, o.Only = off, max(allowed, rounded), []string{out.Name}
		}
	}
	if !(limit < worst) {
		return o, "", fmt.Errorf("the outputs differ by %.2g of their norm, too little to distinguish "+
			"from rounding inside", worst)
	}
	o.Checks = []compare.Check{compare.NormRelative(limit)}
	return o, fmt.Sprintf(", within a norm-wise relative error of %.2g, as noise allows %q", limit,
		o.Only[0]), nil
}

// judge measures the noise, or reads it from the expected file, and compares the two sides.
func (n *byNoise) judge(actual, expected side, o compare.Options) (
	compare.Report, *noise.Reference, error) {
	of, err := noise.Between(actual.run, expected.run, n.engine)
	if err != nil {
		return compare.Report{}, nil, err
	}
	report, err := compare.WithinNoise(actual.sets, expected.sets, of.Noise, n.bars, o)
	return report, of, err
}

// judgeOld compares the actual run with an old golden file, using the noise stored in the file. A
// file without noise is an error.
func (n *byNoise) judgeOld(actual side, old *backends.Run, o compare.Options) (
	compare.Report, error) {
	of, err := noise.Between(nil, old, n.engine) // measures nothing, because a file cannot be run
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
	return "what rounding explains, with " + figures.FalseAlarm(n.bars.FalseAlarm)
}
