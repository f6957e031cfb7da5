package matchers

import (
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/noise"
)

func (m *comparer) noiseBars() compare.NoiseBars {
	return compare.NoiseBars{FalseAlarm: m.falseAlarm}
}

// judgeNoise reads or measures the noise, and compares the two sides.
func (m *comparer) judgeNoise(c *comparison) (err error) {
	if c.noise, err = noise.Between(c.actual.run, c.expected.run, m.engine); err != nil {
		return err
	}
	c.report, err = compare.WithinNoise(c.actual.sets, c.expected.sets, c.noise.Noise, m.noiseBars(),
		m.under.options)
	return err
}

// judgeOldNoise compares the actual run with an old golden file, using the noise stored in the
// file. It returns an error if the file stores no noise.
func (m *comparer) judgeOldNoise(actual side, old *backends.Run) (compare.Report, error) {
	of, err := noise.Between(nil, old, m.engine) // measures nothing, because a file cannot be run
	if err == nil && !of.Kept() {
		err = errors.New("the golden file stores no noise")
	}
	if err != nil {
		return compare.Report{}, err
	}
	return compare.WithinNoise(actual.sets, old.Outputs(), of.Noise, m.noiseBars(), m.under.options)
}
