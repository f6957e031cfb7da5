//go:build linux && cgo

package trt

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// Supports lists everything in a model that TensorRT's ONNX parser does not support. It builds
// nothing. Only options about TensorRT's location, its log, and parsing, such as [Plugins] and
// [StronglyTyped], have an effect.
func Supports(ctx context.Context, model *loaders.Model, options ...Option) (*Support, error) {
	return supports(ctx, model, options, func(w *job, c *Support) error {
		return w.ask(ctx, model, func(of *construction, data []byte, path string) error {
			if c.Supported = of.parser.Parse(data, path) == nil; !c.Supported {
				c.Refusals = refusals(of.parser.Errors())
			}
			return nil
		})
	})
}

// Partition splits the nodes of a model into parts that TensorRT's ONNX parser supports and parts
// that it does not support. It cuts out each unsupported part and asks the parser about that part
// alone, until no part can be split further. A part can be cut out if the model declares the types
// of the part's inputs, as models do after shape inference; otherwise [Part.Whole] contains the
// reason.
//
// Partition needs TensorRT 10.1 or later.
func Partition(ctx context.Context, model *loaders.Model, options ...Option) (*Support, error) {
	return supports(ctx, model, options, func(w *job, c *Support) error {
		nodes, err := model.Nodes()
		if err != nil || len(nodes) == 0 {
			return err
		}
		parts, err := w.divide(ctx, model, 0, len(nodes)-1)
		if err != nil {
			return err
		}
		c.Supported = len(parts) == 1 && parts[0].Supported
		c.Parts = merged(model, parts)
		return nil
	})
}

func supports(ctx context.Context, model *loaders.Model, options []Option,
	ask func(*job, *Support) error) (*Support, error) {
	s, err := engines.List(options...).Settings()
	if err == nil {
		err = model.Load()
	}
	if err != nil {
		return nil, located(err)
	}
	c := &Support{Model: model.Name()}
	err = parsing(s, model, func(w *job) error {
		c.TensorRT = w.library.Version().String()
		return ask(w, c)
	})
	if err != nil {
		return nil, err
	}
	return c, context.Cause(ctx)
}

// networkLayers returns the layers that TensorRT's parser makes from a model, in network order.
func networkLayers(ctx context.Context, model *loaders.Model, s *settings) (layers []networkLayer,
	err error) {
	err = parsing(s, model, func(w *job) error {
		return w.ask(ctx, model, func(c *construction, data []byte, path string) error {
			if err := c.parser.Parse(data, path); err != nil {
				return err
			}
			for _, layer := range c.network.Layers() {
				one := networkLayer{inputs: tensorNames(layer.Inputs()),
					outputs: tensorNames(layer.Outputs())}
				if layerType(layer) != "CONSTANT" && computesFloats(layer) {
					one.name = layer.Name()
				}
				layers = append(layers, one)
			}
			return nil
		})
	})
	return layers, err
}

// parsing opens TensorRT and passes a job for the model to the function ask. With this job, ask can
// use TensorRT's parser.
func parsing(s *settings, model *loaders.Model, ask func(*job) error) error {
	m, err := open(s)
	if err != nil {
		return err
	}
	w := &job{machine: m, order: order{settings: *s, model: model}, log: listen(m.library, s)}
	defer w.log.stop()
	if err := ask(w); err != nil {
		return fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), model.Name(), w.log.explain(err))
	}
	return nil
}

// ask passes a new parser, and the data of the model to parse, to the function look.
func (w *job) ask(ctx context.Context, model *loaders.Model,
	look func(c *construction, data []byte, path string) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return w.device.Do(func() error {
		builder, giveBack, err := w.takeBuilder()
		if err != nil {
			return err
		}
		defer giveBack()
		of := *w
		of.model = model
		c := construction{job: &of, ctx: ctx, builder: builder}
		defer c.close()
		if err := c.loadPlugins(); err != nil {
			return err
		}
		data, path, err := c.openParser()
		if err != nil {
			return err
		}
		return look(&c, data, path)
	})
}

