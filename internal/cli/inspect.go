package cli

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

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/cli/surgeon"
	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// inspectRequest is the parsed command line of `modelparity inspect`.
type inspectRequest struct {
	outputs
	edit surgeon.Flags // how to read an ONNX file

	json, histogram, all, values, unbounded bool

	detail    describe.Detail
	shown     goldenfiles.Shown
	modelType string
	options   []trt.Option // for a TensorRT engine

	folder, good, bad, to string // the first three are for diff-tactics

	divide bool // write the supported and unsupported parts into to

	model   *loaders.Model // the model that was read last
	notes   string         // how the flags changed the model
	differs bool
}

func (r *inspectRequest) sections() []section {
	r.shown = goldenfiles.Shown{Items: 3, Width: 75}
	return []section{{"Shown", r.flags()}, {"ONNX", r.edit.Reading()},
		resultSection(r.printFlags())}
}

// flags returns the flags that choose what to show, and how to read files other than ONNX models.
func (r *inspectRequest) flags() []arguments.Flag {
	return []arguments.Flag{
		arguments.Spelled("--full", func([]string) error { return r.show(nil) }),
		arguments.Spelled("--show [PART ...]", r.show),
		arguments.Spelled("--list-unbounded-dds", arguments.Set(&r.unbounded)),
		arguments.Spelled("--all, -a", arguments.Set(&r.all)),
		arguments.Spelled("--show-values, -s", arguments.Set(&r.values)),
		arguments.Spelled("--num-items, -n N", arguments.Value(arguments.AtLeast(-1), &r.shown.Items)),
		arguments.Spelled("--line-width N", arguments.Value(arguments.AtLeast(-1), &r.shown.Width)),
		arguments.Spelled("--histogram", arguments.Set(&r.histogram)),
		arguments.Spelled("--json", arguments.Set(&r.json)),
		arguments.Spelled("--dir DIR", arguments.Text(&r.folder)).On(files.Reads),
		arguments.Spelled("--good PATH", arguments.Text(&r.good)).On(files.Reads),
		arguments.Spelled("--bad PATH", arguments.Text(&r.bad)).On(files.Reads),
		arguments.Spelled("--model-type TYPE", arguments.Text(&r.modelType)),
		arguments.Spelled("--plugins FILE ...", func(words []string) error {
			r.options = append(r.options, trt.Plugins(words...))
			return nil
		}).On(files.Reads),
		arguments.Spelled("--load-runtime FILE", func(words []string) error {
			r.options = append(r.options, trt.VersionCompatible(), trt.LoadRuntime(words[0]))
			return nil
		}).On(files.Reads),
		arguments.Spelled("--version-compatible",
			arguments.Adding(trt.VersionCompatible, &r.options)),
		arguments.Spelled("--with-partitioning", arguments.Set(&r.divide)),
		arguments.Spelled("--output, -o DIR", arguments.Text(&r.to)).On(files.Writes),
	}
}

func (r *inspectRequest) show(parts []string) (err error) {
	r.detail, err = describe.ParseDetail(parts...)
	return err
}

// words returns the names of Polygraphy's subcommands. Each of them inspects one kind of file.
func (*inspectRequest) words() []string {
	return []string{"model", "data", "tactics", "sparsity", "diff-tactics", "capability"}
}

// place registers the files that --with-partitioning writes, so that conflicts with other files are
// detected.
func (r *inspectRequest) place(account *files.Account) {
	if r.divide || r.to != "" {
		account.Set("--output", files.Writes)
		for _, pattern := range engineflags.SupportFiles() {
			account.Below("--output", cmp.Or(r.to, engineflags.SupportFolder), pattern)
		}
	}
}

// do inspects the files and prints the result. The exit status is 1 if the files are two models
// that differ.
func (r *inspectRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	write, err := r.inspect(ctx, given)
	if err == nil && r.edit.Given() && r.model == nil {
		err = errors.New("this file is not an ONNX model: drop the flags that read or convert ONNX " +
			"models")
	}
	if err != nil {
		return f, err
	}
	if r.volume >= 0 {
		fmt.Fprint(stderr, r.notes)
	}
	return finding{differs: r.differs, write: func(to io.Writer) error { return write(r, to) }}, nil
}

