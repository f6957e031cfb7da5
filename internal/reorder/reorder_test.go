package reorder_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// networks round in every way that the package knows.
var networks = map[string]network{
	"MatMul": {[]int{4, 300}, []onnxtest.Tensor{weight("w", 300, 5)},
		[]onnxtest.Node{node("MatMul", "x w")}, 0},
	"MatMul by a Constant node": {[]int{4, 300}, nil, []onnxtest.Node{
		{Op: "Constant", Out: []string{"w"}, Attrs: []onnxtest.Attr{{Name: "value",
			Tensor: new(weight("", 300, 5))}}}, node("MatMul", "x w")}, 0},
	"MatMul of ranks 3 and 1": {[]int{2, 4, 300}, []onnxtest.Tensor{weight("w", 300)},
		[]onnxtest.Node{node("MatMul", "x w")}, 0},
	"Gemm": {[]int{300, 4}, []onnxtest.Tensor{weight("w", 5, 300), weight("b", 5)},
		[]onnxtest.Node{node("Gemm", "x w b", of("transA", 1), of("transB", 1))}, 0},
	"Conv": {[]int{1, 32, 6, 6}, []onnxtest.Tensor{weight("w", 4, 32, 3, 3), weight("b", 4)},
		[]onnxtest.Node{node("Conv", "x w b")}, 0},
	"Conv of few channels": {[]int{1, 3, 9, 9}, []onnxtest.Tensor{weight("w", 4, 3, 7, 7),
		weight("b", 4)}, []onnxtest.Node{node("Conv", "x w b")}, 0},
	"Conv by channel": {[]int{1, 32, 9, 9}, []onnxtest.Tensor{weight("w", 32, 1, 5, 5)},
		[]onnxtest.Node{node("Conv", "x w", of("group", 32))}, 0},
	"ConvTranspose": {[]int{1, 32, 6, 6}, []onnxtest.Tensor{weight("w", 32, 4, 3, 3)},
		[]onnxtest.Node{node("ConvTranspose", "x w")}, 0},
	"LSTM": {[]int{3, 1, 8}, []onnxtest.Tensor{weight("w", 1, 64, 8), weight("r", 1, 64, 16)},
		[]onnxtest.Node{node("LSTM", "x w r", of("hidden_size", 16))}, 0},
	"ReduceMean of opset 18": {[]int{3, 5000}, []onnxtest.Tensor{integers("axes", -1)},
		[]onnxtest.Node{node("ReduceMean", "x axes")}, 0},
	"ReduceSumSquare of opset 13": {[]int{3, 5000}, nil, []onnxtest.Node{node("ReduceSumSquare", "x",
		onnxtest.Attr{Name: "axes", Ints: []int64{1}})}, 13},
	"ReduceL2 of everything": {[]int{3, 5000}, nil, []onnxtest.Node{node("ReduceL2", "x")}, 0},
	"GlobalAveragePool": {[]int{1, 3, 40, 50}, nil,
		[]onnxtest.Node{node("GlobalAveragePool", "x")}, 0},
	"LayerNormalization": {[]int{4, 100}, []onnxtest.Tensor{weight("s", 100), weight("b", 100)},
		[]onnxtest.Node{node("LayerNormalization", "x s b")}, 0},
	"InstanceNormalization": {[]int{1, 3, 20, 20}, []onnxtest.Tensor{weight("s", 3), weight("b", 3)},
		[]onnxtest.Node{node("InstanceNormalization", "x s b")}, 0},
	"Softmax": {[]int{4, 100}, nil, []onnxtest.Node{node("Softmax", "x")}, 0},
	"Sigmoid": {[]int{4, 100}, nil, []onnxtest.Node{node("Sigmoid", "x")}, 0},
	"Mul": {[]int{4, 100}, []onnxtest.Tensor{weight("w", 100)},
		[]onnxtest.Node{node("Mul", "x w")}, 0},
	"Resize": {[]int{1, 1, 8, 8}, []onnxtest.Tensor{integers("sizes", 1, 1, 13, 13)},
		[]onnxtest.Node{node("Resize", "x - - sizes",
			onnxtest.Attr{Name: "mode", Text: "linear"})}, 0},
	"MatMul of opset 7": {[]int{4, 300}, []onnxtest.Tensor{weight("w", 300, 5)},
		[]onnxtest.Node{node("MatMul", "x w")}, 7},
	"Conv of few channels of opset 9": {[]int{1, 3, 9, 9}, []onnxtest.Tensor{weight("w", 4, 3, 7, 7)},
		[]onnxtest.Node{node("Conv", "x w")}, 9},
	"ReduceMean and InstanceNormalization of opset 9": {[]int{1, 3, 20, 20},
		[]onnxtest.Tensor{weight("s", 3), weight("b", 3)}, []onnxtest.Node{
			{Op: "InstanceNormalization", In: []string{"x", "s", "b"}, Out: []string{"n"}},
			node("ReduceMean", "n", onnxtest.Attr{Name: "axes", Ints: []int64{2}})}, 9},
	"If": {[]int{4, 300}, []onnxtest.Tensor{weight("w", 300, 5), truth(true)},
		[]onnxtest.Node{node("If", "yes", then(onnxtest.Node{Op: "MatMul", In: []string{"x", "w"},
			Out: []string{"inner"}}), otherwise(onnxtest.Node{Op: "Softmax", In: []string{"x"},
			Out: []string{"inner"}}))}, 0},
	"If in an If": {[]int{4, 300}, []onnxtest.Tensor{weight("w", 300, 5), truth(false)},
		[]onnxtest.Node{node("If", "yes", then(onnxtest.Node{Op: "Abs", In: []string{"x"},
			Out: []string{"inner"}}), otherwise(
			onnxtest.Node{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"reordered/1"}},
			onnxtest.Node{Op: "Not", In: []string{"yes"}, Out: []string{"no"}},
			onnxtest.Node{Op: "If", In: []string{"no"}, Out: []string{"inner"}, Attrs: []onnxtest.Attr{
				then(onnxtest.Node{Op: "ReduceSum", In: []string{"reordered/1"}, Out: []string{"inner"}}),
				otherwise(onnxtest.Node{Op: "Neg", In: []string{"x"}, Out: []string{"inner"}})}}))}, 0},
	"Loop": {[]int{4, 40}, []onnxtest.Tensor{weight("w", 40, 40), truth(true), integers("three", 3)},
		[]onnxtest.Node{node("Loop", "three yes x", onnxtest.Attr{Name: "body", Graph: &onnxtest.Graph{
			Name: "body",
			Inputs: []onnxtest.Value{{Name: "i", Elem: 7, Dims: []any{}}, {Name: "on", Elem: 9,
				Dims: []any{}}, {Name: "v", Elem: 1, Dims: []any{4, 40}}},
			Nodes: []onnxtest.Node{{Op: "Identity", In: []string{"on"}, Out: []string{"go"}},
				{Op: "MatMul", In: []string{"v", "w"}, Out: []string{"m"}},
				{Op: "Tanh", In: []string{"m"}, Out: []string{"next"}}},
			Outputs: []onnxtest.Value{{Name: "go", Elem: 9}, {Name: "next", Elem: 1}}}})}, 0},
	"Scan": {[]int{3, 40}, []onnxtest.Tensor{weight("w", 40, 40)},
		[]onnxtest.Node{node("Scan", "x", of("num_scan_inputs", 1), onnxtest.Attr{Name: "body",
			Graph: &onnxtest.Graph{Name: "body",
				Inputs:  []onnxtest.Value{{Name: "row", Elem: 1, Dims: []any{40}}},
				Nodes:   []onnxtest.Node{{Op: "MatMul", In: []string{"row", "w"}, Out: []string{"m"}}},
				Outputs: []onnxtest.Value{{Name: "m", Elem: 1}}}})}, 0},
	"CumSum": {[]int{4, 100}, []onnxtest.Tensor{integers("axis", 1)},
		[]onnxtest.Node{node("CumSum", "x axis")}, 0},
}

