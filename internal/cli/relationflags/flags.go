// Package relationflags creates relations from flags such as --only batch,repeat --repeats 5.
package relationflags

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/relations"
)

// Flags holds the flags of a command line. The zero value means the default relations, checked
// bit for bit.
type Flags struct {
	only    []string // names of relations; nil means the default relations
	repeats int      // number of runs or builds; 0 if not given
	builds  int
	axis    int    // the axis to pad
	mask    string // the input with the mask; "" for no padding
	options relations.Options
	shift   int // the first position; 0 if not given
	Steps
}

// List returns all flags. Contradictions between flags are reported by [Flags.Relations].
func (f *Flags) List() []arguments.Flag {
	return append([]arguments.Flag{
		arguments.Spelled("--only RELATION ...", f.choose),
		arguments.Spelled("--repeats N", arguments.Value(arguments.AtLeast(2), &f.repeats)),
		arguments.Spelled("--builds N", arguments.Value(arguments.AtLeast(2), &f.builds)),
		arguments.Spelled("--batch-sizes N ...",
			arguments.Values(arguments.AtLeast(1), &f.options.Sizes)),
		arguments.Spelled("--batch-axis [INPUT:]AXIS ...", arguments.Each(axis, f.along)),
		arguments.Spelled("--padding MASK:AXIS", f.padding),
		arguments.Spelled("--locate", arguments.Set(&f.options.Locate)),
		arguments.Spelled("--shift N", arguments.Value(arguments.AtLeast(1), &f.shift)),
	}, f.Steps.List()...)
}

// relation is an entry of [all]: the name of a relation and the function that creates it.
type relation struct {
	name  string
	usual bool // checked by default
	of    maker
	needs []string // the flags without which it cannot be checked, with their values
}

type maker = func(f *Flags) relations.Relation

// plain returns the maker for a relation that has no flags of its own.
func plain(of func() relations.Relation) maker {
	return func(*Flags) relations.Relation { return of() }
}

// all lists the relations in the order in which they are checked. Relations that build the model
// several times are not checked by default.
var all = []relation{
	{"repeat", true, func(f *Flags) relations.Relation {
		return relations.Repeat(max(f.repeats, 2))
	}, nil},
	{"threads", true, plain(relations.Threads), nil},
	{"rows", true, plain(relations.Rows), nil},
	{"batch", true, plain(relations.Batch), nil},
	{"order", true, plain(relations.Order), nil},
	{"padding", false, func(f *Flags) relations.Relation {
		return relations.Padding(f.axis, f.mask)
	}, []string{"--padding MASK:AXIS"}},
	{"levels", false, plain(relations.Levels), nil},
	{"marking", false, plain(relations.Marking), nil},
	{"rebuild", false, func(f *Flags) relations.Relation {
		return relations.Rebuild(max(f.builds, 2))
	}, nil},
	{"profiles", false, plain(relations.Profiles), nil},
	{"steps", false, plain(relations.Steps), ofDecoders},
	{"rollback", false, plain(relations.Rollback), ofDecoders},
	{"sequences", false, plain(relations.Sequences), ofDecoders},
	{shift, false, func(f *Flags) relations.Relation { return relations.Shift(f.shift) },
		append([]string{"--shift N"}, ofDecoders...)},
	{"reset", false, plain(relations.Reset), ofStreams},
	{"chunks", false, plain(relations.Chunks), ofStreams},
}

// ofDecoders and ofStreams list the flags that the relations for decoders and for streams require.
var (
	ofDecoders = []string{"--tokens FILE"}
	ofStreams  = []string{"--frames FILE"}
)

// shift is the name of [relations.Shift]: adding the same number to the positions of all tokens
// must not change what a decoder predicts. This is not checked by default, because decoders that
// use absolute positions fail it.
const shift = "shift"

// Known returns the values that --only accepts.
func Known() []string {
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	return names
}

// choose parses the values of --only: names of relations, as separate words or separated by commas.
// A relation is a way in which a model must agree with itself; see package relations.
func (f *Flags) choose(words []string) error {
	for _, word := range words {
		for name := range strings.SplitSeq(word, ",") {
			if err := values.Choice(name, Known()...); err != nil {
				return err
			}
			f.only = append(f.only, name)
		}
	}
	return nil
}

func (f *Flags) along(a values.Named[int]) {
	if f.options.Along == nil {
		f.options.Along = map[string]int{}
	}
	f.options.Along[a.Name] = a.Value
}

