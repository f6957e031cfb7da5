package locate

import (
	"fmt"
	"io"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// inputsFile is the path of a candidate's inputs.
func inputsFile(model string) string { return model + ".inputs.json" }

// save writes the candidate and its inputs.
func (c *Candidate) save(file string) error {
	if err := c.Model.Save(file); err != nil {
		return err
	}
	err := wholefile.Write(inputsFile(file), func(w io.Writer) error {
		p := polygraphy.NewWriter(w)
		p.Inputs(fixtures.Of(c.Inputs...).All())
		return p.Close()
	})
	if err != nil {
		return fmt.Errorf("locate: inputs of %s: %w", file, err)
	}
	return nil
}