// divide groups the nodes from index first to index last into parts.
func (w *job) divide(ctx context.Context, model *loaders.Model, first, last int) (parts []Part,
	err error) {
	part, ahead := model, 0 // number of Constant nodes before the part's own nodes
	all, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	if first > 0 || last < len(all)-1 {
		if part, err = model.CutNodes(first, last); err != nil {
			return []Part{{First: first, Last: last, Whole: err.Error()}}, nil
		}
		nodes, err := part.Nodes()
		if err != nil {
			return nil, err
		}
		ahead = len(nodes) - (last - first + 1)
	}
	var whole bool
	var said []trtabi.Subgraph
	var refused []*trtabi.ParserError
	err = w.ask(ctx, part, func(c *construction, data []byte, path string) (err error) {
		whole, said, err = c.parser.Supported(data, path)
		refused = c.parser.Errors()
		return err
	})
	if err != nil {
		return nil, err
	}
	if whole {
		said = []trtabi.Subgraph{{Supported: true}}
	}
	for _, run := range runs(said, ahead, last-first+1) {
		run.First, run.Last = first+run.First, first+run.Last
		switch {
		case run.Supported:
			run.cut(model)
			parts = append(parts, run)
		case run.First == first && run.Last == last:
			run.Refusals, run.Model = refusals(refused), part
			return []Part{run}, nil
		default:
			inside, err := w.divide(ctx, model, run.First, run.Last)
			if err != nil {
				return nil, err
			}
			if len(inside) == 1 && inside[0].Whole != "" {
				inside[0].Refusals = refusals(among(refused, run.First-first+ahead,
					run.Last-first+ahead))
			}
			parts = append(parts, inside...)
		}
	}
	return parts, nil
}

// runs groups nodes of a model into parts. The number of nodes to group is count. The first of them
// has the index ahead in the model and in said, and the index 0 in the parts. Consecutive nodes are
// in the same part if they are in the same subgraph, or if none of them is supported. A node in no
// subgraph is unsupported. A subgraph without a list of nodes contains all nodes.
func runs(said []trtabi.Subgraph, ahead, count int) (list []Part) {
	of := make([]int, count) // for each node, the number of its subgraph plus one
	for i, s := range said {
		for k := 0; s.Nodes == nil && k < count; k++ {
			of[k] = i + 1
		}
		for _, node := range s.Nodes {
			if k := node - ahead; k >= 0 && k < count {
				of[k] = i + 1
			}
		}
	}
	for k, i := range of {
		supported := i > 0 && said[i-1].Supported
		if n := len(list); n > 0 && (of[k-1] == i || !supported && !list[n-1].Supported) {
			list[n-1].Last = k
			continue
		}
		list = append(list, Part{First: k, Last: k, Supported: supported})
	}
	return list
}

// among returns the errors about the nodes from index first to index last.
func among(all []*trtabi.ParserError, first, last int) []*trtabi.ParserError {
	return slices.DeleteFunc(slices.Clone(all), func(e *trtabi.ParserError) bool {
		return e.Index < first || e.Index > last
	})
}

func refusals(all []*trtabi.ParserError) []Refusal {
	list := make([]Refusal, len(all))
	for i, e := range all {
		list[i] = Refusal{e.Node, e.Operator, e.Text, e.Functions}
	}
	if len(list) == 0 {
		list = []Refusal{{Reason: "the parser gave no reason"}}
	}
	return list
}

// merged joins consecutive unsupported parts.
func merged(model *loaders.Model, parts []Part) []Part {
	var list []Part
	for _, p := range parts {
		if n := len(list); n > 0 && !p.Supported && !list[n-1].Supported {
			last := &list[n-1]
			last.Last, last.Refusals = p.Last, append(last.Refusals, p.Refusals...)
			last.Whole = ""
			last.cut(model)
			continue
		}
		list = append(list, p)
	}
	return list
}

// cut makes a model from the part alone and stores it in p. If that fails, it stores the reason.
func (p *Part) cut(model *loaders.Model) {
	part, err := model.CutNodes(p.First, p.Last)
	p.Model = part
	if err != nil {
		p.Whole = err.Error()
	}
}
