package ort

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// computed maps a model, a version of ONNX Runtime and options to the result of [settings.computed],
// because reading the optimised graph takes as long as opening another session.
var computed sync.Map

// noteComputed sets [backends.Provenance.Computed]. It leaves temporary runs alone, whose provenance
// lacks a checksum.
func (b *backend) noteComputed(ctx context.Context, s *settings) error {
	p := &b.provenance
	if p.ModelSHA256 == "" {
		return nil
	}
	key := [3]string{p.ModelSHA256, p.Version, b.engine.Text()}
	known, found := computed.Load(key)
	if !found {
		text, err := s.computed(ctx, b.model)
		if err != nil {
			return err
		}
		known, _ = computed.LoadOrStore(key, text)
	}
	p.Computed = known.(string)
	return nil
}

// computed returns the value of [backends.Provenance.Computed]. It is "" for providers that do not
// reveal their precision, and if ONNX Runtime does not write its optimised graph.
func (s *settings) computed(ctx context.Context, model *loaders.Model) (string, error) {
	var lower []string
	for _, p := range s.Providers {
		if p == onnxruntime.CUDA && s.ProviderOptions[p][useTF32] != "0" {
			lower = append(lower, "TF32 in CUDA's products")
		} else if p != onnxruntime.CPU && p != onnxruntime.CUDA {
			return "", nil
		}
	}
	own, err := lowering(model)
	if err != nil {
		return "", err
	}
	optimised := own
	fuses := s.Level != OptimizeNone && s.Level != OptimizeBasic
	if fuses && own.operators["DequantizeLinear"] > 0 &&
		own.operators["MatMul"]+own.operators["Gemm"] > 0 {
		quiet := *s
		quiet.log = nil
		graph, err := written(ctx, model, &quiet)
		if err != nil {
			return "", context.Cause(ctx)
		}
		if optimised, err = lowering(graph); err != nil {
			return "", err
		}
	}
	if lower = append(lower, optimised.beyond(own)...); len(lower) > 0 {
		return strings.Join(lower, ", "), nil
	}
	return backends.Float32, nil
}

// lowered holds what a graph computes in less than float32.
type lowered struct {
	operators map[string]int
	levels    map[int]int                // MatMulNBits nodes by their accuracy level
	casts     map[tensor.ElementType]int // Cast nodes by a result narrower than float32
	narrow    bool                       // the graph has values of 16 bits or fewer anyway
}

// lowering finds operators of low precision, in bodies and functions too.
func lowering(model *loaders.Model) (lowered, error) {
	found := lowered{operators: map[string]int{}, levels: map[int]int{},
		casts: map[tensor.ElementType]int{}}
	if err := model.Load(); err != nil {
		return found, err
	}
	err := model.File().EveryNode(func(n *onnxwire.Node, r *onnxwire.Reader) error {
		found.operators[n.Op]++
		if n.Op != "MatMulNBits" && n.Op != "Cast" {
			return nil
		}
		attributes, err := r.Attributes(n.Span)
		for _, a := range attributes {
			value, _ := strconv.Atoi(a.Text) // other attributes are not read
			switch {
			case a.Name == "accuracy_level" && value > 1:
				found.levels[value]++
			case a.Name == "to" && narrow(onnxfile.ElementTypeOf(int32(value))):
				found.casts[onnxfile.ElementTypeOf(int32(value))]++
			}
		}
		return err
	})
	if err != nil {
		return found, err
	}
	weights, err := model.Initializers()
	if err != nil {
		return found, err
	}
	found.narrow = len(found.casts) > 0 || slices.ContainsFunc(weights,
		func(w loaders.Initializer) bool { return narrow(w.Type) })
	for _, list := range []func() ([]loaders.Value, error){model.Inputs, model.Outputs} {
		values, err := list()
		if err != nil {
			return found, err
		}
		found.narrow = found.narrow || slices.ContainsFunc(values,
			func(v loaders.Value) bool { return narrow(v.Type) })
	}
	return found, nil
}

// narrow reports whether a type is a float narrower than float32.
func narrow(t tensor.ElementType) bool { return t.IsFloat() && t.Bits() < 32 }

// beyond describes what an optimised graph computes in less than float32. Only a product may be of
// the model's own choice: dynamic quantization and casts that the model has are not listed.
func (l lowered) beyond(own lowered) (found []string) {
	for _, level := range slices.Sorted(maps.Keys(l.levels)) {
		whose := ""
		if own.levels[level] > 0 {
			whose = ", the model's own"
		}
		name := "an unknown precision"
		if level < len(accuracies) {
			name = string(accuracies[level].Accuracy)
		}
		found = append(found, fmt.Sprintf("%s in %d MatMulNBits (accuracy level %d%s)", name,
			l.levels[level], level, whose))
	}
	dynamic := func(of lowered) (n int) {
		for operator, count := range of.operators {
			if strings.HasPrefix(operator, "DynamicQuantize") {
				n += count
			}
		}
		return n
	}
	if n := dynamic(l); n > 0 && dynamic(own) == 0 {
		found = append(found, fmt.Sprintf("int8 in %d DynamicQuantizeLinear that the model lacks", n))
	}
	if own.narrow {
		return found
	}
	for _, elem := range slices.Sorted(maps.Keys(l.casts)) {
		found = append(found, fmt.Sprintf("%v after %d Cast that the model lacks", elem,
			l.casts[elem]))
	}
	return found
}
