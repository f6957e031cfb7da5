package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	compareflags "github.com/modelparity/modelparity/compare/flags"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/relations"
)

// relationsRequest is what `modelparity relations` is asked for.
type relationsRequest struct {
	running
	outputs
	rule    compareflags.Flags
	only    []string
	repeats int
	builds  int
	options relations.Options
	padding struct {
		axis int
		mask string
	}
}

// relationNames are the words of --only. The first of them are checked where nothing else is said.
var relationNames = []string{"repeat", "threads", "rows", "batch", "order", "padding", "levels",
	"marking", "rebuild"}

// usualRelations is how many of the names are checked by default: padding needs a mask, and what
// follows builds the model again and again.
const usualRelations = 5

// relationsSections are the flags of relations as the help shows them.
func relationsSections() []section[relationsRequest] {
	runners, tensorrt := runnerSections(func(r *relationsRequest) *running { return &r.running })
	own := section[relationsRequest]{"Relations", []arguments.Flag[relationsRequest]{
		arguments.Spelled("--only RELATION ...", func(r *relationsRequest, words []string) error {
			for _, word := range words {
				for name := range strings.SplitSeq(word, ",") {
					if err := values.Choice(name, relationNames...); err != nil {
						return err
					}
					r.only = append(r.only, name)
				}
			}
			return nil
		}),
		arguments.Spelled("--repeats N", func(r *relationsRequest, words []string) (err error) {
			r.repeats, err = values.Count(words[0], 2)
			return err
		}),
		arguments.Spelled("--builds N", func(r *relationsRequest, words []string) (err error) {
			r.builds, err = values.Count(words[0], 2)
			return err
		}),
		arguments.Spelled("--batch-sizes N ...", arguments.Each(
			func(text string) (int, error) { return values.Count(text, 1) },
			func(r *relationsRequest, n int) { r.options.Sizes = append(r.options.Sizes, n) })),
		arguments.Spelled("--batch-axis [INPUT:]AXIS ...", arguments.Each(axisOf,
			func(r *relationsRequest, a values.Named[int]) {
				if r.options.Along == nil {
					r.options.Along = map[string]int{}
				}
				r.options.Along[a.Name] = a.Value
			})),
		arguments.Spelled("--padding MASK:AXIS", func(r *relationsRequest, words []string) error {
			a, err := axisOf(words[0])
			if err == nil && a.Name == "*" {
				err = fmt.Errorf("%q names no mask; write attention_mask:1", words[0])
			}
			r.padding.mask, r.padding.axis = a.Name, a.Value
			return err
		}),
		arguments.Spelled("--locate", arguments.Set(func(r *relationsRequest) *bool {
			return &r.options.Locate
		})),
	}}
	rule := part("Comparison", func(r *relationsRequest) *compareflags.Flags { return &r.rule },
		append(arguments.Taken[compareflags.Flags]("--atol, --abs-tol [OUTPUT:]X ...",
			"--rtol, --rel-tol [OUTPUT:]X ...", "--check-error-stat [OUTPUT:]STAT ..."),
			noiseFlags...)...)
	return append(append([]section[relationsRequest]{own, rule}, runners...),
		inputSection(func(r *relationsRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(func(r *relationsRequest) *outputs { return &r.outputs }, reportFlags,
			printFlags), tensorrt)
}

// axisOf reads [INPUT:]AXIS.
func axisOf(text string) (values.Named[int], error) {
	pair := values.Split(text)
	axis, err := strconv.Atoi(pair.Value)
	if err != nil || axis < 0 {
		return values.Named[int]{}, fmt.Errorf("%q names no axis; write 0, or tokens:1", text)
	}
	if pair.Name == "" {
		pair.Name = "*"
	}
	return values.Named[int]{Name: pair.Name, Value: axis}, nil
}

// relationsFlags are all flags of `modelparity relations`.
func relationsFlags() []arguments.Flag[relationsRequest] {
	return flagsOf("relations holds a model to itself", relationsSections())
}

// relationsCommand is `modelparity relations`.
func relationsCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r relationsRequest
	given, err := read(&r, relationsFlags(), args)
	if r.help {
		help(stdout, "relations", relationsSections()...)
		return equal
	}
	var found *relations.Report
	if err == nil {
		found, err = r.check(ctx, given)
	}
	f := finding{report: reportOf("relations", found)}
	if found != nil {
		f.differs = found.Primary() != nil
		f.text = func(volume int) string {
			if volume < 0 {
				return found.Headline() + "\n"
			}
			return found.Text()
		}
	}
	status := r.conclude("relations", f, err, stdout, stderr)
	if refused := func() *relations.Result { // of what was found
		if found == nil {
			return nil
		}
		return found.Refused()
	}(); status == equal && refused != nil {
		complain(stderr, "relations: %s could not be judged: %s; --only leaves relations out",
			refused.Relation, refused.Refused)
		return unusable
	}
	return status
}

// check does what the request asks for.
func (r *relationsRequest) check(ctx context.Context, given []string) (*relations.Report, error) {
	if len(given) != 1 {
		return nil, fmt.Errorf("want one model, got %d: %s", len(given), strings.Join(given, " "))
	}
	if len(r.engines.Given()) > 1 {
		return nil, fmt.Errorf("one engine runs the model, got %d: %s", len(r.engines.Given()),
			strings.Join(r.engines.Given(), " "))
	}
	list, err := r.relations()
	if err != nil {
		return nil, err
	}
	if err := r.judgeBy(); err != nil {
		return nil, err
	}
	subject, err := r.engines.Only(given[0], &r.inputs)
	if err != nil {
		return nil, err
	}
	return relations.Check(ctx, subject, r.options, list...)
}

// relations are those that are asked for.
func (r *relationsRequest) relations() ([]relations.Relation, error) {
	names := slices.Clone(r.only)
	if len(names) == 0 {
		names = slices.Clone(relationNames[:usualRelations])
		if r.padding.mask != "" {
			names = append(names, "padding")
		}
	}
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(n string) bool { return slices.Contains(names, n) })
	}
	switch {
	case has("padding") && r.padding.mask == "":
		return nil, errors.New("--only padding needs --padding MASK:AXIS, the input that says which " +
			"places count")
	case r.padding.mask != "" && !has("padding"):
		return nil, errors.New("--padding does nothing without the relation; write --only padding too, " +
			"or drop one of them")
	case r.repeats > 0 && !has("repeat"):
		return nil, errors.New("--repeats does nothing without the relation repeat; drop one of them")
	case r.builds > 0 && !has("rebuild"):
		return nil, errors.New("--builds does nothing without the relation rebuild; write --only " +
			"rebuild, or drop it")
	case (len(r.options.Sizes) > 0) && !has("rows", "batch"):
		return nil, errors.New("--batch-sizes does nothing without the relations rows and batch; drop " +
			"one of them")
	case len(r.options.Along) > 0 && !has("rows", "batch", "order"):
		return nil, errors.New("--batch-axis does nothing without the relations rows, batch and order; " +
			"drop one of them")
	}
	var list []relations.Relation
	for _, name := range relationNames { // in one order, each once
		if has(name) {
			list = append(list, r.relation(name))
		}
	}
	return list, nil
}

// relation is that of a name.
func (r *relationsRequest) relation(name string) relations.Relation {
	switch name {
	case "repeat":
		return relations.Repeat(max(r.repeats, 2))
	case "threads":
		return relations.Threads()
	case "rows":
		return relations.Rows()
	case "batch":
		return relations.Batch()
	case "order":
		return relations.Order()
	case "levels":
		return relations.Levels()
	case "marking":
		return relations.Marking()
	case "rebuild":
		return relations.Rebuild(max(r.builds, 2))
	}
	return relations.Padding(r.padding.axis, r.padding.mask)
}

// judgeBy sets the rule: bit for bit where no tolerance is given.
func (r *relationsRequest) judgeBy() error {
	if !r.rule.Asked() {
		return nil
	}
	options, err := r.rule.Options()
	switch {
	case err != nil:
		return err
	case len(options.PerOutput) > 0:
		return errors.New("relations holds all outputs to one rule; give the tolerance without the " +
			"name of an output")
	case r.rule.Noise():
		r.options.Rule = relations.Rule{Noise: true, Bars: r.rule.Bars()}
	default:
		r.options.Rule = relations.Rule{Checks: options.Checks}
	}
	return nil
}
