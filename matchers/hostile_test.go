package matchers_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/format"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/hostile"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// hostileModel has hostile names wherever a model has a name. One of its nodes has the operator.
func hostileModel(operator string) *loaders.Model {
	g := onnxtest.Graph{Name: hostile.Names[0], Inputs: []onnxtest.Value{
		{Name: "x" + hostile.Names[5], Elem: 1, Dims: []any{"N", 4}}}}
	weights := make([]float32, 16)
	for i := range weights {
		weights[i] = float32(i%5) / 4
	}
	g.Initializers = []onnxtest.Tensor{{Name: "w" + hostile.Names[5], Type: 1, Dims: []int64{4, 4},
		Raw: onnxtest.Float32s(weights...)}}
	from := g.Inputs[0].Name
	for i, name := range hostile.Names {
		node := onnxtest.Node{Op: "Neg", Name: name, In: []string{from}, Out: []string{name},
			Metadata: [][2]string{{"pkg.torch.onnx.name_scopes", name}, {name, name}}}
		switch i {
		case 0:
			node.Op, node.In = "MatMul", append(node.In, g.Initializers[0].Name)
		case len(hostile.Names) / 2:
			node.Op = operator
		}
		g.Nodes = append(g.Nodes, node)
		from = name
	}
	for _, name := range hostile.Names[len(hostile.Names)-6:] {
		g.Outputs = append(g.Outputs, onnxtest.Value{Name: name, Elem: 1, Dims: []any{"N", 4}})
	}
	return loaders.ONNXBytes(hostile.Names[5]+".onnx", onnxtest.Model{Graph: g}.Bytes())
}

