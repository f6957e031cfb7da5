package cli

import (
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/noise"
)

// noiseJudge compares runs with measured noise as the tolerance, and keeps the noise of each
// comparison.
type noiseJudge struct {
	bars    compare.Bars
	options compare.Options // without checks
	// notes has one text for each comparison; see [noise.Reference.Text].
	notes []string
	// noise is the noise in the last comparison.
	noise *compare.Noise
}

// compare applies [compare.WithinNoise] to two runs. The noise comes from [noise.Between].
func (j *noiseJudge) compare(actual, expected *backends.Run) (compare.Report, error) {
	r, err := noise.Between(actual, expected)
	if err != nil {
		return compare.Report{}, err
	}
	report, err := compare.WithinNoise(actual.Outputs(), expected.Outputs(), r.Noise, j.bars,
		j.options)
	if err == nil {
		j.notes, j.noise = append(j.notes, r.Text(j.bars)), r.Noise
		if _, ended := backends.ContextOf(actual, expected); ended != nil { // while Text ran models
			err = errors.Unwrap(ended)
		}
	}
	return report, err
}
