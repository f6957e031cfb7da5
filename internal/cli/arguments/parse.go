package arguments

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/names"
)

// Parse reads a command line. It calls Apply of each flag that occurs in args, from left to right,
// and returns the words that belong to no flag, such as a model's path. As in argparse, a flag with
// several values takes all words up to the next flag, so a path must come before such a flag or
// after "--". If account is not nil, Parse adds the files that flags name to it; the command then
// looks for files that it would both read and write.
//
// The error describes the first mistake in one line that says how to fix it. It is also an error if
// a flag has no effect without another flag, and the other is missing. Parse still applies the
// flags after a mistake, because --report may be one of them, and the error is then written to its
// file.
func Parse(flags []Flag, args []string, account *files.Account) (positional []string,
	wrong error) {
	given := map[string]bool{}
	defer func() {
		if wrong == nil {
			wrong = idle(flags, given)
		}
	}()
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(positional, args...), wrong
		case !isFlag(arg):
			positional = append(positional, arg)
		default:
			if letters := cluster(flags, arg); letters != nil {
				args = append(letters, args...)
				continue
			}
			rest, err := one(flags, arg, args, account, given)
			if args = rest; wrong == nil {
				wrong = err
			}
		}
	}
	return positional, wrong
}

// idle returns an error for the first given flag that has no effect, because none of the flags in
// its Needs is given.
func idle(flags []Flag, given map[string]bool) error {
	for _, flag := range flags {
		if !given[flag.Name] || len(flag.Needs) == 0 ||
			slices.ContainsFunc(flag.Needs, func(name string) bool { return given[name] }) {
			continue
		}
		return fmt.Errorf("%s has no effect without %s; add it, or drop %[1]s", flag.Name,
			strings.Join(flag.Needs, " or "))
	}
	return nil
}

// one applies a flag. arg is the flag as written, and rest contains the words after it, which begin
// with the flag's values. The function records the flag in given and returns the words that follow
// the values.
func one(flags []Flag, arg string, rest []string, account *files.Account,
	given map[string]bool) ([]string, error) {
	name, value, joined := strings.Cut(arg, "=")
	flag, err := find(flags, name)
	if err != nil {
		return rest, err
	}
	given[flag.Name] = true
	var values []string
	if joined {
		values = []string{value}
	} else {
		n := take(flag.Arity, rest)
		values, rest = rest[:n:n], rest[n:]
	}
	if flag.Apply == nil {
		return rest, fmt.Errorf("%s: %s", flag.Name, flag.Answer)
	}
	if err := cmp.Or(fits(flag, values, joined), kind(flag, values)); err != nil {
		return rest, err
	}
	if err := flag.Apply(values); err != nil {
		return rest, fmt.Errorf("%s: %w", flag.Name, err)
	}
	flag.note(account, values)
	return rest, nil
}

// take returns the number of words at the beginning of args that are values of a flag.
func take(arity Arity, args []string) int {
	most := len(args)
	switch arity {
	case None:
		most = 0
	case One, Maybe:
		most = min(1, most)
	case Rest:
		return most
	}
	n := 0
	for n < most && !isFlag(args[n]) {
		n++
	}
	return n
}

// fits returns an error if a flag has the wrong number of values. An empty value is also an error,
// because most commands cannot distinguish it from a missing flag.
func fits(flag Flag, values []string, joined bool) error {
	switch {
	case flag.Arity == None && joined:
		return fmt.Errorf("%s takes no value, got %q", flag.Name, values[0])
	case flag.Arity == Rest && joined:
		return fmt.Errorf("%s takes all following words and must come last: %s", flag.Name, flag.Usage())
	case (flag.Arity == One || flag.Arity == Some || flag.Arity == Rest) && len(values) == 0:
		return fmt.Errorf("%s needs a value: %s", flag.Name, flag.Usage())
	case (flag.Arity == One || flag.Arity == Maybe) && slices.Equal(values, []string{""}):
		return fmt.Errorf("%s has an empty value: give a value, or drop the flag", flag.Name)
	}
	return nil
}

// kind returns an error if a flag that writes a file names a folder.
func kind(flag Flag, values []string) error {
	if (flag.File != files.Writes && flag.File != files.Updates) || len(values) != 1 {
		return nil
	}
	info, err := os.Stat(values[0])
	if err == nil && info.IsDir() && flag.Value != "DIR" {
		return fmt.Errorf("%s: %s: this is a folder; name a file", flag.Name, values[0])
	}
	return nil
}

// isFlag reports whether a word is a flag rather than a value. A negative number such as -1 or -inf
// is a value, and so is "-".
func isFlag(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	_, err := strconv.ParseFloat(arg, 64)
	return err != nil && !errors.Is(err, strconv.ErrRange)
}

// cluster splits a word that combines one-letter switches, such as -vv. It returns nil for any
// other word.
func cluster(flags []Flag, arg string) []string {
	if len(arg) < 3 || arg[1] == '-' {
		return nil
	}
	var letters []string
	for _, letter := range arg[1:] {
		name := "-" + string(letter)
		if !slices.ContainsFunc(flags, func(f Flag) bool { return f.Spells(name) }) {
			return nil
		}
		letters = append(letters, name)
	}
	return letters
}

// find returns the flag that has name as a spelling. Otherwise, it returns the only flag that has a
// spelling that starts with name.
func find(flags []Flag, name string) (Flag, error) {
	var starting []Flag
	var spellings []string
	for _, flag := range flags {
		if flag.Spells(name) {
			return flag, nil
		}
		for _, spelling := range append([]string{flag.Name}, flag.Also...) {
			if len(name) > 2 && strings.HasPrefix(spelling, name) {
				spellings = append(spellings, spelling)
				if len(starting) == 0 || starting[len(starting)-1].Name != flag.Name {
					starting = append(starting, flag)
				}
			}
		}
	}
	switch len(starting) {
	case 1:
		return starting[0], nil
	case 0:
		return Flag{}, fmt.Errorf("unknown flag %s%s; --help lists the flags", name,
			suggestion(name, flags))
	}
	return Flag{}, fmt.Errorf("%s is ambiguous; it could be %s", name,
		strings.Join(spellings, ", "))
}

// suggestion returns "; did you mean --atol?" if name resembles the name of a flag, and otherwise
// "".
func suggestion(name string, flags []Flag) string {
	var spellings []string
	for _, flag := range flags {
		spellings = append(append(spellings, flag.Name), flag.Also...)
	}
	if meant := names.Nearest(name, spellings...); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return ""
}

// Wanted returns the error for a wrong number of arguments. takes says what the command takes, such
// as "vote takes one model".
func Wanted(takes string, got []string) error {
	list := fmt.Sprintf("%s, got %d: %s", takes, len(got), strings.Join(got, " "))
	return errors.New(strings.TrimSuffix(list, ": "))
}
