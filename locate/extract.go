package locate

import (
	"context"
	"errors"

	"github.com/modelparity/modelparity/fixtures"
)

// Extract cuts the part of a side's model between tensors, and records what it is to be fed with:
// the model runs up to the tensors in from, on inputs. The model's own inputs that the part needs
// besides are kept and fed as inputs say. An empty from cuts from the model's inputs on.
//
// A name that the model does not have, one in from that is no tensor, and an empty to are errors.
func Extract(ctx context.Context, side Side, inputs fixtures.Inputs, from, to []string) (
	*Candidate, error) {
	if err := side.validate("recording"); err != nil {
		return nil, err
	}
	if len(to) == 0 {
		return nil, errors.New("locate: extract: there is no tensor to compute")
	}
	r := &reduction{model: side.Model, recorder: side}
	var err error
	if _, r.sets, err = snapshot(inputs); err != nil {
		return nil, err
	}
	declared, err := side.Model.Inputs()
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, v := range declared {
		own[v.Name] = true
	}
	var given []string
	for _, name := range from {
		if !own[name] { // the model's inputs are kept as they are declared
			given = append(given, name)
		}
	}
	return r.cut(ctx, given, untyped(to))
}

// Save writes the part to file, and its inputs to <file>.inputs.json in Polygraphy's format, each
// whole or not at all. It returns both names.
func (c *Candidate) Save(file string) ([]string, error) {
	if err := c.save(file); err != nil {
		return nil, err
	}
	return []string{file, inputsFile(file)}, nil
}
