package locate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// BenchmarkDivergence searches models with a fault in the middle, both ways: cumulatively and each
// node alone. By turns with each search it opens and runs both models once with every tensor
// marked, which is what no search can do without. "times-marked" is the ratio of the two, each the
// least of all turns.
func BenchmarkDivergence(b *testing.B) {
	ort.Require(b)
	for _, c := range []searched{layered(167), layered(667), resnet18()} {
		b.Run(c.name, func(b *testing.B) {
			marked, search := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				runMarked(b, c.faulty)
				runMarked(b, c.expected)
				between := time.Now()
				found, err := locate.Divergence(b.Context(), c.faulty, c.expected, strict())
				marked, search = min(marked, between.Sub(start)), min(search, time.Since(between))
				if err != nil || found.First == nil || found.First.Index != c.first {
					b.Fatalf("got %v, %v", found, err)
				}
			}
			b.ReportMetric(marked.Seconds()*1e3, "ms-marked")
			b.ReportMetric(search.Seconds()*1e3, "ms-search")
			b.ReportMetric(float64(search)/float64(marked), "times-marked")
		})
	}
}

// searched is a model that is searched, and the node where it parts.
type searched struct {
	name             string
	faulty, expected backends.Subject
	first            int
}

// layered is a network of three nodes a layer whose middle one is another operator.
func layered(layers int) searched {
	faulty := network(layers)
	at := 3*(layers/2) + 1
	faulty.Nodes[at].Op = "Sub"
	return searched{fmt.Sprintf("%d nodes", 3*layers), side("actual", faulty),
		side("expected", network(layers)), at}
}

// runMarked opens and runs a model with every tensor marked.
func runMarked(b *testing.B, s backends.Subject) {
	model := s.Model.(*loaders.Model)
	all, err := model.Select(loaders.Selection{All: true})
	if err != nil {
		b.Fatal(err)
	}
	marked, err := model.Mark(all...)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := backends.RunIn(b.Context(), s.Engine, marked, s.Inputs); err != nil {
		b.Fatal(err)
	}
}

// resnet18 is that network of random weights, 45 MB, with one weight of layer 3 in which the
// sign of an element is turned.
func resnet18() searched {
	made := resnet{random: rand.New(rand.NewPCG(1, 2))}
	x := made.conv("image", 3, 64, 7, 2, true)
	x = made.node("MaxPool", []string{x}, attribute("kernel_shape", 3, 3),
		attribute("strides", 2, 2), attribute("pads", 1, 1, 1, 1))
	channels := int64(64)
	for stage, wide := range []int64{64, 128, 256, 512} {
		for block := range 2 {
			step, shortcut := int64(1), x
			if stage > 0 && block == 0 {
				step = 2
				shortcut = made.conv(x, channels, wide, 1, 2, false)
			}
			y := made.conv(x, channels, wide, 3, step, true)
			y = made.conv(y, wide, wide, 3, 1, false)
			x = made.node("Relu", []string{made.node("Add", []string{y, shortcut})})
			channels = wide
		}
	}
	x = made.node("Flatten", []string{made.node("GlobalAveragePool", []string{x})})
	made.graph.Initializers = append(made.graph.Initializers,
		weights("fc", made.random, 0.05, 512, 1000))
	made.graph.Nodes = append(made.graph.Nodes,
		onnxtest.Node{Op: "MatMul", In: []string{x, "fc"}, Out: []string{"logits"}})
	made.graph.Inputs = []onnxtest.Value{{Name: "image", Elem: 1, Dims: []any{1, 3, 224, 224}}}
	made.graph.Outputs = []onnxtest.Value{{Name: "logits", Elem: 1, Dims: []any{1, 1000}}}
	faulty := made.graph
	faulty.Initializers = slices.Clone(faulty.Initializers)
	const at = 12
	damaged := slices.Clone(faulty.Initializers[at].Raw)
	damaged[4*7+3] ^= 0x80
	faulty.Initializers[at].Raw = damaged
	first := slices.IndexFunc(faulty.Nodes, func(n onnxtest.Node) bool {
		return slices.Contains(n.In, faulty.Initializers[at].Name)
	})
	subject := func(name string, g onnxtest.Graph) backends.Subject {
		model := loaders.ONNXBytes(name, onnxtest.Model{Graph: g}.Bytes())
		return backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model, fixtures.Seed(1))}
	}
	return searched{"resnet18", subject("actual", faulty), subject("expected", made.graph), first}
}

// resnet is a graph while it is being made.
type resnet struct {
	graph  onnxtest.Graph
	random *rand.Rand
}

func (r *resnet) node(op string, in []string, attrs ...onnxtest.Attr) string {
	out := fmt.Sprintf("%s_%d", op, len(r.graph.Nodes))
	r.graph.Nodes = append(r.graph.Nodes, onnxtest.Node{Op: op, In: in, Out: []string{out},
		Attrs: attrs})
	return out
}

// conv is a convolution with a bias, and a Relu where it is active.
func (r *resnet) conv(x string, in, out, kernel, step int64, active bool) string {
	n := len(r.graph.Initializers)
	w, b := fmt.Sprint("w", n), fmt.Sprint("b", n+1)
	r.graph.Initializers = append(r.graph.Initializers,
		weights(w, r.random, math.Sqrt(2/float64(in*kernel*kernel)), out, in, kernel, kernel),
		weights(b, r.random, 0.1, out))
	pad := kernel / 2
	y := r.node("Conv", []string{x, w, b}, attribute("kernel_shape", kernel, kernel),
		attribute("strides", step, step), attribute("pads", pad, pad, pad, pad))
	if active {
		y = r.node("Relu", []string{y})
	}
	return y
}

func attribute(name string, values ...int64) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Ints: values}
}

// BenchmarkReduce bisects 2001 nodes for one that is wrong.
func BenchmarkReduce(b *testing.B) {
	ort.Require(b)
	const layers = 667
	faulty := network(layers)
	faulty.Nodes[1000].Op = "Sub"
	a, e := side("actual", faulty), side("expected", network(layers))
	fails, forget, err := locate.Differs(b.Context(), a, e, strict().Compare)
	if err != nil {
		b.Fatal(err)
	}
	defer forget()
	for b.Loop() {
		found, err := locate.Reduce(b.Context(), a, fails, locate.ReduceOptions{Recorder: e})
		if err != nil || len(found.Nodes) != 1 {
			b.Fatalf("got %v, %v", found, err)
		}
		b.ReportMetric(float64(found.Tried), "runs")
	}
}