func TestRewrittenModelsComputeTheSameWithOtherRoundings(t *testing.T) {
	ort.Require(t)
	for name, n := range networks {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, inputs := n.model(), n.inputs(t)
			r, err := rewritten(t, m)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Rounds).To(BeNumerically(">", 0))
			jittered := r.Jittered
			delete(jittered, name) // LSTM and CumSum
			g.Expect(jittered).To(BeEmpty())
			expected := runs(t, m, inputs, 1)[0]
			scale := 0.0
			for _, v := range expected {
				scale = max(scale, math.Abs(v))
			}
			all := runs(t, r.Model, inputs, 8)
			moved := false
			for _, run := range all {
				g.Expect(run).To(HaveLen(len(expected)))
				for i, v := range run {
					moved = moved || v != all[0][i]
					g.Expect(v).To(BeNumerically("~", expected[i], 1e-5*scale), "element %d", i)
				}
			}
			g.Expect(moved).To(BeTrue(), "all runs are equal")
			g.Expect(runs(t, r.Model, inputs, 8)).To(Equal(all), "another session gives other runs")
		})
	}
}

// spread is the greatest distance of an element's values in the runs of a network, in units of u
// (half the distance of 1 and the next number) times scale(i, y) for element i of value y.
func spread(t *testing.T, n network, x []float32, count int,
	scale func(y float64) float64) float64 {
	t.Helper()
	r, err := rewritten(t, n.model())
	if err != nil {
		t.Fatal(err)
	}
	all := runs(t, r.Model, fixtures.Of(set(t, "x", n.shape, x)), count)
	widest := 0.0
	for i := range all[0] {
		low, high := all[0][i], all[0][i]
		for _, run := range all {
			low, high = min(low, run[i]), max(high, run[i])
		}
		widest = max(widest, (high-low)/scale(high)/0x1p-24)
	}
	return widest
}

