package locate

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
)

// expectations runs the part on the side that recorded its inputs, and stores the outputs in c as
// the correct ones. The part is cut from the model of that side.
func (r *reduction) expectations(ctx context.Context, c *Candidate) error {
	model, err := c.Counterpart(r.recorder.model)
	if err != nil {
		return fmt.Errorf("locate: test data: %w", err)
	}
	run, err := r.recorder.run(ctx, model, fixtures.Of(c.Inputs...))
	if err != nil {
		return fmt.Errorf("locate: test data: cannot compute the correct outputs: %w", err)
	}
	c.Outputs = run.Outputs()
	return nil
}
