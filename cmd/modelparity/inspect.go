package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/loaders"
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

// inspect shows the files; two models that differ have a status of their own.
func (r *inspecting) inspect(files []string, to io.Writer) (status int, err error) {
	models := 0
	for _, file := range files {
		if strings.EqualFold(filepath.Ext(file), ".onnx") {
			models++
		}
	}
	switch {
	case len(files) == 1 && engineflags.IsEngine(r.modelType, files[0]):
		return equal, r.engine(files[0], to)
	case len(files) == 1 && engineflags.IsForeign(r.modelType, files[0]):
		return equal, r.foreign(files[0], to)
	case len(files) == 2 && models == 2:
		differences, err := loaders.ONNX(files[0]).Difference(loaders.ONNX(files[1]))
		if len(differences) > 0 {
			status = differs
		}
		if err != nil {
			return unusable, err
		}
		return status, r.show(to, differences, differences.Text())
	case len(files) == 1 && models == 1:
		return equal, loaders.ONNX(files[0]).WriteDescription(to, r.full, r.json)
	case len(files) == 1:
		contents, err := golden.ReadContents(files[0])
		if err != nil {
			return unusable, err
		}
		return equal, r.show(to, contents, contents.Text(r.histogram))
	}
	return unusable, fmt.Errorf("inspect takes one file, or two models, got %d: %s", len(files),
		strings.Join(files, " "))
}

// foreign shows what a model declares that OpenVINO reads. A .pb file may be a saved tensor as
// well.
func (r *inspecting) foreign(file string, to io.Writer) error {
	if strings.EqualFold(filepath.Ext(file), ".pb") && r.modelType == "" {
		if contents, err := golden.ReadContents(file); err == nil {
			return r.show(to, contents, contents.Text(r.histogram))
		}
	}
	described, err := openvino.File(file).Describe()
	if err != nil {
		return err
	}
	return r.show(to, described, described.Text())
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
	return r.show(to, info, info.Text(r.full))
}

// show prints a value as JSON or as text.
func (r *inspecting) show(to io.Writer, value any, text string) error {
	if !r.json {
		_, err := io.WriteString(to, text)
		return err
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
