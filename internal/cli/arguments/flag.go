// Package arguments parses a command line like Python's argparse, because modelparity accepts the
// command lines that people write for Polygraphy: a flag may take several values (--atol 1e-5
// logits:1e-3), a value may be optional, a unique prefix of a flag is enough, and values may follow
// "=". Unsupported flags may carry an error that names the alternative.
package arguments

import (
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/files"
)

// Arity is the number of values that follow a flag.
type Arity uint8

// The arities, with argparse's notation for them.
const (
	None  Arity = iota // no value: a switch
	One                // one value
	Maybe              // no value or one value: "?"
	Some               // one or more values: "+"
	Any                // any number of values: "*"
	Rest               // all following words, flags or not, but at least one
)

// Flag is a flag of a command.
type Flag struct {
	// Name is the flag's name in messages. Also lists its other spellings.
	Name string
	Also []string
	// Arity is the number of values. Value is the placeholder for them in the help.
	Arity Arity
	Value string
	// Text is the key of the flag's help text; if it is "", the key is Name. Fill lists the
	// placeholders in that text, each followed by its replacement.
	Text string
	Fill []string
	// Apply puts the values into the request. It is called each time the flag occurs.
	Apply func(values []string) error
	// File is set if the values are paths; it says how the files are used.
	File files.Use
	// Repeats is true if every occurrence of the flag counts, as for a flag that names an engine.
	// If it is false and the flag takes one value, only the last occurrence counts.
	Repeats bool
	// Shared is a key that flags have in common if they may name the same file, such as the flags
	// for reading and writing one cache.
	Shared string
	// Needs lists other flags, of which the command line must have at least one; otherwise this
	// flag would have no effect, which is an error.
	Needs []string
	// Answer is the error for an unsupported flag. It names an alternative. Apply is then nil.
	Answer string
}

// Spelled returns a flag described in the notation of [Flag.Usage]: "--atol, --abs-tol [OUTPUT:]X
// ...".
func Spelled(usage string, apply func([]string) error) Flag {
	f := Flag{Apply: apply}
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

// On returns a copy of the flag. The values of the copy are paths. use says how the command uses
// the files at these paths.
func (f Flag) On(use files.Use) Flag {
	f.File = use
	return f
}

// Last returns a copy of the flag that takes all words after it as values, so that it must come
// last on the command line.
func (f Flag) Last() Flag {
	f.Arity = Rest
	return f
}

// Noted returns a copy of the flag that also appends its name to given each time the flag occurs.
func (f Flag) Noted(given *[]string) Flag {
	apply := f.Apply
	f.Apply = func(values []string) error {
		*given = append(*given, f.Name)
		return apply(values)
	}
	return f
}

// Usage returns the flag as the help shows it: "--atol, --abs-tol [OUTPUT:]X ...".
func (f Flag) Usage() string {
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

// Needing returns copies of the flags with Needs set to needed, so that using one of them without
// any of the needed flags is an error.
func Needing(needed []string, flags ...Flag) []Flag {
	all := slices.Clone(flags)
	for i := range all {
		all[i].Needs = needed
	}
	return all
}

// Spells reports whether name is one of the spellings of the flag.
func (f Flag) Spells(name string) bool {
	return name == f.Name || slices.Contains(f.Also, name)
}

// function ends the usage text of a flag that takes a Python script: the script's path may be
// followed by the name of a function in it.
const function = ".py[:FUNCTION]"

// note registers the files that the flag's values name.
func (f Flag) note(account *files.Account, values []string) {
	if strings.HasSuffix(f.Value, function) {
		values = slices.Clone(values)
		for i, v := range values {
			if script, _, named := strings.Cut(v, ".py:"); named {
				values[i] = script + ".py"
			}
		}
	}
	switch {
	case f.File == files.None || account == nil:
	case f.Shared != "" && len(values) == 1:
		account.Share(f.Shared, f.Name, values[0])
	case !f.Repeats && (f.Arity == One || f.Arity == Maybe):
		account.Set(f.Name, f.File, values...)
	default:
		account.Add(f.Name, f.File, values...)
	}
}
