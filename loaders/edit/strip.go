package edit

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Polygraphy and TensorRT use these texts to mark models and initializers without weights.
const (
	weightless = "TRT_WEIGHTLESS"
	sparse24   = "SPARSE_2_4"
)

// These are the field numbers of doc_string in ModelProto and TensorProto.
const (
	modelDoc  protowire.Number = 6
	tensorDoc protowire.Number = 12
)

// StripWeights returns the model without the data of its weights, and the names of the stripped
// initializers. Types and shapes stay. It strips the constants of Conv, ConvTranspose, Gemm and
// MatMul, even if they pass through a Transpose, or through a QuantizeLinear and DequantizeLinear.
// It also strips large constants of Gather and Slice, and all constants of custom operators. As
// with Polygraphy's surgeon weight-strip, each initializer's doc_string records that it was
// stripped and whether it was 2:4 sparse, so that [ReconstructWeights] and Polygraphy can fill in
// other weights. Use such a model to build engines whose weights are set later; no engine can run
// it, and ONNX's checker rejects it.
//
// Initializers in except, and all initializers of type uint8, are kept. It is an error if a name in
// except is unknown.
func StripWeights(m *loaders.Model, except ...string) (stripped *loaders.Model, names []string,
	err error) {
	sparse, err := sparseWeights(m)
	if err != nil {
		return nil, nil, err
	}
	stripped, err = rewrite(m, func(r *rewriting) error {
		strip, err := strippable(m, r, except)
		if err != nil {
			return err
		}
		said := len(strip) == 0
		doc, err := docOf(r.Source)
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			switch {
			case in == onnxwire.ModelMessage && f.Number == modelDoc:
				return len(strip) > 0, nil
			case in == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph && !said:
				said = true
				out.Write(onnxwire.AppendText(nil, modelDoc, marked(doc)))
			case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphInitializer:
				name, err := initializerName(r.Source, f)
				if err != nil || !strip[name] {
					return false, err
				}
				names = append(names, name)
				doc := weightless + "/"
				if slices.Contains(sparse, name) {
					doc += sparse24
				}
				return true, withoutData(r, out, f, doc)
			}
			return false, nil
		}
		return err
	})
	return stripped, names, err
}

// marked adds to a model's documentation a text that says that weights are missing.
func marked(doc string) string {
	switch {
	case doc == "":
		return weightless
	case strings.HasSuffix(doc, weightless):
		return doc
	}
	return doc + "-" + weightless
}

func docOf(source onnxwire.Source) (doc string, err error) {
	err = onnxwire.Walk(source, onnxwire.Span{End: source.Size()}, func(f onnxwire.Field) error {
		if f.Number != modelDoc {
			return nil
		}
		text, err := onnxfile.ReadSpan(source, f.Body)
		doc = string(text)
		return err
	})
	return doc, err
}

// initializerName returns the name of a TensorProto without reading its data.
func initializerName(source onnxwire.Source, f onnxwire.Field) (name string, err error) {
	err = onnxwire.Walk(source, f.Body, func(f onnxwire.Field) error {
		if f.Number != tensorName {
			return nil
		}
		text, err := onnxfile.ReadSpan(source, f.Body)
		name = string(text)
		return err
	})
	return name, err
}

const tensorName protowire.Number = 8

// withoutData writes an initializer without its data and with new documentation.
func withoutData(r *rewriting, out *spliced, f onnxwire.Field, doc string) error {
	weight := r.Splice()
	err := onnxwire.Walk(r.Source, f.Body, func(f onnxwire.Field) error {
		if !onnxfile.IsTensorData(f.Number) && f.Number != tensorDoc {
			weight.Copy(f.Whole)
		}
		return nil
	})
	weight.Write(onnxwire.AppendText(nil, tensorDoc, doc))
	out.Embed(f.Number, weight)
	return err
}

// largeConstant is the minimum number of elements for a constant of Gather or Slice to count as a
// weight.
const largeConstant = 1024

// strippedInputs lists the operators whose constants are weights, with the inputs that may pass
// through a quantizer or a Transpose.
var strippedInputs = map[string][]int{
	"Conv": {0}, "ConvTranspose": {0}, "Gemm": {0, 1, 2}, "MatMul": {0, 1},
}

// strippable returns the initializers to strip.
func strippable(m *loaders.Model, r *rewriting, except []string) (map[string]bool, error) {
	graph := &m.File().Structure.Graph
	weights := map[string]*onnxwire.Tensor{}
	for i := range graph.Initializers {
		if t := &graph.Initializers[i]; !t.Sparse {
			weights[t.Name] = t
		}
	}
	for _, name := range except {
		if weights[name] == nil {
			return nil, fmt.Errorf("no initializer %q to exclude from stripping", name)
		}
	}
	makers := map[string]onnxwire.Node{} // quantizers and transposes
	strip := map[string]bool{}
	take := func(name string, least int64) {
		t := weights[name]
		if t == nil || slices.Contains(except, name) || onnxfile.ElementTypeOf(t.Type) == tensor.Uint8 {
			return
		}
		elements := int64(1)
		for _, d := range t.Dims {
			elements *= max(d, 0)
		}
		if elements >= least {
			strip[name] = true
		}
	}
	return strip, onnxfile.Each(r.Reader, &graph.Nodes, func(_ int, n *onnxwire.Node) error {
		fed, weighs := strippedInputs[n.Op]
		switch {
		case !onnxfile.IsONNX(n.Domain): // a custom operator
			for _, name := range n.Inputs {
				take(name, 1)
			}
		case weighs:
			for k, name := range n.Inputs {
				take(name, 1)
				if maker, made := makers[name]; made && slices.Contains(fed, k) {
					take(feeding(maker, makers), 1)
				}
			}
		case n.Op == "Gather":
			for _, name := range n.Inputs {
				take(name, largeConstant)
			}
		case n.Op == "Slice" && len(n.Inputs) > 0:
			take(n.Inputs[0], largeConstant)
		case n.Op == "QuantizeLinear" || n.Op == "DequantizeLinear" || n.Op == "Transpose":
			for _, name := range n.Outputs {
				makers[name] = *n
			}
		}
		return nil
	})
}