// Engines differ by some units in the last place in each function, and by some last bits of its
// range where its result is small. Some end before the end of the range, but only there.
func TestFunctionsHaveTheErrorsOfOtherEngines(t *testing.T) {
	ort.Require(t)
	for op, of := range map[string]struct{ width, floor, end float64 }{"Exp": {8, 0, 0},
		"Log": {8, 1, 0}, "Erf": {16, 10, 0}, "Sigmoid": {6, 1, 10}, "Tanh": {8, 1, 12},
		"Softplus": {16, 12, 60}, "Sin": {8, 4, 0}, "Softmax": {6, 0, 0}, "Elu": {8, 4, 0},
		"Selu": {20, 40, 0}, "Mish": {18, 10, 0}, "HardSwish": {4, 1, 0}} {
		for _, from := range []float32{2, -6, -30} { // at -30, many are saturated
			if from < 0 && op == "Log" {
				continue
			}
			n := network{shape: []int{1, 512}, nodes: []onnxtest.Node{node(op, "x")}}
			x := make([]float32, 512)
			for i := range x {
				x[i] = from + float32(i)/1024
			}
			floor, near := of.floor, 0.25
			if from == -30 && of.end > 0 { // three errors, which are rarely all at their greatest
				floor, near = floor+of.end, 0.4
			}
			found := spread(t, n, x, 64, func(y float64) float64 {
				return of.width*math.Abs(y) + 2*floor
			})
			if from > 0 || of.floor > 0 {
				NewWithT(t).Expect(found).To(BeNumerically("~", 1, near), "%s from %v", op, from)
			}
		}
	}
}

