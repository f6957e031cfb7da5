package matchers

import (
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/noise"
)

func (m *comparer) bars() compare.Bars { return compare.Bars{FalseAlarm: m.falseAlarm} }

// judgeNoise reads or measures the noise, and compares the two sides.
func (m *comparer) judgeNoise(c *comparison) (err error) {
	if c.noise, err = noise.Between(c.actual.run, c.expected.run, noise.In(m.engine)); err != nil {
		return err
	}
	c.report, err = compare.WithinNoise(c.actual.sets, c.expected.sets, c.noise.Noise, m.bars(),
		m.under.options)
	return err
}

// judgeOldNoise compares the actual run with an old golden file, using the noise stored in the
// file. It returns an error if the file contains no measured noise.
func (m *comparer) judgeOldNoise(actual side, old *backends.Run) (compare.Report, error) {
	// A file cannot be run, so nothing is measured.
	of, err := noise.Between(nil, old, noise.In(m.engine))
	if err == nil && !of.Kept() {
		err = errors.New("the golden file contains no measured noise")
	}
	if err != nil {
		return compare.Report{}, err
	}
	return compare.WithinNoise(actual.sets, old.Outputs(), of.Noise, m.bars(), m.under.options)
}
