package trt

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Levels: e.levels, Streams: e.streams, Profile: e.profile,
		Profiles: e.profiles, MarkAll: e.markAll, Rebuild: e.rebuild, Layers: e.layers,
		NodeLayers: e.nodeLayers, Raise: e.raise, Save: e.save, Log: e.logged, Parts: e.parts,
		Caution: e.caution, RunWithTensors: runWithTensors}
}

// Capabilities returns what a plan can do; see [backends.CapabilitiesOf].
func (p planFile) Capabilities() backends.Capabilities {
	return backends.Capabilities{
		Streams: func(n int) (backends.Engine, error) { return p.with(Streams(n)), nil },
		Log: func(w io.Writer, verbose bool) backends.Engine {
			return p.with(logTo(w, verbose))
		},
		Parts: p.parts,
	}
}

// with returns a copy of the plan with one more option.
func (p planFile) with(o Option) planFile {
	p.list = p.list.With(o)
	return p
}

// with returns a copy of the engine with more options.
func (e engine) with(options ...Option) engine {
	e.List = e.With(options...)
	return e
}

// profile returns the selected optimization profile. The bool is false if the options contain no
// such profile.
func (e engine) profile() (backends.Profile, bool, error) {
	s, err := e.Settings()
	if err != nil || s.Profile < 0 || s.Profile >= len(s.Profiles) {
		return backends.Profile{}, false, err
	}
	p := backends.Profile{Min: map[string]tensor.Shape{}, Opt: map[string]tensor.Shape{},
		Max: map[string]tensor.Shape{}}
	for _, r := range s.Profiles[s.Profile] {
		if r.Values {
			continue
		}
		p.Min[r.Input], p.Opt[r.Input], p.Max[r.Input] = narrow(r.Min), narrow(r.Opt), narrow(r.Max)
	}
	return p, true, nil
}

// profiles returns a copy of the engine with the given optimization profiles instead of its own,
// and selects the one at index. In every profile of the copy, the ranges of shape inputs come from
// the engine's selected profile.
func (e engine) profiles(ranges []backends.Profile, index int) backends.Engine {
	s, err := e.Settings()
	if err != nil {
		return e // opening it returns the error
	}
	var values []ProfileRange
	if s.Profile >= 0 && s.Profile < len(s.Profiles) {
		values = slices.DeleteFunc(slices.Clone(s.Profiles[s.Profile]),
			func(r ProfileRange) bool { return !r.Values })
	}
	var profiles [][]ProfileRange
	var arguments []any
	for _, p := range ranges {
		own := slices.Clone(values)
		for name := range p.Min {
			own = append(own, Range(name, p.Min[name], p.Opt[name], p.Max[name]))
		}
		own = sortedRanges(own)
		for _, r := range own {
			arguments = append(arguments, r.argument())
		}
		profiles = append(profiles, own)
	}
	return e.with(field(option.Call("trt.Profile", arguments...), profiles,
		func(s *settings) *[][]ProfileRange { return &s.Profiles }), ProfileIndex(index))
}

// levels returns one engine for each of the builder's optimisation levels.
func (e engine) levels() ([]backends.Engine, error) {
	var list []backends.Engine
	for level := range 6 {
		list = append(list, e.with(OptimizationLevel(level)))
	}
	return list, nil
}

// streams returns a copy of the engine whose inferences take turns on n CUDA streams.
func (e engine) streams(n int) (backends.Engine, error) { return e.with(Streams(n)), nil }

// layers returns the names of the layers of a model's network, in TensorRT's order. The name is ""
// for a layer that computes no floats, or that computes a shape.
func (e engine) layers(ctx context.Context, model fixtures.Declaration) (names []string,
	err error) {
	_, layers, err := e.network(ctx, model)
	for _, layer := range layers {
		names = append(names, layer.name)
	}
	return names, err
}

// nodeLayers returns a list of names for each node of a model: the names of the layers that the
// parser makes from the node, in the network's order.
func (e engine) nodeLayers(ctx context.Context, model fixtures.Declaration) ([][]string, error) {
	m, layers, err := e.network(ctx, model)
	if err != nil {
		return nil, err
	}
	nodes, err := m.Nodes()
	return layersOf(nodes, layers), err
}

// network returns the ONNX model and the layers that the parser makes from it.
func (e engine) network(ctx context.Context, model fixtures.Declaration) (m *loaders.Model,
	layers []networkLayer, err error) {
	if m, err = backends.ONNX("tensorrt", model); err != nil {
		return nil, nil, err
	}
	s, err := e.Settings()
	if err != nil {
		return nil, nil, err
	}
	if len(s.allowed()) == 0 {
		return nil, nil, fmt.Errorf("%v computes only in float32: allow a lower precision, such as "+
			"trt.FP16", e)
	}
	layers, err = networkLayers(ctx, m, s)
	return m, layers, err
}

// raise returns a copy of the engine that computes the given layers in the given type.
func (e engine) raise(layers []string, elem tensor.ElementType) (backends.Engine, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	if elem == tensor.Float16 && !s.Flags[flagFP16] {
		return nil, fmt.Errorf("%v does not allow float16: add trt.FP16", e)
	}
	if len(layers) == 0 {
		return e, nil
	}
	raised := e.with(PrecisionConstraints(Obey))
	for _, name := range layers {
		raised = raised.with(LayerPrecision(exactly(name), elem))
	}
	return raised, nil
}

// save returns a copy of the engine that always builds the model and writes a plan file.
func (e engine) save(path string) backends.Engine {
	return e.with(NoEngineCache(), SavePlan(path))
}

// exactly returns a pattern that matches only name, even if name contains the special characters of
// patterns.
func exactly(name string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(name)
}

// markAll returns a copy of the engine that returns every tensor of the network.
func (e engine) markAll() (backends.Engine, error) {
	return e.with(MarkAll()), nil
}

// rebuild returns a copy of the engine that does not use the engine cache. The copy records which
// kernel (tactic) TensorRT chooses for each layer, unless the engine repeats recorded choices.
func (e engine) rebuild() (backends.Engine, func() (map[string]string, error), func(), error) {
	none := func() {}
	s, err := e.Settings()
	if err != nil {
		return nil, nil, none, err
	}
	built := e.with(NoEngineCache())
	if s.Tactics != (paths{}) {
		return built, func() (map[string]string, error) { return nil, nil }, none, nil
	}
	folder, err := os.MkdirTemp("", "modelparity-tactics-")
	if err != nil {
		return nil, nil, none, located(err)
	}
	file := filepath.Join(folder, "tactics.json")
	return built.with(SaveTactics(file)),
		func() (map[string]string, error) { return chosenTactics(file) },
		func() { _ = os.RemoveAll(folder) }, nil
}

// chosenTactics reads a file of tactics and describes each layer's tactic as text.
func chosenTactics(file string) (map[string]string, error) {
	f, _, err := readReplay(file)
	if err != nil {
		return nil, located(err)
	}
	choices := map[string]string{}
	for layer, t := range f.All() {
		choices[layer] = fmt.Sprintf("implementation %d, tactic %#x", t.Implementation, uint64(t.Tactic))
	}
	return choices, nil
}

// logged returns a copy of the engine that writes its log to w, at level debug if verbose is true
// and info otherwise.
func (e engine) logged(w io.Writer, verbose bool) backends.Engine {
	return e.with(logTo(w, verbose))
}

func logTo(w io.Writer, verbose bool) Option {
	if verbose {
		return Log(w, slog.LevelDebug)
	}
	return Log(w, slog.LevelInfo)
}
