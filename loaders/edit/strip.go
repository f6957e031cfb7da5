package edit

import (
	"cmp"
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
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Polygraphy and TensorRT use these strings to mark models and initializers without weights.
const (
	weightless = "TRT_WEIGHTLESS"
	sparse24   = "SPARSE_2_4"
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
	axes, err := prunable(m)
	if err != nil {
		return nil, nil, err
	}
	stripped, err = rewrite(m, func(r *rewriting) {
		strip, err := strippable(m, r, except)
		r.Fail(err)
		said := len(strip) == 0
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			switch {
			case in == onnxwire.ModelMessage && f.Number == onnxwire.ModelDoc:
				return len(strip) > 0
			case in == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph && !said:
				said = true
				doc := marked(docOf(r, r.Whole(), onnxwire.ModelDoc))
				out.Write(onnxwire.AppendText(nil, onnxwire.ModelDoc, doc))
			case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphInitializer:
				name := r.Tensor(f.Body).Name
				if !strip[name] {
					return false
				}
				if strings.HasPrefix(docOf(r, f.Body, onnxwire.TensorDoc), weightless) {
					r.Fail(fmt.Errorf("initializer %q is already stripped: strip the complete model, or "+
						"reconstruct the weights of this one first", name))
				}
				names = append(names, name)
				doc := weightless + "/"
				if axis, found := axes[name]; found {
					sparse, err := isSparse(m, name, axis)
					if r.Fail(err); sparse {
						doc += sparse24
					}
				}
				weight := r.TensorWithout(f.Body)
				weight.Write(onnxwire.AppendText(nil, onnxwire.TensorDoc, doc))
				out.Embed(f.Number, weight)
				return true
			}
			return false
		}
	})
	return stripped, names, err
}

// isSparse reports whether a weight is 2:4 sparse along an axis.
func isSparse(m *loaders.Model, name string, axis int) (bool, error) {
	w, err := m.Weight(name)
	if err != nil || axis >= len(w.Shape()) || w.Shape()[axis]%4 != 0 || !w.ElementType().IsFloat() {
		return false, err
	}
	dense, groups := onnxfile.DenseGroups(w, axis)
	return dense == 0 && groups > 0, nil
}

// marked adds a note to a model's documentation that weights are missing.
func marked(doc string) string {
	switch {
	case doc == "":
		return weightless
	case strings.HasSuffix(doc, weightless):
		return doc
	}
	return doc + "-" + weightless
}

// docOf returns the documentation that a message contains in the given field.
func docOf(r *rewriting, message onnxwire.Span, field protowire.Number) (doc string) {
	for f := range r.Fields(message) {
		if f.Number == field {
			doc = string(r.Bytes(f.Body))
		}
	}
	return doc
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
	makers := map[string]*onnxwire.Node{} // quantizers and transposes
	strip := map[string]bool{}
	take := func(name string, least int) {
		t := weights[name]
		if t == nil || slices.Contains(except, name) || onnxfile.ElementTypeOf(t.Type) == tensor.Uint8 {
			return
		}
		if n, err := onnxfile.ShapeOf(t).Elements(); err == nil && n >= least {
			strip[name] = true
		}
	}
	for _, n := range r.Nodes(graph.Nodes) {
		fed, weighs := strippedInputs[n.Op]
		switch {
		case !onnxfile.IsONNX(n.Domain): // a custom operator
			for _, name := range n.Inputs {
				take(name, 1)
			}
		case weighs:
			for k, name := range n.Inputs {
				take(name, 1)
				if slices.Contains(fed, k) {
					take(feeding(name, makers), 1)
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
				makers[name] = n
			}
		}
	}
	return strip, nil
}

// feeding returns the tensor from which a given tensor is computed by a Transpose, or by a
// QuantizeLinear and a DequantizeLinear. It returns "" if there is none.
func feeding(name string, makers map[string]*onnxwire.Node) string {
	through := func(name, op string) string {
		if n := makers[name]; n != nil && n.Op == op && len(n.Inputs) > 0 {
			return n.Inputs[0]
		}
		return ""
	}
	return cmp.Or(through(name, "Transpose"),
		through(through(name, "DequantizeLinear"), "QuantizeLinear"))
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
	full, err = rewrite(m, func(r *rewriting) {
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			switch {
			case in == onnxwire.ModelMessage && f.Number == onnxwire.ModelDoc:
				doc := string(r.Bytes(f.Body))
				if left := strings.TrimSuffix(strings.TrimSuffix(doc, weightless), "-"); left != "" {
					out.Write(onnxwire.AppendText(nil, onnxwire.ModelDoc, left))
				}
				return true
			case in != onnxwire.GraphMessage || f.Number != onnxwire.GraphInitializer:
				return false
			}
			doc := docOf(r, f.Body, onnxwire.TensorDoc)
			if !strings.HasPrefix(doc, weightless) {
				return false
			}
			t := r.Tensor(f.Body)
			names = append(names, t.Name)
			axis, found := axes[t.Name]
			if !found || !strings.HasSuffix(doc, sparse24) {
				axis = -1
			}
			weight, err := randomWeight(&t, seed, axis)
			if err == nil {
				var message []byte
				message, err = onnxpb.Append(nil, t.Name, weight)
				out.WriteMessage(onnxwire.GraphInitializer, message)
			}
			if err != nil {
				r.Fail(fmt.Errorf("initializer %q: %w", t.Name, err))
			}
			return true
		}
	})
	if err == nil && len(names) == 0 {
		err = m.File().Located(errors.New("the model has no stripped weights, so there is nothing to " +
			"reconstruct"))
	}
	return full, names, err
}

// mostRandom is the maximum number of elements in a generated weight: a shape of a few bytes can
// declare any number.
const mostRandom = 1 << 30

// randomWeight generates a weight, 2:4 sparse along axis unless axis is negative.
func randomWeight(t *onnxwire.Tensor, seed int64, axis int) (*tensor.Tensor, error) {
	shape := onnxfile.ShapeOf(t)
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if n > mostRandom {
		return nil, fmt.Errorf("shape %v has more than %d elements", shape, mostRandom)
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
		zeroSmallest(values, shape, axis)
	}
	return sets.Pack(elem, shape, values)
}
