// Package searchflags makes the options of a search of the flags of a command line, as --budget 5m
// --sizes 1 8.
package searchflags

import (
	"fmt"
	"time"

	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/relations/search"
)

// Flags is the flags that were given. The zero value is none: a search as [search.Options] has it.
type Flags struct{ options search.Options }

// Set takes a flag with the words behind it. The error of a word says what to write.
func (f *Flags) Set(flag string, words ...string) (err error) {
	if flag == "--edits" && len(words) == 0 {
		f.options.Edits = true
		return nil
	}
	if apply, known := table[flag]; known && len(words) > 0 {
		for _, word := range words {
			if err = apply(&f.options, word); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("unknown flag %s %q of a search", flag, words)
}

// Names lists every flag.
func Names() []string {
	return []string{"--budget", "--edits", "--search-seed", "--sizes", "--trials"}
}

// table is every flag that takes words, with what it does with each.
var table = map[string]func(o *search.Options, word string) error{
	"--budget": budget,
	"--trials": func(o *search.Options, word string) (err error) {
		o.Trials, err = values.Count(word, 1)
		return err
	},
	"--search-seed": func(o *search.Options, word string) error {
		n, err := values.Count(word, 0)
		o.Seed = uint64(n)
		return err
	},
	"--sizes": func(o *search.Options, word string) error {
		n, err := values.Count(word, 1)
		o.Sizes = append(o.Sizes, n)
		return err
	},
}

// budget takes a duration as Go writes it.
func budget(o *search.Options, word string) (err error) {
	o.Budget, err = time.ParseDuration(word)
	if err != nil || o.Budget <= 0 {
		return fmt.Errorf("%q is not a time; write 60s, or 5m", word)
	}
	return nil
}

// Options is what the flags say, with the rule: Polygraphy's own tolerances where none was given.
func (f *Flags) Options(rule *compareflags.Flags) (search.Options, error) {
	options := f.options
	if rule.Noise() {
		options.Noise, options.Bars = true, rule.Bars()
	}
	checks, err := rule.One("search")
	options.Rule.Checks = checks
	return options, err
}
