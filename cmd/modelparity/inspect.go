package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/surgeon"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
)

// inspectRequest is what `modelparity inspect` is asked for.
type inspectRequest struct {
	outputs
	edit surgeon.Flags // how an ONNX file is read

	json, histogram, all, values, unbounded bool

	detail    loaders.Detail
	shown     golden.Shown
	modelType string
	options   []trt.Option // of an engine

	folder, good, bad, to string // the first three are of tactics

	divide bool // what the parser does not take, into the folder to

	read  bool   // an ONNX model
	notes string // about how the flags changed it
}

func (r *inspectRequest) sections() []section[inspectRequest] {
	r.shown = golden.Shown{Items: 3, Width: 75}
	return []section[inspectRequest]{{"Shown", inspectFlags},
		{"ONNX", readingSection(func(r *inspectRequest) *surgeon.Flags { return &r.edit }).flags},
		resultSection(func(r *inspectRequest) *outputs { return &r.outputs }, printFlags)}
}

// inspectFlags say what is shown, and how a file is read that is not an ONNX model.
var inspectFlags = []arguments.Flag[inspectRequest]{
	arguments.Spelled("--full", func(r *inspectRequest, _ []string) error { return r.show(nil) }),
	arguments.Spelled("--show [PART ...]", (*inspectRequest).show),
	arguments.Spelled("--list-unbounded-dds",
		arguments.Set(func(r *inspectRequest) *bool { return &r.unbounded })),
	arguments.Spelled("--all, -a", arguments.Set(func(r *inspectRequest) *bool { return &r.all })),
	arguments.Spelled("--show-values, -s",
		arguments.Set(func(r *inspectRequest) *bool { return &r.values })),
	counted("--num-items, -n N", func(r *inspectRequest) *int { return &r.shown.Items }),
	counted("--line-width N", func(r *inspectRequest) *int { return &r.shown.Width }),
	arguments.Spelled("--histogram",
		arguments.Set(func(r *inspectRequest) *bool { return &r.histogram })),
	arguments.Spelled("--json", arguments.Set(func(r *inspectRequest) *bool { return &r.json })),
	arguments.Spelled("--dir DIR",
		arguments.Text(func(r *inspectRequest) *string { return &r.folder })).On(files.Reads),
	arguments.Spelled("--good PATH",
		arguments.Text(func(r *inspectRequest) *string { return &r.good })).On(files.Reads),
	arguments.Spelled("--bad PATH",
		arguments.Text(func(r *inspectRequest) *string { return &r.bad })).On(files.Reads),
	arguments.Spelled("--model-type TYPE",
		arguments.Text(func(r *inspectRequest) *string { return &r.modelType })),
	arguments.Spelled("--plugins FILE ...", func(r *inspectRequest, words []string) error {
		r.options = append(r.options, trt.Plugins(words...))
		return nil
	}).On(files.Reads),
	arguments.Spelled("--load-runtime FILE", func(r *inspectRequest, words []string) error {
		r.options = append(r.options, trt.VersionCompatible(), trt.LoadRuntime(words[0]))
		return nil
	}).On(files.Reads),
	arguments.Spelled("--version-compatible", func(r *inspectRequest, _ []string) error {
		r.options = append(r.options, trt.VersionCompatible())
		return nil
	}),
	arguments.Spelled("--with-partitioning",
		arguments.Set(func(r *inspectRequest) *bool { return &r.divide })),
	arguments.Spelled("--output, -o DIR",
		arguments.Text(func(r *inspectRequest) *string { return &r.to })).On(files.Writes),
}

// counted is a flag of a number, which may be -1.
func counted(usage string, of func(*inspectRequest) *int) arguments.Flag[inspectRequest] {
	return arguments.Spelled(usage, arguments.Each(
		func(text string) (int, error) { return values.Count(text, -1) },
		func(r *inspectRequest, n int) { *of(r) = n }))
}

// show notes which parts of a model are listed.
func (r *inspectRequest) show(parts []string) (err error) {
	r.detail, err = loaders.ParseDetail(parts...)
	return err
}

