// Package arguments parses a command line as Python's argparse does, because modelparity takes the
// very command lines that people write for Polygraphy: a flag may take several values
// (--atol 1e-5 logits:1e-3), a value may be optional, a unique prefix is enough, and values may
// follow "=". Flags that are known but do nothing carry an answer, which is the error they give.
package arguments

import (
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/files"
)

// Arity is how many values follow a flag.
type Arity uint8

// The arities, with argparse's names for them.
const (
	None  Arity = iota // a switch
	One                // exactly one
	Maybe              // none or one: "?"
	Some               // one or more: "+"
	Any                // none or more: "*"
	Rest               // all words that follow, be they flags or not, and at least one
)

// Flag is one flag of a command that fills an R, the request.
type Flag[R any] struct {
	// Name is how messages call the flag; Also are its other spellings.
	Name string
	Also []string
	// Arity is how many values follow, and Value what they look like, for the help.
	Arity Arity
	Value string
	// Text is what the flag's help is filed under, where that is not Name, and Fill the old and new
	// texts of its placeholders, by turns.
	Text string
	Fill []string
	// Apply puts the values into the request. It is called once for each time the flag is given.
	Apply func(request *R, values []string) error
	// File says that the values are files, and what is done with them. A request with an Account
	// has them noted there.
	File files.Use
	// Repeats says that each time the flag is given counts, as of one that names an engine. Of
	// other flags with one value the last counts.
	Repeats bool
	// Shared is a word for flags that may name the same file, such as those of one cache.
	Shared string
	// Needs are flags of which one has to be given as well: without any of them this one would do
	// nothing, which is an error.
	Needs []string
	// Answer, where Apply is nil, is the error of a flag that is known and cannot be had: what to
	// write in its place.
	Answer string
}

// Spelled makes a flag of what [Flag.Usage] shows of it: "--atol, --abs-tol [OUTPUT:]X ...".
func Spelled[R any](usage string, apply func(*R, []string) error) Flag[R] {
	f := Flag[R]{Apply: apply}
	names, value, _ := strings.Cut(usage, " ")
	if last := strings.LastIndex(usage, " -"); last >= 0 {
		last += strings.IndexAny(usage[last+1:]+" ", " ") + 1
		names, value = usage[:last], strings.TrimSpace(usage[last:])
	}
	spellings := strings.Split(names, ", ")
	f.Name, f.Also = spellings[0], spellings[1:]
	some, isSome := strings.CutSuffix(value, " ...")
	inner, isMaybe := strings.CutPrefix(strings.TrimSuffix(value, "]"), "[")
	switch several, isAny := strings.CutSuffix(inner, " ..."); {
	case value == "":
	case isSome:
		f.Arity, f.Value = Some, some
	case isMaybe && isAny:
		f.Arity, f.Value = Any, several
	case isMaybe:
		f.Arity, f.Value = Maybe, inner
	default:
		f.Arity, f.Value = One, value
	}
	return f
}

// On says that the values are files, and what is done with them.
func (f Flag[R]) On(use files.Use) Flag[R] {
	f.File = use
	return f
}

// Last has the flag take all words that follow it, so that it comes last.
func (f Flag[R]) Last() Flag[R] {
	f.Arity = Rest
	return f
}

// Usage is the flag as the help shows it: "--atol, --abs-tol [OUTPUT:]X ...".
func (f Flag[R]) Usage() string {
	text := strings.Join(append([]string{f.Name}, f.Also...), ", ")
	switch f.Arity {
	case One:
		text += " " + f.Value
	case Maybe:
		text += " [" + f.Value + "]"
	case Some, Rest:
		text += " " + f.Value + " ..."
	case Any:
		text += " [" + f.Value + " ...]"
	}
	return text
}

// Needing is flags that do nothing unless one of the needed flags is given as well.
func Needing[R any](needed []string, flags ...Flag[R]) []Flag[R] {
	all := slices.Clone(flags)
	for i := range all {
		all[i].Needs = needed
	}
	return all
}

// Spells reports whether name is one of the flag's spellings.
func (f Flag[R]) Spells(name string) bool {
	return name == f.Name || slices.Contains(f.Also, name)
}

// accountant is a request that keeps account of the files that flags name.
type accountant interface{ Account() *files.Account }

// function ends the Value of a flag that names a function in a script: SCRIPT.py[:FUNCTION].
const function = ".py[:FUNCTION]"

// note keeps account of the files that the flag was given.
func (f Flag[R]) note(request *R, values []string) {
	to, keeps := any(request).(accountant)
	if strings.HasSuffix(f.Value, function) {
		values = slices.Clone(values)
		for i, v := range values {
			if script, _, named := strings.Cut(v, ".py:"); named {
				values[i] = script + ".py"
			}
		}
	}
	switch {
	case f.File == files.None || !keeps:
	case f.Shared != "" && len(values) == 1:
		to.Account().Share(f.Shared, f.Name, values[0])
	case !f.Repeats && (f.Arity == One || f.Arity == Maybe):
		to.Account().Set(f.Name, f.File, values...)
	default:
		to.Account().Add(f.Name, f.File, values...)
	}
}
