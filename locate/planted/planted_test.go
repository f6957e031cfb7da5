package planted_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/noise"
)

// attempts is at how many nodes a fault is planted until it shows: a pooling of equal values is the
// same with another operator.
const attempts = 12

// ways are how tensors are judged.
var ways = map[string]locate.Options{
	"a tolerance": {Isolate: true, Compare: compare.Options{InfinitiesEqual: true,
		Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}}},
	"noise": {Isolate: true, Measure: noise.Inside(compare.Bars{}, nil)},
}

// small are the networks that are also located by noise, unless noiseVariable is set: then all are,
// which takes hours on two cores.
var small = []string{"shufflenet", "squeezenet"}

const noiseVariable = "MODELPARITY_PLANTED_NOISE"

func describe(models []cnn.Topology) {
	planted, named := 0, 0
	var _ = Describe("The localiser", func() {
		BeforeEach(func() { ort.Require(GinkgoT()) })
		for _, t := range models {
			for k, f := range cnn.Faults() {
				if !t.CanHave(f) {
					continue
				}
				for _, how := range slices.Sorted(maps.Keys(ways)) {
					if how == "noise" && !t.Sown && !slices.Contains(small, t.Name) &&
						os.Getenv(noiseVariable) == "" {
						continue // measuring takes minutes
					}
					It(fmt.Sprintf("names the node in %s with %s by %s", t.Name, f.Name, how),
						func(ctx SpecContext) {
							report, index := plantOne(ctx, t, f, uint64(k), ways[how])
							planted++
							Expect(report.First.Index).To(Equal(index), report.Text())
							Expect(report.Isolated).NotTo(BeNil(), report.Text())
							Expect(report.Isolated.Index).To(Equal(index), report.Text())
							named++
						})
				}
			}
		}
	})

	var _ = AfterSuite(func() {
		fmt.Printf("\nPlanted faults: %d of %d named, in %d topologies\n", named, planted, len(models))
	})
}

// last is the network that was taken apart last: specs of one topology follow one another, and
// sowing a large one takes seconds.
var last struct {
	name string
	*cnn.Network
}

func cached(t cnn.Topology) (*cnn.Network, error) {
	if last.name != t.Name {
		n, err := t.Network()
		if err != nil {
			return nil, err
		}
		last.name, last.Network = t.Name, n
	}
	return last.Network, nil
}

// plantOne plants a fault somewhere in the network where it shows, and locates it.
func plantOne(ctx context.Context, t cnn.Topology, f cnn.Fault, seed uint64,
	options locate.Options) (*locate.Finding, int) {
	GinkgoHelper()
	right, err := cached(t)
	Expect(err).NotTo(HaveOccurred())
	expected := side("expected", right)
	random := rand.New(rand.NewPCG(seed, 7))
	tried := 0
	for _, i := range random.Perm(len(right.Nodes())) {
		wrong := right.Clone()
		if !f.Plant(wrong, i) {
			continue
		}
		actual := side("actual", wrong)
		report, err := locate.Divergence(ctx, actual, expected, options)
		Expect(err).NotTo(HaveOccurred())
		if report.First != nil {
			return report, i
		}
		if tried++; tried == attempts {
			break
		}
	}
	Fail(fmt.Sprintf("%s shows at none of %d nodes", f.Name, tried))
	return nil, 0
}

// side is a network in ONNX Runtime, on inputs with one batch entry and both signs.
func side(name string, n *cnn.Network) backends.Subject {
	GinkgoHelper()
	data, err := n.Model()
	Expect(err).NotTo(HaveOccurred())
	model := loaders.ONNXBytes(name, data)
	return backends.Subject{Engine: ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)), Model: model,
		Inputs: fixtures.Random(model, fixtures.Seed(3), fixtures.ValRange(-1, 1))}
}
