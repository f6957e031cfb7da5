package locate

import (
	"context"
	"errors"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Extract cuts the part of a subject's model between tensors, and records its inputs: the model
// runs up to the tensors in from, on the subject's inputs. The part keeps those of the model's own
// inputs that it still needs. An empty from cuts from the model's inputs on.
//
// A name that is given twice counts once. An unknown name, one in from that is not a tensor, and an
// empty to are errors.
func Extract(ctx context.Context, subject backends.Subject, from, to []string) (
	*Candidate, error) {
	if len(to) == 0 {
		return nil, errors.New("locate: extract: no tensor to compute")
	}
	inputs, sets, err := draw("recording", subject)
	if err != nil {
		return nil, err
	}
	recorder, err := newSide(ctx, "recording", subject, inputs)
	if err != nil {
		return nil, err
	}
	defer recorder.close()
	r := &reduction{model: recorder.model, recorder: recorder, sets: sets}
	declared, err := r.model.Inputs()
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, v := range declared {
		own[v.Name] = true
	}
	var given []string
	for _, name := range from {
		// The model's inputs are kept as they are declared.
		if !own[name] && !slices.Contains(given, name) {
			given = append(given, name)
		}
	}
	var wanted []string
	for _, name := range to {
		if !slices.Contains(wanted, name) {
			wanted = append(wanted, name)
		}
	}
	c, err := r.cut(ctx, given, untyped(wanted))
	if err == nil {
		err = r.complete(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Save writes the part to file, and its inputs to <file>.inputs.json in Polygraphy's format, each
// whole or not at all. It returns both names. There is no place beside a device or a pipe, which
// gets the model alone.
func (c *Candidate) Save(file string) ([]string, error) {
	if wholefile.IsStream(file) {
		return []string{file}, c.Model.Save(file)
	}
	if err := c.save(file); err != nil {
		return nil, err
	}
	return []string{file, inputsFile(file)}, nil
}