// feeding returns the input of a Transpose, or of a QuantizeLinear that a DequantizeLinear follows.
func feeding(n onnxwire.Node, makers map[string]onnxwire.Node) string {
	if len(n.Inputs) == 0 {
		return ""
	}
	if n.Op != "DequantizeLinear" {
		if n.Op == "Transpose" {
			return n.Inputs[0]
		}
		return ""
	}
	if q := makers[n.Inputs[0]]; q.Op == "QuantizeLinear" && len(q.Inputs) > 0 {
		return q.Inputs[0]
	}
	return ""
}

// ReconstructWeights returns the model with random values for the weights that [StripWeights] or
// Polygraphy's weight-strip removed, and the names of those weights. The values are 2:4 sparse if
// the weights were. They are normally distributed and depend only on the weight's name and the
// seed.
//
// It is an error if no weights were stripped from the model.
func ReconstructWeights(m *loaders.Model, seed int64) (full *loaders.Model, names []string,
	err error) {
	axes, err := prunable(m)
	if err != nil {
		return nil, nil, err
	}
	full, err = rewrite(m, func(r *rewriting) error {
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			switch {
			case in == onnxwire.ModelMessage && f.Number == modelDoc:
				doc, err := onnxfile.ReadSpan(r.Source, f.Body)
				left := strings.TrimSuffix(strings.TrimSuffix(string(doc), weightless), "-")
				if left != "" {
					out.Write(onnxwire.AppendText(nil, modelDoc, left))
				}
				return true, err
			case in != onnxwire.GraphMessage || f.Number != onnxwire.GraphInitializer:
				return false, nil
			}
			doc, t, err := documented(r.Source, f)
			if err != nil || !strings.HasPrefix(doc, weightless) {
				return false, err
			}
			names = append(names, t.Name)
			axis := -1
			if at, found := axes[t.Name]; found && strings.HasSuffix(doc, sparse24) {
				axis = at.Sum
			}
			weight, err := randomWeight(t, seed, axis)
			if err != nil {
				return false, fmt.Errorf("initializer %q: %w", t.Name, err)
			}
			message, err := onnxpb.Append(nil, t.Name, weight)
			out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphInitializer, message))
			return true, err
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = m.File().Located(errors.New("the model has no stripped weights, so there is nothing to " +
			"reconstruct"))
	}
	return full, names, err
}

// documented returns a TensorProto and its doc_string.
func documented(source onnxwire.Source, f onnxwire.Field) (doc string, t *onnxwire.Tensor,
	err error) {
	var head []byte // the message without the data
	err = onnxwire.Walk(source, f.Body, func(f onnxwire.Field) error {
		if onnxfile.IsTensorData(f.Number) {
			return nil
		}
		field, err := onnxfile.ReadSpan(source, f.Whole)
		if f.Number == tensorDoc && err == nil {
			doc = string(field[f.Body.Start-f.Whole.Start:])
		}
		head = append(head, field...)
		return err
	})
	if err == nil {
		t, err = onnxfile.TensorIn(head)
	}
	return doc, t, err
}

// mostRandom is the maximum number of elements in a generated weight: a shape of a few bytes can
// declare any number.
const mostRandom = 1 << 30

// randomWeight generates a weight, 2:4 sparse along axis unless axis is negative.
func randomWeight(t *onnxwire.Tensor, seed int64, axis int) (*tensor.Tensor, error) {
	shape := make(tensor.Shape, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if n > mostRandom {
		return nil, fmt.Errorf("%v has more than %d elements", shape, mostRandom)
	}
	elem := onnxfile.ElementTypeOf(t.Type)
	hash := fnv.New64a()
	hash.Write([]byte(t.Name))
	random := rand.New(rand.NewPCG(uint64(seed), hash.Sum64()))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	if axis >= 0 {
		zeroSmallest(values, shape, axis, 2, 4)
	}
	switch {
	case elem.IsFloat() && elem.Bytes(1) > 1:
		weight, err := tensor.New(shape, values)
		if err != nil {
			return nil, err
		}
		return weight.Convert(elem)
	case elem == tensor.Int8:
		return integers[int8](shape, values)
	case elem == tensor.Int32:
		return integers[int32](shape, values)
	case elem == tensor.Int64:
		return integers[int64](shape, values)
	}
	return nil, fmt.Errorf("random weights of type %v are not supported", elem)
}

// integers returns a tensor of the values, truncated to integers.
func integers[T int8 | int32 | int64](shape tensor.Shape, values []float32) (*tensor.Tensor,
	error) {
	whole := make([]T, len(values))
	for i, v := range values {
		whole[i] = T(v)
	}
	return tensor.New(shape, whole)
}
