package bound_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// field is the folder of models from other projects' exporters.
const field = "../../conformance/field/testdata"

// unpacked reads a model of the field.
func unpacked(path string) *loaders.Model {
	packed, err := os.Open(path)
	Expect(err).NotTo(HaveOccurred())
	defer packed.Close() //nolint:errcheck // opened only for reading
	r, err := gzip.NewReader(packed)
	Expect(err).NotTo(HaveOccurred())
	data, err := io.ReadAll(r)
	Expect(err).NotTo(HaveOccurred())
	return loaders.ONNXBytes(filepath.Base(path), data)
}

// recorded is a node with what one run recorded of it.
type recorded struct {
	loaders.Node
	node   bound.Node
	output *tensor.Tensor
}

// record runs a model with every tensor marked.
func record(ctx context.Context, engine backends.Engine, m *loaders.Model,
	inputs fixtures.Inputs) ([]recorded, error) {
	nodes, err := m.Nodes()
	Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, n := range nodes {
		if n.Op != "ZipMap" && n.Op != "Constant" {
			for _, o := range n.Outputs {
				if o != "" {
					names = append(names, o)
				}
			}
		}
	}
	marked, err := m.Mark(names...)
	Expect(err).NotTo(HaveOccurred())
	run, err := backends.RunIn(ctx, engine, marked, inputs)
	if err != nil {
		return nil, err
	}
	subject := run.Subject()
	drawn, err := subject.Draw()
	Expect(err).NotTo(HaveOccurred())
	values := map[string]*tensor.Tensor{}
	for _, set := range []*tensor.Set{drawn[0], run.Outputs()[0]} {
		for name, t := range set.All() {
			values[name] = t
		}
	}
	given := map[string]bool{}
	for name := range drawn[0].All() {
		given[name] = true
	}
	weights, err := m.Initializers()
	Expect(err).NotTo(HaveOccurred())
	for _, w := range weights {
		values[w.Name], err = m.Weight(w.Name)
		Expect(err).NotTo(HaveOccurred())
		given[w.Name] = true
	}
	var list []recorded
	for _, n := range nodes {
		if n.Op == "Constant" {
			values[n.Outputs[0]], err = m.ConstantNode(n.Index)
			Expect(err).NotTo(HaveOccurred())
			given[n.Outputs[0]] = true
			continue
		}
		one := recorded{Node: n, output: values[n.Outputs[0]]}
		one.node, err = bound.Read(m, n.Index)
		Expect(err).NotTo(HaveOccurred())
		for _, in := range n.Inputs {
			one.node.Inputs = append(one.node.Inputs, bound.Input{Tensor: values[in],
				Rounded: !given[in]})
		}
		if one.output != nil {
			list = append(list, one)
		}
	}
	return list, nil
}

var engines = map[string]backends.Engine{
	"ort_none": ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)), "ort_all": ort.Engine(),
	"openvino": openvino.Engine(openvino.Precision(openvino.Float32)), "tract": tract.Engine()}

// fuses says that an engine computes some tensors from others than their own nodes' inputs, even if
// all are outputs: OpenVINO makes one Gelu of a Div, an Erf, an Add and a Mul, and adds before it
// quantizes. Such nodes are judged alone.
const fuses = "openvino"

var _ = Describe("correct engines on models of the field", func() {
	models, err := filepath.Glob(field + "/*/*.onnx.gz")
	if err != nil || len(models) == 0 {
		panic("no models of the field")
	}
	for _, path := range models {
		family, inputs := filepath.Base(filepath.Dir(path)), filepath.Join(filepath.Dir(path),
			"inputs.npz")
		for name, engine := range engines {
			It(fmt.Sprintf("stay within the bounds: %s of %s in %s", filepath.Base(path), family, name),
				func(ctx SpecContext) {
					requires(name)
					m := unpacked(path)
					list, err := record(ctx, engine, m, fixtures.Load(inputs))
					if err != nil { // an operator that the engine lacks
						Expect(errors.As(err, new(*backends.Refusal))).To(BeTrue(), err.Error())
						AddReportEntry("refused", err.Error())
						return
					}
					for _, r := range list {
						got, err := bound.Judge(ctx, r.node, arithmetic(r.node), r.output, nil)
						if errors.As(err, new(*bound.Unknown)) {
							continue
						}
						Expect(err).NotTo(HaveOccurred(), "%s %s", r.Op, r.Name)
						if got.Ratio > 1 && name == fuses {
							got = ratio(ctx, r.node, alone(ctx, engine, m, r, nil))
						}
						Expect(got.Ratio).To(BeNumerically("<=", 1), "%s %s: %+v", r.Op, r.Name, got)
						Expect(got.Usual).To(BeNumerically("<", 4), "%s %s: %+v", r.Op, r.Name, got)
						Expect(got.Open).To(BeNumerically("<", got.Judged), "%s %s: %+v", r.Op, r.Name, got)
					}
				})
		}
	}
})

// requires skips the spec if the machine lacks the engine.
func requires(name string) {
	switch name {
	case "openvino":
		openvino.Require(GinkgoT())
	case "tract":
		tract.Require(GinkgoT())
	default:
		ort.Require(GinkgoT())
	}
}

// alone runs one node on recorded inputs, some of which may be changed.
func alone(ctx context.Context, engine backends.Engine, m *loaders.Model, r recorded,
	changed map[int]*tensor.Tensor) *tensor.Tensor {
	var given []loaders.Value
	var entries []tensor.Entry
	for i, name := range r.Inputs {
		t := r.node.Inputs[i].Tensor
		if changed[i] != nil {
			t = changed[i]
		}
		if t == nil || slices.ContainsFunc(given, func(v loaders.Value) bool { return v.Name == name }) {
			continue
		}
		v := loaders.Value{Name: name, Type: t.ElementType(), HasShape: true}
		for _, d := range t.Shape() {
			v.Dims = append(v.Dims, loaders.Dim{Size: d})
		}
		given, entries = append(given, v), append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	part, err := m.Cut(given, []loaders.Value{{Name: r.Outputs[0], Type: r.output.ElementType()}})
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	run, err := backends.RunIn(ctx, engine, part, fixtures.Of(set))
	Expect(err).NotTo(HaveOccurred(), "%s %s", r.Op, r.Name)
	set = run.Outputs()[0]
	return set.At(0).Tensor
}
