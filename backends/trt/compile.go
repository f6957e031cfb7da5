//go:build linux && cgo

package trt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// artifact is the result of a build, as it is kept in the engine cache: the plan, and facts about
// the network that a run needs.
type artifact struct {
	plan     []byte
	AsOutput bool    `json:"as_output,omitempty"` // the tensors in Inside are outputs
	Inside   []shown `json:"inside,omitempty"`    // the tensors to read while the engine runs
}

// job is the build of one model's engine, or questions about the model to TensorRT's parser.
type job struct {
	machine
	order
	log *watch
}

// build builds an engine.
func (w *job) build(ctx context.Context) (*artifact, error) {
	var a *artifact
	err := w.device.Do(func() error {
		builder, giveBack, err := w.takeBuilder()
		if err != nil {
			return w.log.explain(err)
		}
		defer giveBack()
		looks := len(w.Marks.Inside)+len(w.Marks.Debug) > 0
		c := construction{job: w, ctx: ctx, builder: builder,
			asOutput: looks && !debugs(w.library.Version())}
		a, err = c.compile()
		if err != nil && looks && !c.asOutput && ctx.Err() == nil {
			// TensorRT rejects some debug tensors. Outputs have the same values, but may keep layers from
			// being fused.
			c.asOutput = true
			if second, retried := c.compile(); retried == nil {
				a, err = second, nil
			}
		}
		return w.log.explain(err)
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("the build was cancelled: %w", cause)
	}
	return a, err
}

// construction is one build of an engine.
type construction struct {
	*job
	ctx      context.Context
	builder  trtabi.Builder
	asOutput bool // mark tensors as outputs, not as debug tensors

	network  trtabi.Network
	parser   trtabi.Parser
	config   trtabi.Config
	profiles []trtabi.Profile
	timings  trtabi.TimingCache
	called   []*trtabi.Callback // objects that TensorRT calls during the build
	selector *selector          // one of them, or nil
	artifact *artifact
	closing  []func() // called in reverse order
}

func (c construction) compile() (*artifact, error) { // on a copy, so that a second try starts fresh
	defer c.close()
	for _, step := range []func() error{c.ended, c.loadPlugins, c.parse, c.markOutputs,
		c.setLayerTypes, c.setBindings, c.decompose, c.markInside, c.configure, c.setFlags,
		c.setLimits, c.setPlatform, c.setKernels, c.useDLA, c.addProfiles, c.calibrate,
		c.openTimings, c.selectTactics, c.run, c.keepTimings} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.artifact, nil
}

// close deletes the objects that the build created.
func (c *construction) close() {
	for _, f := range slices.Backward(c.closing) {
		f()
	}
}

// ended returns the reason why the build must stop, or nil.
func (c *construction) ended() error { return context.Cause(c.ctx) }

func (c *construction) loadPlugins() error {
	for _, path := range c.Plugins {
		if err := c.builder.LoadPlugins(path); err != nil {
			return err
		}
	}
	return nil
}

// source returns the model's bytes, and the path next to which TensorRT looks for external data.
// source first resolves symbolic links in the paths of the data files. A model without external
// data gets a path below the null device, where no file can exist, because without a path TensorRT
// would look in the working folder.
func source(model *loaders.Model) (data []byte, path string, err error) {
	if model, err = model.WithoutLinks(); err != nil {
		return nil, "", err
	}
	external, err := model.ExternalData()
	switch {
	case err != nil:
		return nil, "", err
	case len(external) == 0:
		path = filepath.Join(os.DevNull, model.Name())
	case model.Path() != "":
		path = model.Path()
	default:
		path = filepath.Join(model.Dir(), model.Name())
	}
	data, err = model.Bytes()
	return data, path, err
}

// parse fills a network from the model. The parser is deleted after the build, because it owns the
// network's weights.
func (c *construction) parse() error {
	data, path, err := c.openParser()
	if err != nil {
		return err
	}
	return c.parser.Parse(data, path)
}

// openParser creates a network and its parser. It also returns the data to parse.
func (c *construction) openParser() (data []byte, path string, err error) {
	if c.network, err = c.builder.Network(c.networkFlags()); err != nil {
		return nil, "", err
	}
	c.closing = append(c.closing, c.network.Delete)
	if data, path, err = source(c.model); err != nil {
		return nil, "", err
	}
	if c.parser, err = c.network.Parser(); err != nil {
		return nil, "", err
	}
	c.closing = append(c.closing, c.parser.Delete)
	if c.PluginNorm {
		c.parser.ClearFlag(index(trtabi.ParserFlags, "NATIVE_INSTANCENORM"))
	}
	for _, flag := range c.ParserFlags {
		c.parser.SetFlag(index(trtabi.ParserFlags, flag))
	}
	return data, path, nil
}

func (c *construction) run() error {
	monitor := c.library.Monitor(func() bool { return c.ctx.Err() == nil })
	defer monitor.Close()
	c.config.SetMonitor(monitor)
	memory, err := c.builder.Build(c.network, c.config)
	if err == nil {
		defer memory.Delete()
	}
	for _, object := range append(c.called, monitor) {
		if failed := object.Err(); failed != nil {
			return failed
		}
	}
	if err != nil {
		return err
	}
	c.artifact.plan = memory.Bytes()
	if c.selector != nil {
		return c.selector.finish()
	}
	return nil
}
