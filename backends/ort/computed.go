package ort

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// computed caches the results of [settings.computed] by model, version of ONNX Runtime and options,
// because reading the optimised graph takes as long as opening another session.
var computed sync.Map

// noteComputed sets [backends.Provenance.Computed]. It does nothing if the provenance lacks the
// model's checksum, as in the runs with which package noise measures rounding errors.
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

// computed returns the precision in which the model is computed, for
// [backends.Provenance.Computed]. It is "" if a provider does not reveal its precision, or if ONNX
// Runtime does not write its optimised graph.
func (s *settings) computed(ctx context.Context, model *loaders.Model) (string, error) {
	var lower []string
	for _, p := range s.order() {
		if p == onnxruntime.CUDA && s.ProviderOptions[p][useTF32] != "0" {
			lower = append(lower, "TF32 in CUDA matrix multiplications")
		} else if p != onnxruntime.CPU && p != onnxruntime.CUDA {
			return "", nil
		}
	}
	own, err := countLowering(model)
	if err != nil {
		return "", err
	}
	optimised := own
	fuses := s.Level != OptimizeNone && s.Level != OptimizeBasic
	if fuses && own["DequantizeLinear"] > 0 && own["MatMul"]+own["Gemm"] > 0 {
		quiet := *s
		quiet.log = nil
		graph, err := written(ctx, model, &quiet)
		if err != nil {
			return "", context.Cause(ctx)
		}
		if optimised, err = countLowering(graph); err != nil {
			return "", err
		}
	}
	if lower = append(lower, describeLowering(optimised, own)...); len(lower) > 0 {
		return strings.Join(lower, ", "), nil
	}
	if wide, err := model.HasFloat64(); err != nil || wide {
		return backends.Float64, err
	}
	return backends.Float32, nil
}

// countLowering counts everything in a model that may compute in a lower precision than float32,
// including in subgraphs and functions. The keys of the result are operators, accuracy levels
// ("accuracy_level 4"), target types of casts ("to 10"), and narrowValues.
func countLowering(model *loaders.Model) (map[string]int, error) {
	if err := model.Load(); err != nil {
		return nil, err
	}
	found := map[string]int{}
	err := model.File().EveryNode(func(n *onnxwire.Node, r *onnxwire.Reader) {
		found[n.Op]++
		if n.Op != "MatMulNBits" && n.Op != "Cast" {
			return
		}
		for _, a := range r.Attributes(n.Span) {
			found[a.Name+" "+a.Text]++
		}
	})
	weights, wrong := model.Initializers()
	inputs, wrongIn := model.Inputs()
	outputs, wrongOut := model.Outputs()
	if err = errors.Join(err, wrong, wrongIn, wrongOut); err != nil {
		return nil, err
	}
	types := make([]tensor.ElementType, 0, len(weights))
	for _, w := range weights {
		types = append(types, w.Type)
	}
	for _, v := range append(inputs, outputs...) {
		types = append(types, v.Type)
	}
	for _, t := range types {
		if t.IsFloat() && t.Bits() < 32 {
			found[narrowValues]++
		}
	}
	return found, nil
}

// narrowValues is the key under which [countLowering] counts weights, inputs and outputs of a
// floating-point type narrower than float32.
const narrowValues = "narrow values"

// describeLowering describes what the optimised graph computes in a lower precision than float32.
// graph and model are the counts from [countLowering] for the optimised graph and for the original
// model. Whatever has a lower precision in the model itself is left out, except a MatMulNBits whose
// accuracy level is above 1.
func describeLowering(graph, model map[string]int) (found []string) {
	for level := 2; level < len(accuracies); level++ {
		key, whose := fmt.Sprint("accuracy_level ", level), ""
		if model[key] > 0 {
			whose = ", set by the model"
		}
		if graph[key] > 0 {
			found = append(found, fmt.Sprintf("%s in %d MatMulNBits (accuracy level %d%s)",
				accuracies[level].Accuracy, graph[key], level, whose))
		}
	}
	dynamic := func(of map[string]int) int {
		return of["DynamicQuantizeLinear"] + of["DynamicQuantizeMatMul"] + of["DynamicQuantizeLSTM"]
	}
	if n := dynamic(graph); n > 0 && dynamic(model) == 0 {
		found = append(found,
			fmt.Sprintf("int8 in %d DynamicQuantizeLinear nodes inserted by the engine", n))
	}
	const toFloat16, toBFloat16 = "to 10", "to 16" // ONNX's numbers for the types
	narrow := model[toFloat16] + model[toBFloat16] + model[narrowValues]
	if n := graph[toFloat16] + graph[toBFloat16]; n > 0 && narrow == 0 {
		found = append(found,
			fmt.Sprintf("16-bit floats after %d Cast nodes inserted by the engine", n))
	}
	return found
}