func (f *Flags) padding(words []string) error {
	a, err := axis(words[0])
	if err == nil && a.Name == "*" {
		err = fmt.Errorf("%q does not name a mask; write NAME:AXIS, such as attention_mask:1", words[0])
	}
	f.mask, f.axis = a.Name, a.Value
	return err
}

// axis parses [INPUT:]AXIS. If INPUT is missing, the name is "*", which means all inputs.
func axis(text string) (values.Named[int], error) {
	pair := values.Split(text)
	n, err := strconv.Atoi(pair.Value)
	if err != nil || n < 0 {
		return values.Named[int]{}, fmt.Errorf("%q is not an axis; write 0, or tokens:1", text)
	}
	if pair.Name == "" {
		pair.Name = "*"
	}
	return values.Named[int]{Name: pair.Name, Value: n}, nil
}

// Engine returns the engine to check. With --tokens or --frames, it wraps the given engine, so that
// the model runs as a decoder or a stream. Otherwise it returns the given engine unchanged.
func (f *Flags) Engine(of backends.Engine) backends.Engine {
	if f.Tokens == "" && f.Frames == "" {
		return of
	}
	return decode.Engine(of, f.States...)
}

// Chosen reports whether the user selected relations with --only.
func (f *Flags) Chosen() bool { return len(f.only) > 0 }

// Relations returns the relations that --only names, each once and in the order in which they are
// checked. Without --only it returns the default relations. With --tokens, these are the relations
// of decoders. With --frames, only "reset" is a default, because "chunks" needs a model whose
// frames can be joined. --padding and --shift add the relations "padding" and "shift". It is an
// error if a flag belongs to a relation that is not checked.
func (f *Flags) Relations() ([]relations.Relation, error) {
	var names []string
	var list []relations.Relation
	for _, r := range all {
		checked := r.usual || r.name == "padding" && f.mask != ""
		switch {
		case len(f.only) > 0:
			checked = slices.Contains(f.only, r.name)
		case f.Tokens != "":
			checked = slices.Contains(r.needs, ofDecoders[0]) && (r.name != shift || f.shift > 0)
		case f.Frames != "":
			checked = r.name == "reset"
		}
		if checked {
			names, list = append(names, r.name), append(list, r.of(f))
		}
	}
	return list, f.idle(names)
}

// idle returns an error for a flag that has no effect because its relation is not checked, and for
// a relation without a flag that it needs.
func (f *Flags) idle(checked []string) error {
	if f.Tokens != "" || f.Frames != "" || len(f.States) > 0 {
		if _, err := f.Inputs(); err != nil {
			return err
		}
	}
	given := map[string]bool{"--tokens FILE": f.Tokens != "", "--frames FILE": f.Frames != "",
		"--shift N": f.shift > 0, "--padding MASK:AXIS": f.mask != ""}
	for _, r := range all {
		for _, flag := range r.needs {
			if slices.Contains(checked, r.name) && !given[flag] {
				return fmt.Errorf("--only %s needs %s", r.name, flag)
			}
		}
	}
	for _, flag := range []struct {
		name  string
		given bool
		of    []string // the relations that use it
	}{
		{"--shift", f.shift > 0, []string{shift}}, {"--padding", f.mask != "", []string{"padding"}},
		{"--repeats", f.repeats > 0, []string{"repeat"}}, {"--builds", f.builds > 0, []string{"rebuild"}},
		{"--batch-sizes", len(f.options.Sizes) > 0, []string{"rows", "batch"}},
		{"--batch-axis", len(f.options.Along) > 0, []string{"rows", "batch", "order", "chunks"}},
	} {
		if flag.given && !slices.ContainsFunc(flag.of, func(name string) bool {
			return slices.Contains(checked, name)
		}) {
			return fmt.Errorf("%s has no effect without the relation %s; add it to --only, or drop %[1]s",
				flag.name, strings.Join(flag.of, " or "))
		}
	}
	return nil
}

// Options returns the options for checking the relations. Without tolerances, the rule is
// bit-for-bit equality.
func (f *Flags) Options(ctx context.Context, rule *compareflags.Flags) (relations.Options, error) {
	options := f.options
	if !rule.Asked() {
		return options, nil
	}
	checks, err := rule.One(ctx, "relations")
	options.Rule.Checks = checks
	if rule.Noise() {
		options.Rule = relations.Rule{Noise: true, Bars: rule.Bars()}
	}
	return options, err
}