// words are Polygraphy's, which say of a file what it is.
func (*inspectRequest) words() []string {
	return []string{"model", "data", "tactics", "sparsity", "diff-tactics", "capability"}
}

// place notes where the parts of a divided model are written.
func (r *inspectRequest) place(account *files.Account) error {
	if r.divide || r.to != "" {
		account.Set("--output", files.Writes)
		for _, pattern := range trt.SupportFiles() {
			account.Below("--output", cmp.Or(r.to, engineflags.SupportFolder), pattern)
		}
	}
	return nil
}

// do shows the files; two models that differ have a status of their own.
func (r *inspectRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	var text strings.Builder
	differs, err := r.inspect(ctx, given, &text)
	if err == nil && r.edit.Given() && !r.read {
		err = errors.New("flags of ONNX files do nothing without an ONNX model: drop them")
	}
	if err != nil {
		return f, err
	}
	if r.volume >= 0 {
		fmt.Fprint(stderr, r.notes)
	}
	return finding{differs: differs, text: func(volume int) string {
		if volume < 0 {
			return ""
		}
		return text.String()
	}}, nil
}

func (r *inspectRequest) inspect(ctx context.Context, given []string, to io.Writer) (differs bool,
	err error) {
	word := ""
	if len(given) > 0 && slices.Contains(r.words(), given[0]) {
		word, given = given[0], given[1:]
	}
	switch {
	case word != "capability" && (r.divide || r.to != ""):
		return false, errors.New("--with-partitioning and --output are for inspect capability")
	case word == "diff-tactics":
		return false, r.diffTactics(given, to)
	case word == "" && len(given) == 2 && isONNX(given[0]) && isONNX(given[1]):
		return r.differences(ctx, given, to)
	case len(given) == 1:
		return false, r.one(ctx, word, given[0], to)
	case word == "":
		return false, fmt.Errorf("inspect takes one file, or two models, got %d: %s", len(given),
			strings.Join(given, " "))
	}
	return false, fmt.Errorf("inspect %s takes one file, got %d: %s", word, len(given),
		strings.Join(given, " "))
}

// isONNX decides by the extension.
func isONNX(file string) bool { return strings.EqualFold(filepath.Ext(file), ".onnx") }

// onnx is the ONNX model in a file, as the flags of ONNX files change it.
func (r *inspectRequest) onnx(ctx context.Context, file string) (*loaders.Model, error) {
	m, err := r.edit.Model(ctx, file, loaders.Selection{})
	r.read, r.notes = true, r.notes+m.Text
	return m.Model, err
}

// differences shows what differs between two models.
func (r *inspectRequest) differences(ctx context.Context, given []string, to io.Writer) (bool,
	error) {
	actual, err := r.onnx(ctx, given[0])
	if err != nil {
		return false, err
	}
	expected, err := r.onnx(ctx, given[1])
	if err != nil {
		return false, err
	}
	found, err := actual.Difference(expected)
	if err != nil {
		return false, err
	}
	return len(found) > 0, r.print(to, found, found.Text())
}

// file shows one file, whatever it is.
func (r *inspectRequest) file(ctx context.Context, file string, to io.Writer) error {
	switch {
	case engineflags.IsEngine(r.modelType, file):
		return r.engine(file, to)
	case engineflags.IsForeign(r.modelType, file):
		return r.foreign(file, to)
	case !isONNX(file):
		return r.data(file, to)
	}
	model, err := r.onnx(ctx, file)
	if err == nil {
		err = model.WriteDescription(to, r.detail, r.json)
	}
	if err != nil || !r.unbounded {
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
func (r *inspectRequest) foreign(file string, to io.Writer) error {
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
func (r *inspectRequest) engine(file string, to io.Writer) error {
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

// print prints a value as JSON or as text.
func (r *inspectRequest) print(to io.Writer, value any, text string) error {
	if !r.json {
		_, err := io.WriteString(to, text)
		return err
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
