package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// inspecting is what only inspect asks for.
type inspecting struct {
	full, json, histogram, help bool
	modelType                   string
	options                     []trt.Option // of an engine
}

var inspectFlags = []arguments.Flag[inspecting]{
	arguments.Spelled("--full, --show", arguments.Set(func(r *inspecting) *bool { return &r.full })),
	arguments.Spelled("--histogram", arguments.Set(func(r *inspecting) *bool { return &r.histogram })),
	arguments.Spelled("--json", arguments.Set(func(r *inspecting) *bool { return &r.json })),
	arguments.Spelled("--model-type TYPE",
		arguments.Text(func(r *inspecting) *string { return &r.modelType })),
	arguments.Spelled("--plugins FILE ...", func(r *inspecting, words []string) error {
		r.options = append(r.options, trt.Plugins(words...))
		return nil
	}),
	arguments.Spelled("--load-runtime FILE", func(r *inspecting, words []string) error {
		r.options = append(r.options, trt.VersionCompatible(), trt.LoadRuntime(words[0]))
		return nil
	}),
	arguments.Spelled("--version-compatible", func(r *inspecting, _ []string) error {
		r.options = append(r.options, trt.VersionCompatible())
		return nil
	}),
	arguments.Spelled("--help, -h", arguments.Set(func(r *inspecting) *bool { return &r.help })),
}

// inspectCommand is `modelparity inspect`.
func inspectCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	var r inspecting
	files, err := arguments.Parse(inspectFlags, args, &r)
	if r.help {
		help(stdout, "inspect", section[inspecting]{"Flags", inspectFlags})
		return equal
	}
	status := equal
	if err == nil {
		status, err = r.inspect(files, stdout)
	}
	if err != nil {
		complain(stderr, "inspect: %v", err)
		return unusable
	}
	return status
}

func (r *inspecting) inspect(files []string, to io.Writer) (int, error) {
	models := 0
	for _, file := range files {
		if strings.EqualFold(filepath.Ext(file), ".onnx") {
			models++
		}
	}
	switch {
	case len(files) == 1 && engineflags.IsEngine(r.modelType, files[0]):
		return equal, r.engine(files[0], to)
	case len(files) == 2 && models == 2:
		return r.difference(files, to)
	case len(files) == 1 && models == 1:
		return equal, loaders.ONNX(files[0]).WriteDescription(to, r.full, r.json)
	case len(files) == 1:
		return equal, r.data(files[0], to)
	}
	return unusable, fmt.Errorf("inspect takes one file, or two models, got %d: %s", len(files),
		strings.Join(files, " "))
}

// show prints a value as JSON or as text.
func (r *inspecting) show(to io.Writer, value any, text func() string) error {
	if !r.json {
		_, err := fmt.Fprintln(to, strings.TrimSuffix(text(), "\n"))
		return err
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// difference shows in what two models differ.
func (r *inspecting) difference(files []string, to io.Writer) (int, error) {
	var described [2]loaders.Description
	for i, file := range files {
		var err error
		if described[i], err = loaders.ONNX(file).Describe(true); err != nil {
			return unusable, err
		}
	}
	differences := loaders.Diff(described[0], described[1])
	status := equal
	if len(differences) > 0 {
		status = differs
	}
	return status, r.show(to, differences, func() string {
		if len(differences) == 0 {
			return "the models do not differ"
		}
		var lines []string
		for _, d := range differences {
			lines = append(lines, d.String())
		}
		return strings.Join(lines, "\n")
	})
}

// summarized is one tensor of a file.
type summarized struct {
	Run       string             `json:"run,omitempty"` // "" for inputs
	Iteration int                `json:"iteration"`
	Name      string             `json:"name"`
	Type      tensor.ElementType `json:"type"`
	Shape     tensor.Shape       `json:"shape"`
	Value     string             `json:"value,omitempty"` // the type of a sequence or a map
	Summary   tensor.Summary     `json:"summary"`
}

// data shows the tensors of saved runs, or of saved inputs.
func (r *inspecting) data(file string, to io.Writer) error {
	var all []summarized
	add := func(run string, iteration int, set *tensor.Set) error {
		for _, v := range set.Values() {
			t, err := v.Stack()
			if err != nil {
				return fmt.Errorf("%s: %q: %w", file, v.Name, err)
			}
			of := summarized{run, iteration, v.Name, t.ElementType(), t.Shape(), "", t.Summarize()}
			if !v.IsTensor() {
				of.Value = v.TypeName()
			}
			all = append(all, of)
		}
		return nil
	}
	runs, err := golden.ReadRuns(file)
	for _, named := range runs {
		for i, set := range named.Run.Outputs() {
			if err := add(named.Name, i, set); err != nil {
				return err
			}
		}
	}
	if err != nil { // no runs, then perhaps inputs
		i := 0
		for set, wrong := range fixtures.Load(file).All() {
			if wrong != nil {
				return err
			}
			if err := add("", i, set); err != nil {
				return err
			}
			i++
		}
	}
	return r.show(to, all, func() string { return r.table(all) })
}

// table prints one line for each tensor, and its histogram if asked.
func (r *inspecting) table(all []summarized) string {
	var b strings.Builder
	run := ""
	for i, s := range all {
		if s.Run != run || i == 0 && s.Run != "" {
			run = s.Run
			fmt.Fprintln(&b, run)
		}
		fmt.Fprintf(&b, "  iteration %d  %s %s%v  %v\n", s.Iteration, s.Name,
			cmp.Or(s.Value, s.Type.String()), s.Shape, s.Summary)
		if r.histogram {
			for _, line := range s.Summary.Bars() {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	return b.String()
}
