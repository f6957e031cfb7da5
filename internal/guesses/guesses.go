// Package guesses explains an engine's error by the dimensions that were taken as 1 when the inputs
// were drawn. Code that draws inputs once and then runs them many times keeps them in the context.
package guesses

import (
	"context"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
)

type key struct{}

// Context returns ctx with the notes of the inputs from which its runs get theirs.
func Context(ctx context.Context, notes []string) context.Context {
	return context.WithValue(ctx, key{}, notes)
}

// Text returns text to append to an engine's error: it lists the dimensions that were guessed
// according to the notes, or to those in ctx, and says how to set them. It returns "" if no
// dimension was guessed or ctx has ended.
func Text(ctx context.Context, wrong error, notes []string) string {
	kept, _ := ctx.Value(key{}).([]string)
	var guessed []string
	last := ""
	for _, note := range append(notes, kept...) {
		input, dim, dynamic := strings.Cut(note, ": dynamic dimension ")
		dim, one := strings.CutSuffix(dim, " taken as 1")
		if !dynamic || !one {
			continue
		}
		if input != last {
			last, dim = input, input+" "+dim
		}
		guessed = append(guessed, dim)
	}
	if guessed == nil || ctx.Err() != nil {
		return ""
	}
	separator := "; "
	if strings.Contains(wrong.Error(), "\n") {
		separator = "\n"
	}
	return separator + "dimensions were assumed to be 1: " + names.Join(guessed) + "; set them with " +
		"fixtures.Shape or --input-shapes"
}
