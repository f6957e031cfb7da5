// Package inputflags creates [fixtures.Inputs] from Polygraphy's flags for inputs, such as
// --input-shapes image:[1,3,224,224] --seed 7.
package inputflags

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/tensor"
)

// Flags holds the flags of a command line. The zero value means one iteration of random inputs
// with the shapes that the model declares.
type Flags struct {
	options []fixtures.Option // without the shapes
	code    []string          // the options as Go source
	shapes  []values.Named[[]int]
	assumed map[string]tensor.Shape // for inputs without an entry in shapes
	load    []string
	cast    bool
	made    *fixtures.Inputs // inputs set by Use
	script  string           // the data loader script that makes them
	last    fixtures.Inputs  // the inputs that Inputs returned last
}

// Use sets inputs that do not come from the flags, for example from a user's script. Calling it
// twice is an error.
func (f *Flags) Use(inputs fixtures.Inputs) error {
	if f.made != nil {
		return errors.New("only one script can make the inputs, got several")
	}
	f.made = &inputs
	return nil
}

// Check returns an error if flags contradict each other.
func (f *Flags) Check() error {
	switch {
	case f.made != nil && len(f.load)+len(f.options)+len(f.shapes) > 0:
		return errors.New("a script makes the inputs; drop --load-inputs, --input-shapes, --seed, " +
			"--val-range and --iterations")
	case f.cast && len(f.load) == 0 && f.made == nil:
		return errors.New("--cast-inputs casts saved inputs, and there are none: add --load-inputs " +
			"FILE; generated inputs have the model's types already")
	case len(f.load) > 0 && len(f.options)+len(f.shapes) > 0:
		return errors.New("--load-inputs uses saved inputs unchanged; drop --input-shapes, " +
			"--seed, --val-range and --iterations, which are for generated inputs")
	}
	return nil
}

// Inputs returns the inputs that the flags describe, for the given model.
func (f *Flags) Inputs(model fixtures.Declaration) fixtures.Inputs {
	f.last = f.inputs(model)
	return f.last
}

// Notes returns what the user should know about the inputs that [Flags.Inputs] returned last, for
// example which dynamic dimensions were taken as 1. shapes is the flag that the notes recommend for
// setting such dimensions.
func (f *Flags) Notes(shapes string) []string {
	guessed, others := guesses.Dimensions(f.last.Notes())
	if guessed != "" {
		return append(others, fmt.Sprintf("dynamic dimensions taken as 1: %s; set them with %s", guessed,
			shapes))
	}
	return others
}

func (f *Flags) inputs(model fixtures.Declaration) fixtures.Inputs {
	if f.made != nil {
		made := f.made.AnyCase(model)
		if f.cast {
			made = made.Cast(model)
		}
		return made
	}
	switch loaded := fixtures.LoadFor(model, f.load...); {
	case f.cast:
		return loaded.Cast(model)
	case len(f.load) > 0:
		return loaded
	}
	options := slices.Clone(f.options)
	for _, table := range f.tables() {
		options = append(options, fixtures.Shapes(table.Name, table.Value...))
	}
	return fixtures.Random(model, options...)
}

// Saved returns the names of the tensors in the first iteration of the file that --load-inputs
// names. It returns none for raw data, which has no names.
func (f *Flags) Saved() []string {
	for set, err := range fixtures.Load(f.load...).All() {
		if err == nil {
			return set.Names()
		}
	}
	return nil
}

// Shapes returns the shape of each input that --input-shapes names; if an input has several shapes,
// it returns the last.
func (f *Flags) Shapes() map[string]tensor.Shape {
	shapes := map[string]tensor.Shape{}
	for _, shape := range f.shapes {
		shapes[shape.Name] = shape.Value
	}
	return shapes
}

// Assume sets shapes for random inputs. They apply to those inputs that --input-shapes does not
// name.
func (f *Flags) Assume(shapes map[string]tensor.Shape) { f.assumed = shapes }

// tables returns the shapes that --input-shapes sets, grouped by input, in the order of the command
// line, and then the assumed shapes of all other inputs. If an input has several shapes, each shape
// is used in one iteration.
func (f *Flags) tables() (list []values.Named[[]tensor.Shape]) {
	for _, s := range f.shapes {
		i := slices.IndexFunc(list, func(t values.Named[[]tensor.Shape]) bool { return t.Name == s.Name })
		if i < 0 {
			i, list = len(list), append(list, values.Named[[]tensor.Shape]{Name: s.Name})
		}
		list[i].Value = append(list[i].Value, s.Value)
	}
	given := list
	for _, name := range slices.Sorted(maps.Keys(f.assumed)) {
		if !slices.ContainsFunc(given, func(t values.Named[[]tensor.Shape]) bool {
			return wildcard.Compile(t.Name).Match(name)
		}) {
			list = append(list, values.Named[[]tensor.Shape]{Name: name,
				Value: []tensor.Shape{f.assumed[name]}})
		}
	}
	return list
}

// List returns the flags. Contradictions between them are reported by [Flags.Check].
func (f *Flags) List() []arguments.Flag {
	return []arguments.Flag{
		arguments.Spelled("--input-shapes, --inputs INPUT:[D0,D1] ...",
			arguments.Values(values.Shape, &f.shapes)),
		arguments.Spelled("--seed N", func(words []string) error {
			seed, err := strconv.ParseInt(words[0], 10, 64)
			if err != nil {
				return fmt.Errorf("%q is not an integer", words[0])
			}
			f.add(fixtures.Seed(seed), "Seed", seed)
			return nil
		}),
		arguments.Spelled("--val-range [INPUT:][LOW,HIGH] ...", arguments.Each(values.Range,
			func(bounds values.Named[[2]float64]) {
				low, high := bounds.Value[0], bounds.Value[1]
				if bounds.Name == "" {
					f.add(fixtures.ValRange(low, high), "ValRange", low, high)
					return
				}
				f.add(fixtures.ValRangeFor(bounds.Name, low, high), "ValRangeFor", bounds.Name, low, high)
			})),
		arguments.Spelled("--iterations, --iters N", arguments.Each(arguments.AtLeast(1), func(n int) {
			f.add(fixtures.Iterations(n), "Iterations", n)
		})),
		arguments.Spelled("--load-inputs, --load-input-data, --input-file FILE ...",
			arguments.Texts(&f.load)).On(files.Reads),
		arguments.Spelled("--cast-inputs", arguments.Set(&f.cast)),
		arguments.Spelled("--data-loader-backend-module MODULE", func(words []string) error {
			return values.Choice(words[0], "numpy")
		}),
		arguments.Spelled("--data-loader-script SCRIPT.py[:FUNCTION]", func(words []string) error {
			f.script = words[0]
			return f.Use(process.Inputs(words[0]))
		}).On(files.Reads),
	}
}