// The sum of a long Softmax has the greater part of its error.
func TestLongSoftmaxIsLessAccurate(t *testing.T) {
	ort.Require(t)
	n := network{shape: []int{1, 1 << 20}, nodes: []onnxtest.Node{node("Softmax", "x")}}
	found := spread(t, n, numbers(3, n.shape), 4, func(y float64) float64 { return y })
	NewWithT(t).Expect(found).To(BeNumerically("~", 6*math.Sqrt(17), 5)) // 6·√(1 + 2²⁰/2¹⁶)
}

// A mean is off by some units in its last place, which is much in units of a small deviation.
func TestLayerNormalizationHasTheErrorOfItsMean(t *testing.T) {
	ort.Require(t)
	const mean = 1000 // times the deviation
	n := network{shape: []int{8, 256}, weights: []onnxtest.Tensor{weight("s", 256), weight("b", 256)},
		nodes: []onnxtest.Node{node("LayerNormalization", "x s b")}}
	x := numbers(3, n.shape)
	for i := range x {
		x[i] += mean
	}
	NewWithT(t).Expect(spread(t, n, x, 32, func(float64) float64 { return 1 })).To(
		BeNumerically(">", mean)) // that is 1.5 units of the mean, times a weight
}

// A sum of numbers of very different magnitudes shows that their order changes: what it loses
// depends on when the great ones are added.
func TestSumsAreAddedInOtherOrders(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	values := make([]float32, 64)
	for i := range values {
		values[i] = 1
	}
	values[0], values[1] = 1<<24, -1<<24
	ones := make([]float32, 64)
	for i := range ones {
		ones[i] = 1
	}
	n := network{shape: []int{1, 64}, weights: []onnxtest.Tensor{{Name: "w", Type: 1,
		Dims: []int64{64, 1}, Raw: onnxtest.Float32s(ones...)}},
		nodes: []onnxtest.Node{node("MatMul", "x w")}}
	inputs := fixtures.Of(set(t, "x", n.shape, values))
	r, err := rewritten(t, n.model())
	g.Expect(err).NotTo(HaveOccurred())
	seen := map[string]bool{}
	for _, run := range runs(t, r.Model, inputs, 32) {
		seen[fmt.Sprint(run)] = true
	}
	g.Expect(len(seen)).To(BeNumerically(">", 2))
}

func TestSizesAndIndicesStayAsTheyAre(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	// The size is computed in floats: 8·1.5 = 12, which must not become 11.99.
	factor := onnxtest.Tensor{Name: "factor", Type: 1, Dims: []int64{4},
		Raw: onnxtest.Float32s(1, 1, 1.5, 1.5)}
	n := network{shape: []int{1, 1, 8, 8}, weights: []onnxtest.Tensor{factor},
		nodes: []onnxtest.Node{
			{Op: "Shape", In: []string{"x"}, Out: []string{"shape"}},
			{Op: "Cast", In: []string{"shape"}, Out: []string{"float"}, Attrs: []onnxtest.Attr{of("to", 1)}},
			{Op: "Mul", In: []string{"float", "factor"}, Out: []string{"product"}},
			{Op: "Floor", In: []string{"product"}, Out: []string{"floor"}},
			{Op: "Cast", In: []string{"floor"}, Out: []string{"sizes"}, Attrs: []onnxtest.Attr{of("to", 7)}},
			node("Resize", "x - - sizes"),
		}}
	r, err := rewritten(t, n.model())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Rounds).To(Equal(0))
	for _, run := range runs(t, r.Model, n.inputs(t), 8) {
		g.Expect(run).To(HaveLen(144))
	}
	ids := network{shape: []int{3}, weights: []onnxtest.Tensor{weight("w", 9, 2)},
		nodes: []onnxtest.Node{
			{Op: "Cast", In: []string{"x"}, Out: []string{"ids"}, Attrs: []onnxtest.Attr{of("to", 7)}},
			node("Gather", "w ids"),
		}}
	g.Expect(reorder.Fixed(ids.model())).To(Equal(map[string]bool{"x": true}))
	chosen := onnxtest.Node{Op: "Where", In: []string{"c", "a", "b"}, Out: []string{"y"}}
	for _, op := range []string{"Equal", "Less", "Greater"} {
		compared := network{shape: []int{3}, weights: []onnxtest.Tensor{weight("w", 3), weight("a", 3),
			weight("b", 3)}, nodes: []onnxtest.Node{
			{Op: op, In: []string{"x", "w"}, Out: []string{"c"}}, chosen}}
		g.Expect(reorder.Fixed(compared.model())).To(Equal(map[string]bool{"x": true, "w": true}), op)
	}
	hot := network{shape: []int{3}, weights: []onnxtest.Tensor{integers("depth", 9),
		weight("values", 2)}, nodes: []onnxtest.Node{node("OneHot", "x depth values")}}
	g.Expect(reorder.Fixed(hot.model())).To(Equal(map[string]bool{"x": true, "depth": true}))
}

