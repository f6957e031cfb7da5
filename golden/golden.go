package golden

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/runfile"
)

// Options control what a golden file may contain and when an update keeps the old file. The zero
// value is the strictest.
type Options struct {
	// AllowNonFinite permits NaN and infinities in a golden file. They are rejected by default
	// because they usually mean that the run was broken.
	AllowNonFinite bool
	// Judge compares the new run with the old file within the spec's tolerance, and Tolerance
	// describes that tolerance in words. An update keeps a file that passes. If Judge is nil, an
	// update keeps only a file that contains exactly this run. If the file contains a sample of an
	// output, both runs passed to Judge contain only the sampled elements.
	Judge     func(now, old *backends.Run) (compare.Report, error)
	Tolerance string
	// Under pairs the outputs of the run with the outputs in the file, by its fields Names and
	// ByPosition. Its other fields have no effect. An update keeps the names in the file.
	Under compare.Options
	// Spec is the spec that requests the update, or nil if it is unknown. If the spec has already
	// staged an update of the same file, the new update is compared with the result of the staged
	// one. By is the location of the spec's assertion, for error messages.
	Spec *Spec
	By   string

	Layout
}

// sound returns an error if the run must not be written to a golden file.
func sound(run *backends.Run, o Options) error {
	err := runfile.Complete(run)
	if err == nil && !o.AllowNonFinite {
		err = finite(run)
	}
	return err
}

// finite returns an error that counts the NaN and infinities of the first output that has any, or
// nil if none has.
func finite(run *backends.Run) error {
	for i, iteration := range run.Iterations() {
		for name, t := range iteration.Outputs.All() {
			if c := compare.CensusOf(t); c.Total() > 0 {
				return fmt.Errorf("iteration %d, output %q has %v, which usually means a broken run; if "+
					"the model is meant to produce them, add AllowNonFinite, and compare with the options "+
					"NaNEqual and InfinitiesEqual", i, name, c)
			}
		}
	}
	return nil
}
