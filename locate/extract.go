package locate

import (
	"context"
	"errors"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// Extract cuts a part out of a subject's model: the nodes that lead from the tensors listed in from
// to the tensors listed in to. It also records the part's inputs, by running the earlier nodes on
// the subject's inputs. If the part needs some of the model's own inputs too, they remain inputs of
// the part. If from is empty, the part begins at the model's inputs.
//
// Duplicate names are ignored. It is an error if a name is unknown, if a name in from is not a
// tensor, or if to is empty.
func Extract(ctx context.Context, subject backends.Subject, from, to []string) (
	*Candidate, error) {
	if len(to) == 0 {
		return nil, errors.New("locate: extract: name at least one tensor to compute")
	}
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	recorder, err := newSide(ctx, "recording", subject, nil)
	if err != nil {
		return nil, err
	}
	defer recorder.close()
	r := &reduction{failing: recorder, recorder: recorder}
	own := loaders.Names(recorder.starts) // the model's inputs keep their declarations
	given := slices.DeleteFunc(noted(nil, from), func(name string) bool {
		return slices.Contains(own, name)
	})
	c, err := r.cut(ctx, given, untyped(noted(nil, to)))
	if err != nil {
		return nil, err
	}
	return c, r.complete(ctx, c)
}

// Save writes the part to file, and its inputs to <file>.inputs.json in Polygraphy's format. Each
// file is written completely or not at all. If file is a device or a pipe, only the model is
// written. Save returns the names of the written files.
func (c *Candidate) Save(file string) ([]string, error) {
	if wholefile.IsStream(file) {
		return []string{file}, c.Model.Save(file)
	}
	if err := wholefile.Beside(file, inputsFile(file)); err != nil {
		return nil, err
	}
	if err := c.save(file); err != nil {
		return nil, err
	}
	return []string{file, inputsFile(file)}, nil
}