var _ = Describe("a hostile name", func() {
	It("is escaped in every text of every matcher", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		GinkgoT().Chdir(GinkgoT().TempDir())
		model, wrong := hostileModel("Tanh"), hostileModel("Sin")
		inputs := fixtures.Random(model, fixtures.Shape("*", 4, 4))
		expected, err := ort.Run(ctx, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		differs, err := ort.Run(ctx, wrong, inputs)
		Expect(err).NotTo(HaveOccurred())
		nan := float32(math.NaN())
		bad := []any{differs, expected, 7, run(), expected.Outputs()[0]}
		for _, name := range hostile.Names {
			bad = append(bad, run(set(name, f32(nan, 1))), run(set(name, stringTensor(name, name))),
				set(name, f32(1), "other", f32(2)),
				run(set(name+".key", tensor.Of[int64](1, 1), name+".value", f32(1, 2))))
			named := run(set(name, f32(1)))
			named.Provenance = backends.Provenance{Backend: name, Version: name, Provider: name, Model: name,
				Inputs: name, Computed: name, Options: map[string]string{name: name}}
			bad = append(bad, named)
		}
		last := hostile.Names[len(hostile.Names)-1]
		top := decisions.TopK{K: 1, Output: last, Margin: 1e-9}
		matchers := map[string][]types.GomegaMatcher{
			"MatchOutputsWithin": {MatchOutputsWithin(0, 0, Elementwise).Of(expected).Locating(),
				MatchOutputsWithin(1, 1, Mean).ForOutput(hostile.Names[5], 0, 0, Max).Of(bad[7]),
				MatchOutputsWithin(0, 0, Max).Under(compare.Options{Only: hostile.Names}).Of(differs)},
			"MatchOutputs":              {MatchOutputs(compare.TopKAgreement(1, 0.99)).Of(expected)},
			"MatchWithinNoise":          {MatchWithinNoise().Of(expected).Locating()},
			"NoWorseThan":               {NoWorseThan(precision.FP16).Of(expected)},
			"MatchGolden":               {MatchGolden("g"), MatchGolden("n").PerEngine()},
			"MatchDecisions":            {MatchDecisions(top).Of(expected).Locating()},
			"MatchDecisionsWithinNoise": {MatchDecisionsWithinNoise(top).Of(expected)},
			"BeFinite":                  {BeFinite(), Not(BeFinite())},
			"HaveOutput": {HaveOutput(hostile.Names[5], HaveShape(7)), HaveOutput("nothing"),
				HaveOutput("*", HaveShape(7)), Not(HaveOutput("*"))},
			"HaveShape":            {HaveShape(9), Not(HaveShape(2))},
			"HaveTop1Accuracy":     {HaveTop1Accuracy([]int{0, 0, 0, 0}, 1)},
			"HaveTopKAccuracy":     {HaveTopKAccuracy(2, []int{0, 0, 0, 0}, 1).OfOutput(last)},
			"HaveAveragePrecision": {HaveAveragePrecision(nil, decisions.Layout{Packed: last}, 1)},
			"AgreeAmong":           {AgreeAmong(ort.Engine(ort.Threads(1))).Locating()},
			"BeExactOnIntegers":    {BeExactOnIntegers()},
			"BeBatchInvariant":     {BeBatchInvariant(), BeBatchInvariant().Along(last, 0)},
			"BeRowIndependent":     {BeRowIndependent().Locating()},
			"BeRepeatable":         {BeRepeatable(2)},
			"BeThreadInvariant":    {BeThreadInvariant()},
			"BePaddingInvariant":   {BePaddingInvariant(1, "x"+hostile.Names[5])},
			"BeOrderInvariant":     {BeOrderInvariant()},
			"BeInvariantUnder":     {BeInvariantUnder(relations.Scaled(3)).Within(0, 0, Max)},
			"BeLevelInvariant":     {BeLevelInvariant()},
			"AgreeAcross":          {AgreeAcross("1.24.4"), AgreeAcross(hostile.Names[5])},
			"BeMarkingInvariant":   {BeMarkingInvariant()},
			"BeStepInvariant":      {BeStepInvariant()},
			"BeRollbackInvariant":  {BeRollbackInvariant()},
			"BeShiftInvariant":     {BeShiftInvariant(1)},
			"BeSequenceInvariant":  {BeSequenceInvariant()},
			"BeResetInvariant":     {BeResetInvariant()},
			"BeChunkInvariant":     {BeChunkInvariant()},
			"BeRebuildable":        {BeRebuildable(2)},
			"BeProfileInvariant":   {BeProfileInvariant()},
		}
		Expect(matchers).To(HaveLen(len(constructors())), "one entry for each of %q", constructors())
		texts, faults := 0, []string(nil)
		for _, constructor := range constructors() {
			Expect(matchers).To(HaveKey(constructor))
			for _, m := range matchers[constructor] {
				for i, actual := range bad {
					holds, err := m.Match(actual)
					said := []string{format.Object(m, 1), format.Object(actual, 1)}
					switch {
					case err != nil:
						said = append(said, err.Error())
					case holds:
						said = append(said, m.NegatedFailureMessage(actual))
					default:
						said = append(said, m.FailureMessage(actual))
					}
					for _, text := range said {
						texts++
						if found := hostile.Found(text); found != "" && !slices.Contains(faults, found) {
							faults = append(faults, found)
							GinkgoWriter.Printf("%s, actual value %d: %q\n", constructor, i, found)
						}
					}
				}
			}
		}
		Expect(faults).To(BeEmpty())
		Expect(texts).To(BeNumerically(">", 1000))
	})
})

// constructors lists the functions of the package that return a matcher.
func constructors() (all []string) {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(messages)), "*.go"))
	Expect(err).NotTo(HaveOccurred())
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		Expect(err).NotTo(HaveOccurred())
		for _, declared := range parsed.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil ||
				strings.HasSuffix(file, "_test.go") {
				continue
			}
			if result := fmt.Sprint(f.Type.Results.List[0].Type); strings.Contains(result, "Matcher") {
				all = append(all, f.Name.Name)
			}
		}
	}
	return all
}