// writer writes a result as text or, with --json, as JSON.
type writer = func(r *inspectRequest, to io.Writer) error

// inspect reads the files and returns a function that writes the result.
func (r *inspectRequest) inspect(ctx context.Context, given []string) (writer, error) {
	word, takes := "", "one file, or two models named *.onnx"
	if len(given) > 0 && slices.Contains(r.words(), given[0]) {
		word, given, takes = given[0], given[1:], "one file"
	}
	switch {
	case word != "capability" && (r.divide || r.to != ""):
		return nil, errors.New("only \"inspect capability\" takes --with-partitioning and --output")
	case word == "diff-tactics":
		return r.diffTactics(given)
	case word == "" && len(given) == 2 && isONNX(given[0]) && isONNX(given[1]):
		actual, err := r.onnx(ctx, given[0])
		expected, other := r.onnx(ctx, given[1])
		if err = errors.Join(err, other); err != nil {
			return nil, err
		}
		found, err := describe.Diff(actual, expected)
		r.differs = len(found) > 0
		return writerOf(found, err)
	case len(given) == 1:
		return r.one(ctx, word, given[0])
	}
	return nil, arguments.Wanted(strings.TrimSpace("inspect "+word)+" takes "+takes, given)
}

// writerOf returns a function that writes found: as JSON, or as found.Text(). If err is not nil,
// writerOf only returns err.
func writerOf[T interface{ Text() string }](found T, err error) (writer, error) {
	if err != nil {
		return nil, err
	}
	return written(found, found.Text()), nil
}

// written returns a function that writes a result: value as JSON, or text.
func written(value any, text string) writer {
	return func(r *inspectRequest, to io.Writer) error {
		if r.json {
			encoder := json.NewEncoder(to)
			encoder.SetIndent("", "  ")
			return encoder.Encode(value)
		}
		_, err := io.WriteString(to, text)
		return err
	}
}

// isONNX reports whether a file has the extension .onnx.
func isONNX(file string) bool { return strings.EqualFold(filepath.Ext(file), ".onnx") }

// onnx reads an ONNX model and changes it as the flags for ONNX files say.
func (r *inspectRequest) onnx(ctx context.Context, file string) (*loaders.Model, error) {
	m, err := r.edit.Model(ctx, file, loaders.Selection{})
	r.model, r.notes = m.Model, r.notes+m.Text
	return m.Model, err
}

// describe writes a description of the model and, if --list-unbounded-dds is set, the names of
// tensors without an upper bound on their size.
func (r *inspectRequest) describe(to io.Writer) error {
	err := describe.Write(to, r.model, r.detail, r.json)
	if err != nil || !r.unbounded {
		return err
	}
	names, err := edit.UnboundedShapes(r.model)
	if err == nil {
		_, err = io.WriteString(to, describe.Unbounded(names))
	}
	return err
}

// file describes a file. The file's name or --model-type decides which kind of file it is.
func (r *inspectRequest) file(ctx context.Context, file string) (writer, error) {
	switch {
	case engineflags.IsEngine(r.modelType, file):
		return r.engine(file)
	case engineflags.IsForeign(r.modelType, file):
		if strings.EqualFold(filepath.Ext(file), ".pb") && r.modelType == "" {
			if write, err := r.data(ctx, file); err == nil { // a saved tensor
				return write, nil
			}
		}
		described, err := openvino.Describe(file)
		if err != nil {
			return nil, err
		}
		return written(described, foreignText(described)), nil
	case !isONNX(file):
		return r.data(ctx, file)
	}
	_, err := r.onnx(ctx, file)
	return (*inspectRequest).describe, err
}

// engine describes a TensorRT engine, which TensorRT has to load first.
func (r *inspectRequest) engine(file string) (writer, error) {
	info, err := trt.Describe(file, r.options...)
	if err != nil {
		return nil, err
	}
	return written(info, engineText(info, r.detail.Layers)), nil
}
