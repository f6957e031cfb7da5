package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
)

// inspecting is what only inspect asks for.
type inspecting struct {
	json, histogram, all, values, unbounded, help bool

	detail    loaders.Detail
	shown     golden.Shown
	modelType string
	options   []trt.Option // of an engine

	folder, good, bad, to string // the first three are of tactics

	divide bool          // what the parser does not take, into the folder to
	files  files.Account // what is read and written
}

var inspectFlags = []arguments.Flag[inspecting]{
	arguments.Spelled("--full", func(r *inspecting, _ []string) error { return r.show(nil) }),
	arguments.Spelled("--show [PART ...]", (*inspecting).show),
	arguments.Spelled("--list-unbounded-dds",
		arguments.Set(func(r *inspecting) *bool { return &r.unbounded })),
	arguments.Spelled("--all, -a", arguments.Set(func(r *inspecting) *bool { return &r.all })),
	arguments.Spelled("--show-values, -s",
		arguments.Set(func(r *inspecting) *bool { return &r.values })),
	counted("--num-items, -n N", func(r *inspecting) *int { return &r.shown.Items }),
	counted("--line-width N", func(r *inspecting) *int { return &r.shown.Width }),
	arguments.Spelled("--histogram", arguments.Set(func(r *inspecting) *bool { return &r.histogram })),
	arguments.Spelled("--json", arguments.Set(func(r *inspecting) *bool { return &r.json })),
	arguments.Spelled("--dir DIR",
		arguments.Text(func(r *inspecting) *string { return &r.folder })).On(files.Reads),
	arguments.Spelled("--good PATH",
		arguments.Text(func(r *inspecting) *string { return &r.good })).On(files.Reads),
	arguments.Spelled("--bad PATH",
		arguments.Text(func(r *inspecting) *string { return &r.bad })).On(files.Reads),
	arguments.Spelled("--model-type TYPE",
		arguments.Text(func(r *inspecting) *string { return &r.modelType })),
	arguments.Spelled("--plugins FILE ...", func(r *inspecting, words []string) error {
		r.options = append(r.options, trt.Plugins(words...))
		return nil
	}).On(files.Reads),
	arguments.Spelled("--load-runtime FILE", func(r *inspecting, words []string) error {
		r.options = append(r.options, trt.VersionCompatible(), trt.LoadRuntime(words[0]))
		return nil
	}).On(files.Reads),
	arguments.Spelled("--version-compatible", func(r *inspecting, _ []string) error {
		r.options = append(r.options, trt.VersionCompatible())
		return nil
	}),
	arguments.Spelled("--with-partitioning",
		arguments.Set(func(r *inspecting) *bool { return &r.divide })),
	arguments.Spelled("--output, -o DIR",
		arguments.Text(func(r *inspecting) *string { return &r.to })).On(files.Writes),
	arguments.Spelled("--help, -h", arguments.Set(func(r *inspecting) *bool { return &r.help })),
}

// counted is a flag of a number, which may be -1.
func counted(usage string, of func(*inspecting) *int) arguments.Flag[inspecting] {
	return arguments.Spelled(usage, arguments.Each(
		func(text string) (int, error) { return values.Count(text, -1) },
		func(r *inspecting, n int) { *of(r) = n }))
}

// show notes which parts of a model are listed.
func (r *inspecting) show(parts []string) (err error) {
	r.detail, err = loaders.ParseDetail(parts...)
	return err
}

// inspectCommand is `modelparity inspect`.
func inspectCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	r := inspecting{shown: golden.Shown{Items: 3, Width: 75}}
	given, err := arguments.Parse(inspectFlags, args, &r)
	if r.help {
		_ = help(stdout, "inspect", everything, section[inspecting]{"Flags", inspectFlags})
		return equal
	}
	status := equal
	if err == nil {
		status, err = r.inspect(ctx, given, stdout)
	}
	if err != nil {
		complain(stderr, "inspect: %v", err)
		return unusable
	}
	return status
}

// inspect shows the files; two models that differ have a status of their own.
func (r *inspecting) inspect(ctx context.Context, files []string, to io.Writer) (status int,
	err error) {
	switch word := len(files) > 0 && files[0] == "capability"; {
	case word:
		return equal, r.capability(ctx, files[1:], to)
	case r.divide, r.to != "":
		return unusable, errors.New("--with-partitioning and --output are for inspect capability")
	}
	if len(files) > 0 && slices.Contains(inspectWords, files[0]) {
		if _, err := os.Stat(files[0]); err != nil { // else it is a file of that name
			return equal, r.word(files[0], files[1:], to)
		}
	}
	models := 0
	for _, file := range files {
		if strings.EqualFold(filepath.Ext(file), ".onnx") {
			models++
		}
	}
	switch {
	case len(files) == 2 && models == 2:
		differences, err := loaders.ONNX(files[0]).Difference(loaders.ONNX(files[1]))
		if len(differences) > 0 {
			status = differs
		}
		if err != nil {
			return unusable, err
		}
		return status, r.print(to, differences, differences.Text())
	case len(files) == 1:
		return equal, r.file(files[0], to)
	}
	return unusable, fmt.Errorf("inspect takes one file, or two models, got %d: %s", len(files),
		strings.Join(files, " "))
}

// file shows one file, whatever it is.
func (r *inspecting) file(file string, to io.Writer) error {
	switch {
	case engineflags.IsEngine(r.modelType, file):
		return r.engine(file, to)
	case engineflags.IsForeign(r.modelType, file):
		return r.foreign(file, to)
	case !strings.EqualFold(filepath.Ext(file), ".onnx"):
		return r.data(file, to)
	}
	model := loaders.ONNX(file)
	if err := model.WriteDescription(to, r.detail, r.json); err != nil || !r.unbounded {
		return err
	}
	names, err := model.UnboundedShapes()
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, loaders.UnboundedText(names))
	return err
}

// foreign shows what a model declares that OpenVINO reads. A .pb file may be a saved tensor as
// well.
func (r *inspecting) foreign(file string, to io.Writer) error {
	if strings.EqualFold(filepath.Ext(file), ".pb") && r.modelType == "" {
		if err := r.data(file, to); err == nil {
			return nil
		}
	}
	described, err := openvino.File(file).Describe()
	if err != nil {
		return err
	}
	return r.print(to, described, described.Text())
}

// engine shows what a built engine says of itself. TensorRT must load it for that.
func (r *inspecting) engine(file string, to io.Writer) error {
	e, err := trt.Load(file, r.options...)
	if err != nil {
		return err
	}
	defer e.Close()
	info, err := e.Information()
	if err != nil {
		return err
	}
	return r.print(to, info, info.Text(r.detail.Layers))
}

// Account is what the command line reads and writes; flags with a file note it there.
func (r *inspecting) Account() *files.Account { return &r.files }

// print prints a value as JSON or as text.
func (r *inspecting) print(to io.Writer, value any, text string) error {
	if !r.json {
		_, err := io.WriteString(to, text)
		return err
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
