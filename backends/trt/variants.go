package trt

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var (
	_ backends.ProfiledEngine = engine{}
	_ backends.LevelsEngine   = engine{}
	_ backends.MarkingEngine  = engine{}
	_ backends.BuildingEngine = engine{}
	_ backends.StreamsEngine  = engine{}
	_ backends.KeepingEngine  = engine{}
	_ backends.LayeredEngine  = engine{}
	_ backends.StreamsEngine  = PlanFile{}
	_ backends.LoggingEngine  = engine{}
	_ backends.LoggingEngine  = PlanFile{}
)

// Profile is the optimization profile that runs, where the options state one.
func (e engine) Profile() (backends.Profile, bool, error) {
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

// Levels is the engine at each level of the builder's optimisation.
func (e engine) Levels() ([]backends.Engine, error) {
	var list []backends.Engine
	for level := range 6 {
		list = append(list, engine{List: e.With(OptimizationLevel(level)), whole: e.whole})
	}
	return list, nil
}

// WithStreams is the engine whose inferences take turns among n CUDA streams.
func (e engine) WithStreams(n int) (backends.Engine, bool, error) {
	return engine{List: e.With(Streams(n)), whole: e.whole}, true, nil
}

// WithStreams is the plan whose inferences take turns among n CUDA streams.
func (p PlanFile) WithStreams(n int) (backends.Engine, bool, error) {
	p.list = p.list.With(Streams(n))
	return p, true, nil
}

// Layers are the names of the layers of a model's network, in TensorRT's order. It is "" of one
// that computes no floats, or a shape.
func (e engine) Layers(ctx context.Context, model fixtures.Declaration) (names []string,
	err error) {
	_, layers, err := e.network(ctx, model)
	for _, layer := range layers {
		names = append(names, layer.name)
	}
	return names, err
}

// LayersOf are the names of the layers that each node of a model becomes, in TensorRT's order.
func (e engine) LayersOf(ctx context.Context, model fixtures.Declaration) ([][]string, error) {
	m, layers, err := e.network(ctx, model)
	if err != nil {
		return nil, err
	}
	nodes, err := m.Nodes()
	return layersOf(nodes, layers), err
}

// network is the model, and the layers that the parser makes of it.
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
		return nil, nil, fmt.Errorf("%v computes in float32 alone: allow a lower precision, such as fp16",
			e)
	}
	layers, err = networkLayers(ctx, m, s)
	return m, layers, err
}

// Raising is the engine that obeys a type in layers.
func (e engine) Raising(layers []string, elem tensor.ElementType) (backends.Engine, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	if elem == tensor.Float16 && !s.Flags[FlagFP16] {
		return nil, fmt.Errorf("%v does not allow float16: allow fp16", e)
	}
	if len(layers) == 0 {
		return e, nil
	}
	list := e.With(PrecisionConstraints(Obey))
	for _, name := range layers {
		list = list.With(LayerPrecision(exactly(name), elem))
	}
	return engine{List: list, whole: e.whole}, nil
}

// Saving is the engine that is built anew and written to a plan file.
func (e engine) Saving(path string) backends.LayeredEngine {
	return engine{List: e.With(NoEngineCache()).With(SavePlan(path)), whole: e.whole}
}

// Keeping is the engine that obeys float32 in layers.
func (e engine) Keeping(layers []string) (backends.Engine, error) {
	return e.Raising(layers, tensor.Float32)
}

// exactly is the pattern that only a name matches, where it holds characters that patterns have a
// meaning for.
func exactly(name string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(name)
}

// MarkingAll is the engine that gives out every tensor of the network.
func (e engine) MarkingAll() (backends.Engine, error) {
	return engine{List: e.With(MarkAll()), whole: e.whole}, nil
}

// Anew is the engine without its cache. It records the tactics that it chooses, unless it replays
// recorded ones.
func (e engine) Anew() (backends.Engine, func() (map[string]string, error), func(), error) {
	none := func() {}
	s, err := e.Settings()
	if err != nil {
		return nil, nil, none, err
	}
	built := engine{List: e.With(NoEngineCache()), whole: e.whole}
	if s.Tactics != (tactics{}) {
		return built, func() (map[string]string, error) { return nil, nil }, none, nil
	}
	folder, err := os.MkdirTemp("", "modelparity-tactics-")
	if err != nil {
		return nil, nil, none, located(err)
	}
	file := filepath.Join(folder, "tactics.json")
	built.List = built.With(SaveTactics(file))
	return built, func() (map[string]string, error) { return chosenTactics(file) },
		func() { _ = os.RemoveAll(folder) }, nil
}

// chosenTactics is what a file of tactics says of each layer, in words.
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

// Logged is the engine that writes its log to w, from [LogInfo] or [LogVerbose] on.
func (e engine) Logged(w io.Writer, verbose bool) backends.Engine {
	return engine{List: e.With(logTo(w, verbose)), whole: e.whole}
}

// Logged is the plan whose engine writes its log to w, from [LogInfo] or [LogVerbose] on.
func (p PlanFile) Logged(w io.Writer, verbose bool) backends.Engine {
	p.list = p.list.With(logTo(w, verbose))
	return p
}

func logTo(w io.Writer, verbose bool) Option {
	if verbose {
		return Log(w, LogVerbose)
	}
	return Log(w, LogInfo)
}
