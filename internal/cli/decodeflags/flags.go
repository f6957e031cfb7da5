// Package decodeflags makes options of package decode from the flags of a command line, as --tokens
// text.npy --greedy 32.
package decodeflags

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/values"
)

// Flags is the flags that were given. The zero value is none.
type Flags struct {
	tokens, other string
	steps         []int
	whole         bool
	greedy, top   int
}

// table is every flag with what it does with its words.
var table = map[string]func(f *Flags, words []string) error{
	"--tokens": func(f *Flags, words []string) error { return path(&f.tokens, words) },
	"--vs":     func(f *Flags, words []string) error { return path(&f.other, words) },
	"--steps": func(f *Flags, words []string) error {
		for _, word := range words {
			n, err := values.Count(word, 1)
			if err != nil {
				return err
			}
			f.steps = append(f.steps, n)
		}
		return nil
	},
	"--whole": func(f *Flags, _ []string) error { f.whole = true; return nil },
	"--greedy": func(f *Flags, words []string) (err error) {
		f.greedy, err = values.Count(words[0], 1)
		return err
	},
	"--top-k": func(f *Flags, words []string) (err error) {
		f.top, err = values.Count(words[0], 1)
		return err
	},
}

func path(into *string, words []string) error {
	if words[0] == "" {
		return errors.New("the name of the file is empty")
	}
	*into = words[0]
	return nil
}

// Set takes a flag with the words behind it.
func (f *Flags) Set(flag string, words ...string) error {
	apply, known := table[flag]
	switch {
	case !known:
		return fmt.Errorf("unknown flag %s of decoding", flag)
	case len(words) == 0 && flag != "--whole":
		return fmt.Errorf("%s needs a value", flag)
	}
	return apply(f, words)
}

// Names lists every flag.
func Names() []string { return slices.Sorted(maps.Keys(table)) }

// Other is the model of --vs, "" where the flag was not given.
func (f *Flags) Other() string { return f.other }

// Tokens is what is decoded.
func (f *Flags) Tokens() (fixtures.Inputs, error) {
	if f.tokens == "" {
		return fixtures.Inputs{}, errors.New("nothing to decode; write --tokens FILE, .npy or .json of " +
			"token ids")
	}
	return decode.FromFile(f.tokens), nil
}

// Options is how it is decoded.
func (f *Flags) Options() ([]decode.Option, error) {
	var list []decode.Option
	if f.whole && len(f.steps) > 0 {
		return nil, errors.New("--whole is one step of all tokens, and --steps says other ones: keep one")
	}
	if f.whole {
		list = append(list, decode.Whole())
	}
	if len(f.steps) > 0 {
		list = append(list, decode.Steps(f.steps...))
	}
	if f.greedy > 0 {
		list = append(list, decode.Greedy(f.greedy))
	}
	if f.top > 0 {
		list = append(list, decode.TopK(f.top))
	}
	return list, nil
}