// What both engines share exactly must agree exactly.
func TestInputsAndWeightsDoNotMove(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	n := network{shape: []int{1, 300}, weights: []onnxtest.Tensor{weight("w", 300, 5),
		weight("v", 300, 1)}, nodes: []onnxtest.Node{
		{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"product"}},
		{Op: "Relu", In: []string{"x"}, Out: []string{"input"}},
		{Op: "Transpose", In: []string{"v"}, Out: []string{"weight"}},
		node("Concat", "input weight product", of("axis", 1))}}
	r, err := rewritten(t, n.model())
	g.Expect(err).NotTo(HaveOccurred())
	expected := runs(t, n.model(), n.inputs(t), 1)[0]
	for _, run := range runs(t, r.Model, n.inputs(t), 4) {
		g.Expect(run[:600]).To(Equal(expected[:600]))
		g.Expect(run[600:]).NotTo(Equal(expected[600:]))
	}
}

func TestModelsThatCannotBeRewritten(t *testing.T) {
	ort.Require(t)
	for says, n := range map[string]network{
		"reordering sums requires opset 7 or later, got opset 6": {[]int{2, 3}, nil,
			[]onnxtest.Node{node("Sigmoid", "x")}, 6},
	} {
		_, err := rewritten(t, n.model())
		NewWithT(t).Expect(err).To(MatchError(says))
	}
}

// Opset 9 draws permutations of known sizes only.
func TestSumsOfUnknownLengthMoveBelowOpset10(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	n := network{shape: []int{2, 3}, opset: 9, nodes: []onnxtest.Node{
		{Op: "NonZero", In: []string{"x"}, Out: []string{"i"}},
		{Op: "Cast", In: []string{"i"}, Out: []string{"f"}, Attrs: []onnxtest.Attr{of("to", 1)}},
		{Op: "Mul", In: []string{"f", "f"}, Out: []string{"m"}},
		node("ReduceSum", "m", onnxtest.Attr{Name: "axes", Ints: []int64{-1}})}}
	r, err := rewritten(t, n.model())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Text()).To(Equal(
		"the sums of 1 ReduceSum cannot be reordered, so small random errors were added to their " +
			"inputs instead"))
	runs(t, r.Model, n.inputs(t), 2)
}

func TestBareModelsGetTheirWeightsAsInputs(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	n := network{shape: []int{4, 300}, weights: []onnxtest.Tensor{weight("w", 300, 20),
		weight("b", 20)}, nodes: []onnxtest.Node{
		{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"m"}}, node("Add", "m b")}}
	m := n.model()
	bare, weights, err := reorder.Bare(m)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(slices.Collect(maps.Keys(weights))).To(Equal([]string{"w"}))
	with, err := sets.With(set(t, "x", n.shape, numbers(1, n.shape)), weights)
	g.Expect(err).NotTo(HaveOccurred())
	expected := runs(t, m, n.inputs(t), 1)[0]
	for i, v := range runs(t, bare, fixtures.Of(with), 1)[0] { // kernels of constants round otherwise
		g.Expect(v).To(BeNumerically("~", expected[i], 1e-4))
	}
}
