//go:build linux || darwin

package isolated_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// tuned is an engine that can do everything, and tells in the provenance of its runs what it was
// told, and in which process it runs.
type tuned string

func init() {
	backends.Register("tuned", func(text string) (backends.Engine, error) {
		told, err := strconv.Unquote(strings.TrimPrefix(text, "tuned "))
		return tuned(told), err
	})
}

func (t tuned) Text() string     { return "tuned " + strconv.Quote(string(t)) }
func (t tuned) String() string   { return "tuned" }
func (t tuned) GoString() string { return fmt.Sprintf("tuned(%q)", string(t)) }

func (t tuned) told(what string, arguments ...any) backends.Engine {
	return t + tuned(fmt.Sprintf(what, arguments...))
}

func (t tuned) Capabilities() backends.Capabilities {
	return backends.Capabilities{
		Threads: func(n int) (backends.Engine, error) { return t.told("%d threads", n), nil },
		Levels: func() ([]backends.Engine, error) {
			return []backends.Engine{t.told("low"), t.told("high")}, nil
		},
		Streams: func(n int) (backends.Engine, error) { return t.told("%d streams", n), nil },
		Profiles: func(ranges []backends.Profile, index int) backends.Engine {
			return t.told("profile %d of %d", index, len(ranges))
		},
		Profile: func() (backends.Profile, bool, error) {
			return backends.Profile{Min: map[string]tensor.Shape{"minuend": {1, 3}}}, true, nil
		},
		MarkAll: func() (backends.Engine, error) { return t.told("marked"), nil },
		Rebuild: func() (backends.Engine, func() (map[string]string, error), func(), error) {
			choices := map[string]string{}
			return t.told("rebuilt"), func() (map[string]string, error) {
				choices["layer"] = "kernel"
				return choices, nil
			}, func() { forgotten++ }, nil
		},
		Layers: func(_ context.Context, m fixtures.Declaration) ([]string, error) {
			return []string{m.Name()}, nil
		},
		NodeLayers: func(_ context.Context, m fixtures.Declaration) ([][]string, error) {
			return [][]string{{m.Name()}}, nil
		},
		Raise: func(layers []string, elem tensor.ElementType) (backends.Engine, error) {
			return t.told("%v in %v", layers, elem), nil
		},
		Passes: func(_ context.Context, m *loaders.Model) ([]string, *loaders.Model, error) {
			return []string{fmt.Sprintf("fold in %d", os.Getpid())}, m, nil
		},
		WithoutPasses: func(names []string) backends.Engine { return t.told("without %v", names) },
		Save:          func(path string) backends.Engine { return t.told("to %s", path) },
		Log: func(w io.Writer, verbose bool) backends.Engine {
			fmt.Fprintf(w, "tuned: verbose %v in %d\n", verbose, os.Getpid())
			return t
		},
		Parts: func(_ context.Context, m fixtures.Declaration, in fixtures.Inputs) (
			backends.Engine, func(), error) {
			return t.told("parts of %s on %s", m.Name(), in.Origin().Text), func() {}, nil
		},
		Caution: func() string { return "It is a stand-in." },
		Reweigh: func(context.Context, *loaders.Model, fixtures.Inputs, backends.Replace) (
			[]*tensor.Set, error) {
			panic("this runs in the process of the suite")
		},
		Unshared: func() backends.Engine { return t.told("alone") },
		Reference: func(plain backends.Engine) backends.Engine {
			return plain.(tuned).told(", driven")
		},
		Chain: func(op string) int { return len(op) },
		Releases: func(words []string) (list []backends.Release, err error) {
			for _, word := range words {
				list = append(list, backends.Release{Version: word, Engine: t.told("in %s", word)})
			}
			return list, nil
		},
		Computed: func(context.Context, *loaders.Model) (string, error) {
			return fmt.Sprintf("told in %d", os.Getpid()), nil
		},
		Neighborly: func() bool { return true },
		RunWithTensors: func(ctx context.Context, b backends.Backend, inputs fixtures.Inputs,
			names []string) (*backends.Run, error) {
			m := b.(tunedModel)
			m.engine += tuned(fmt.Sprintf("shows %v", names))
			return m.Run(ctx, inputs)
		},
		Loop: func(b backends.Backend) (backends.Loop, error) {
			return &tunedLoop{of: b.(tunedModel), kept: map[string]*tensor.Tensor{}}, nil
		},
		Rewind: func(l backends.Loop, tokens int) error {
			for input := range l.(*tunedLoop).kept {
				l.(*tunedLoop).kept[input] = tensor.Of(float32(tokens))
			}
			return nil
		},
	}
}

var forgotten int

func (t tuned) Open(_ context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	return tunedModel{t, model}, nil
}

type tunedModel struct {
	engine tuned
	model  fixtures.Declaration
}

func (m tunedModel) Close() error { return nil }

func (m tunedModel) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.Collect(ctx, backends.Provenance{Backend: "tuned", Options: map[string]string{
		"told": string(m.engine), "pid": strconv.Itoa(os.Getpid()), "model": m.model.Name()}},
		backends.Subject{Engine: m.engine, Model: m.model}, inputs, backendtest.Reference)
}

// tunedLoop keeps every given tensor for the input of the same name, and returns what it keeps.
type tunedLoop struct {
	of   tunedModel
	kept map[string]*tensor.Tensor
}

func (l *tunedLoop) Step(_ context.Context, inputs *tensor.Set, outputs []string,
	keep map[string]string) (*tensor.Set, error) {
	for output, input := range keep {
		if t, given := inputs.Get(output); given {
			l.kept[input] = t
		}
	}
	var entries []tensor.Entry
	for _, name := range outputs {
		if name == "crash" {
			os.Exit(3)
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: l.kept[name]})
	}
	return tensor.NewSet(entries...)
}

func (l *tunedLoop) Kept(input string) (tensor.ElementType, tensor.Shape, error) {
	t, err := l.Read(input)
	return t.ElementType(), t.Shape(), err
}

func (l *tunedLoop) Read(input string) (*tensor.Tensor, error) {
	if t := l.kept[input]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("nothing is kept for %s", input)
}

func (l *tunedLoop) Provenance() backends.Provenance {
	return backends.Provenance{Options: map[string]string{"pid": strconv.Itoa(os.Getpid())}}
}

func (l *tunedLoop) Close() error { return nil }
