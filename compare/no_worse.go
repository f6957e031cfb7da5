package compare

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// LowerPrecision is what a format of fewer bits does by itself to the outputs of one model on given
// inputs. Package precision makes it, and [NoWorseThan] judges by it.
type LowerPrecision struct {
	// Format names it: "fp16".
	Format string
	// Float32 are the outputs of each iteration without rounding, in the same engine.
	Float32 []*tensor.Set
	// Runs are the outputs of each iteration with everything rounded in the format: first to the
	// nearest, then with the weights and inputs rounded on grids that are shifted by chance, which
	// makes errors of the same size that are independent.
	Runs [][]*tensor.Set
}

// PrecisionBars are what the errors of a lower precision may not exceed.
type PrecisionBars struct {
	// FalseAlarm is the probability with which an engine that is no worse may fail one comparison,
	// over all its outputs. 0 is 1e-4.
	FalseAlarm float64
	// Published lets AWS's gate decide as it is published ([ThreeWay]).
	Published bool
}

// NoWorseThan holds the errors of an engine of lower precision against those that its format causes
// by itself on the same model. expected is in float32 or better.
//
// Both gates are computed for each output of floats, pooled over the iterations. The one that
// decides has two criteria:
//
//   - the root mean square of the errors is at most 1.2226·√F times that of all rounded runs.
//     1.2226 is the ratio of σ at which the published overlap of 0.99 ends for normal errors; F is
//     the quantile of the F distribution with ν and ν·n degrees of freedom, for n runs and ν as in
//     [WithinNoise]: what chance adds where outputs are few.
//   - the greatest error is less than 5 times the greatest of all rounded runs.
//
// The other is AWS's ([ThreeWay]). At equal quality its σ ratio is above 1 every other time, and
// its overlap of 0.99 takes thousands of elements, so that it rejects good engines with few
// outputs. PrecisionBars.Published lets it decide.
//
// Elements that are not finite in a rounded run are left out; an output of which nothing is left is
// an error, and so is a format that changes nothing. Integers, bools and strings must be equal
// where the rounded runs agree.
//
// A result's Value is the greater of both criteria over its bar, and its Limit 1; under Published
// there is no such number. Options are those of [Runs]; its checks, TopK and AnyShape are not for
// it.
func NoWorseThan(actual, expected []*tensor.Set, lower *LowerPrecision, bars PrecisionBars,
	o Options) (Report, error) {
	if bars.FalseAlarm == 0 {
		bars.FalseAlarm = DefaultFalseAlarm
	}
	if err := lower.usable(bars, len(expected), o); err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	if err := validateOutputs(actual, expected); err != nil {
		return Report{}, err
	}
	pools, err := lower.pool(actual, expected, o)
	if err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	chosen, count := chosenBy(&o), 0
	for name := range pools {
		if chosen.takes(name) {
			count++
		}
	}
	report := Report{Verdict: Pass}
	for i := range min(len(actual), len(expected)) {
		o.Checks, o.PerOutput = []Check{{rule: &noWorse{}}}, map[string][]Check{}
		for _, v := range actual[i].Values() {
			if pool := pools[v.Name]; pool != nil && chosen.takes(v.Name) {
				pool.conclude(bars, bars.FalseAlarm/float64(count), len(lower.Runs))
				o.PerOutput[v.Name] = []Check{{rule: &noWorse{format: lower.Format, pool: pool, iteration: i,
					falseAlarm: bars.FalseAlarm, published: bars.Published}}}
			}
		}
		c, err := Prepare(o)
		if err != nil {
			return Report{}, err
		}
		one, err := c.Sets(actual[i], expected[i])
		if err != nil {
			return Report{}, err
		}
		report.LeftOut = one.LeftOut
		for _, output := range one.Outputs {
			output.Iteration = i
			report.Outputs = append(report.Outputs, output)
		}
	}
	report.conclude(len(actual), len(expected))
	return report, nil
}

// leastRounded is how many runs a LowerPrecision needs.
const leastRounded = 4

func (l *LowerPrecision) usable(bars PrecisionBars, iterations int, o Options) error {
	switch {
	case l == nil || len(l.Runs) < leastRounded:
		return fmt.Errorf("a lower precision needs %d runs or more", leastRounded)
	case !(bars.FalseAlarm > 0 && bars.FalseAlarm < 0.5):
		return fmt.Errorf("FalseAlarm is %v: want a probability between 0 and 0.5", bars.FalseAlarm)
	case o.Average:
		return errors.New("the errors of a lower precision are pooled over iterations already, so they " +
			"have no average")
	case o.AnyShape || len(o.TopK) > 0:
		return errors.New("the errors of a lower precision are those of elements where they are: " +
			"leave out AnyShape and TopK")
	}
	for _, run := range append([][]*tensor.Set{l.Float32}, l.Runs...) {
		if len(run) != iterations {
			return fmt.Errorf("%s was measured on %d iterations, and the expected run has %d", l.Format,
				len(run), iterations)
		}
	}
	return nil
}
