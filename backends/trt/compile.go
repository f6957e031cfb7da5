//go:build linux && cgo

package trt

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// artifact is what a build gives: a plan, and what its network said that a run needs to know.
type artifact struct {
	plan     []byte
	Debug    []string `json:"debug,omitempty"`     // the tensors that the patterns of Debug fit
	AsOutput bool     `json:"as_output,omitempty"` // the debug tensor is an output instead
	Inside   []shown  `json:"inside,omitempty"`    // what RunWithTensors asked for and is there
}

// workshop builds engines of one model.
type workshop struct {
	machine
	model *loaders.Model
	log   *watch
}

// build makes an engine. debug names one tensor to make a debug tensor, or is "".
func (w *workshop) build(ctx context.Context, s settings, debug string) (*artifact, error) {
	var a *artifact
	err := w.device.Do(func() error {
		builder, giveBack, err := w.takeBuilder()
		if err != nil {
			return w.log.explain(err)
		}
		defer giveBack()
		looks := debug != "" || len(s.build.Marks.Inside) > 0
		asOutput := looks && !debugs(w.library.Version())
		a, err = w.compile(ctx, builder, s, debug, asOutput)
		if err != nil && looks && !asOutput && ctx.Err() == nil {
			// TensorRT refuses some debug tensors. As an output the value can be had as well,
			// though it may keep layers from being fused.
			if second, retried := w.compile(ctx, builder, s, debug, true); retried == nil {
				a, err = second, nil
			}
		}
		return w.log.explain(err)
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("the build was given up: %w", cause)
	}
	return a, err
}

func (w *workshop) compile(ctx context.Context, builder trtabi.Builder, s settings, debug string,
	asOutput bool) (*artifact, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for _, path := range s.build.Plugins {
		if err := builder.LoadPlugins(path); err != nil {
			return nil, err
		}
	}
	flags, err := s.build.networkFlags(w.library)
	if err != nil {
		return nil, err
	}
	network, err := builder.Network(flags)
	if err != nil {
		return nil, err
	}
	defer network.Delete()
	parser, err := w.parse(network, s)
	if err != nil {
		return nil, err
	}
	defer parser.Delete() // after the build: the network's weights are the parser's
	a, err := s.build.shape(network, debug, asOutput)
	if err != nil {
		return nil, err
	}
	config, err := builder.Config()
	if err != nil {
		return nil, err
	}
	defer config.Delete()
	if err := s.build.configure(w.library, builder, network, config); err != nil {
		return nil, err
	}
	if s.build.Flags["VERSION_COMPATIBLE"] {
		config.SetPluginsToSerialize(parser.PluginLibraries())
	}
	profiles, err := s.build.addProfiles(builder, network, config)
	if err != nil {
		return nil, err
	}
	calibrator, err := w.calibrate(s.build, network, config, profiles)
	if err != nil {
		return nil, err
	}
	defer calibrator.Close()
	timing, err := s.timing.open(config)
	if err != nil {
		return nil, err
	}
	defer timing.Delete()
	selector, err := w.selectTactics(s, config, debug)
	if err != nil {
		return nil, err
	}
	defer selector.Close()
	a.plan, err = w.run(ctx, builder, s, network, config, calibrator, selector)
	if err != nil {
		return nil, err
	}
	if err := selector.finish(); err != nil {
		return nil, err
	}
	return a, s.timing.close(config, timing)
}

// source is the model's bytes, and the path that TensorRT takes external data to lie beside.
// TensorRT follows links wherever they lead, so that it is given none.
func source(model *loaders.Model) (data []byte, path string, err error) {
	if model, err = model.WithoutLinks(); err != nil {
		return nil, "", err
	}
	if path = model.Path(); path == "" && model.Dir() != "" {
		path = filepath.Join(model.Dir(), model.Name())
	}
	data, err = model.Bytes()
	return data, path, err
}

// parse fills the network from the model.
func (w *workshop) parse(network trtabi.Network, s settings) (trtabi.Parser, error) {
	data, path, err := source(w.model)
	if err != nil {
		return trtabi.Parser{}, err
	}
	parser, err := network.Parser()
	if err != nil {
		return parser, err
	}
	if s.build.PluginNorm {
		parser.ClearFlag(index(trtabi.ParserFlags, "NATIVE_INSTANCENORM"))
	}
	for _, flag := range s.build.ParserFlags {
		parser.SetFlag(index(trtabi.ParserFlags, flag))
	}
	if err := parser.Parse(data, path); err != nil {
		parser.Delete()
		return parser, err
	}
	return parser, nil
}

// shape marks, types and debugs the network's tensors as the settings say.
func (b buildSettings) shape(n trtabi.Network, debug string, asOutput bool) (*artifact, error) {
	inside, err := b.Marks.find(n)
	if err != nil {
		return nil, err
	}
	if err := b.Marks.apply(n); err != nil {
		return nil, err
	}
	if err := b.setTypes(n); err != nil {
		return nil, err
	}
	if b.Decomposable {
		if err := n.Decompose(); err != nil {
			return nil, err
		}
	}
	a := &artifact{AsOutput: asOutput, Inside: inside}
	tensors := computed(n)
	if err := unfit(b.Marks.Debug, tensorNames(tensors), "tensor"); err != nil {
		return nil, err
	}
	for _, t := range tensors {
		if fits(b.Marks.Debug, t.Name()) && !t.IsOutput() {
			a.Debug = append(a.Debug, t.Name())
		}
	}
	if i := slices.Index(tensorNames(tensors), debug); debug != "" && i >= 0 {
		if asOutput {
			markOutput(n, tensors[i])
		} else if !markDebug(n, tensors[i]) {
			return nil, fmt.Errorf("TensorRT does not take %q as a debug tensor", debug)
		}
	}
	if err := showInside(n, inside, asOutput); err != nil {
		return nil, err
	}
	if b.Marks.Unfused {
		if ok, err := n.MarkUnfused(); err != nil || !ok {
			return nil, fmt.Errorf("unfused debug tensors: marked %v, %w", ok, err)
		}
	}
	return a, nil
}

// run is the build itself.
func (w *workshop) run(ctx context.Context, builder trtabi.Builder, s settings,
	network trtabi.Network, config trtabi.Config, calibrator *calibrator, selector *selector) (
	[]byte, error) {
	follower, stop := follow(ctx, s.progress)
	defer stop()
	monitor := w.library.Monitor(follower)
	defer monitor.Close()
	config.SetMonitor(monitor)
	memory, err := builder.Build(network, config)
	if err == nil {
		defer memory.Delete()
	}
	monitor.Repanic()
	calibrator.Repanic()
	selector.Repanic()
	for _, failed := range []error{calibrator.failure(), selector.failure()} {
		if failed != nil {
			return nil, failed
		}
	}
	if err != nil {
		return nil, err
	}
	return memory.Bytes(), nil
}
