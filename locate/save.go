package locate

import (
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
)

// inputsFile returns the path of the file that contains a candidate's inputs.
func inputsFile(model string) string { return model + ".inputs.json" }

func (c *Candidate) save(file string) error {
	if err := c.Model.Save(file); err != nil {
		return err
	}
	if err := fixtures.Save(inputsFile(file), fixtures.Of(c.Inputs...)); err != nil {
		return fmt.Errorf("locate: %w", err)
	}
	return nil
}
