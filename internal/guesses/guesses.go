// Package guesses explains an engine's error that a guess may have caused: when inputs are
// generated, some unknown dimensions are set to 1, and notes record that. Code that generates
// inputs once and then runs them many times keeps these notes in the context.
package guesses

import (
	"context"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
)

type key struct{}

// Context returns a copy of ctx that contains the notes about guessed dimensions.
func Context(ctx context.Context, notes []string) context.Context {
	return context.WithValue(ctx, key{}, notes)
}

// Text returns a hint to append to an engine's error: it lists the dimensions that were guessed,
// and says how to set them. The guesses are recorded in notes and in the notes that ctx contains.
// Text returns "" if no dimension was guessed or ctx has ended.
func Text(ctx context.Context, wrong error, notes []string) string {
	kept, _ := ctx.Value(key{}).([]string)
	guessed, _ := Dimensions(append(notes, kept...))
	if guessed == "" || ctx.Err() != nil {
		return ""
	}
	separator := "; "
	if strings.Contains(wrong.Error(), "\n") {
		separator = "\n"
	}
	return separator + "dimensions were assumed to be 1: " + guessed + "; set them with fixtures.Shape"
}

// Dimensions lists, for each input, the dynamic dimensions that were set to 1 according to the
// notes. A dimension is listed by its symbol or, if it has none, by its index. For example, this
// text lists the dimensions "batch" and "features" of the input x, and dimension 2 of the input y:
//
//	input "x" "batch", "features", input "y" 2
//
// The text is "" if there are none. others are the notes that are not about dynamic dimensions.
func Dimensions(notes []string) (text string, others []string) {
	var guessed []string
	last := ""
	for _, note := range notes { // such as: input "x": dynamic dimension "batch" taken as 1
		input, dim, dynamic := strings.Cut(note, ": dynamic dimension ")
		dim, one := strings.CutSuffix(dim, " taken as 1")
		switch {
		case !dynamic:
			others = append(others, note)
		case one:
			if input != last {
				last, dim = input, input+" "+dim
			}
			guessed = append(guessed, dim)
		}
	}
	if guessed != nil {
		text = names.Join(guessed)
	}
	return text, others
}
