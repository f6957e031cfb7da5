package locate

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
)

// expectations computes the part's outputs on its inputs, in the recording side, whose outputs
// count as correct. If that side has another model, the same part of that model runs.
func (r *reduction) expectations(ctx context.Context, c *Candidate) error {
	model := c.Model
	if r.recorder.model != r.model {
		var err error
		if model, err = c.Counterpart(r.recorder.model); err != nil {
			return fmt.Errorf("locate: test data: %w", err)
		}
	}
	run, err := r.recorder.run(ctx, model, fixtures.Of(c.Inputs...))
	if err != nil {
		return fmt.Errorf("locate: test data: the correct outputs: %w", err)
	}
	c.Outputs = run.Outputs()
	return nil
}
