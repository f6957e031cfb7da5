package precision

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/loaders"
)

// drawn returns a search over compute nodes and moved nodes that only move data. Every set is
// judged already, by the squared error that each node adds in either way.
func drawn(adds [forms][]float64, moved int) *searching {
	count := len(adds[withCasts])
	n := &network{leaves: map[string][]int{}}
	for i := range count + moved {
		n.nodes = append(n.nodes, layer{Node: loaders.Node{Index: i, Op: "Add"},
			makes: []string{fmt.Sprint(i)}})
		if i < count {
			n.steps = append(n.steps, i)
		}
	}
	w := &searching{most: count + moved + spare, network: n,
		opened: &opened{format: FP16, engine: fake.Engine()},
		names:  []string{"y"}, state: &state{},
		predicted: &prediction{stored: [][]float64{{0}}, touch: [][]int{nil},
			touched: make([][]int, count)}}
	for _, square := range adds[withCasts] {
		w.predicted.weights = append(w.predicted.weights, []float64{square})
	}
	for by := range forms {
		for set := range 1 << count {
			kept, sum := make([]bool, count), 0.0
			for j := range kept {
				if kept[j] = set>>j&1 == 1; !kept[j] {
					sum += adds[by][j]
				}
			}
			margin := 1 / math.Sqrt(sum)
			t := &trial{Margins: []number{number(margin)}, Passes: margin >= 1}
			Expect(w.state.judged(key(kept), by, t)).To(Succeed())
		}
	}
	return w
}

var _ = Describe("A search in which the two ways to judge disagree", func() {
	// passes reports whether a set does, in both ways.
	passes := func(w *searching, kept []bool) bool {
		return w.recorded(key(kept), withCasts).Passes && w.recorded(key(kept), asDeployed).Passes
	}
	DescribeTable("finds a set that passes in both and needs each of its nodes",
		func(ctx SpecContext, seed int, typed float64) {
			const count, moved = 12, 60
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			var adds [forms][]float64
			for range count {
				square := math.Exp2(6 * random.Float64())
				adds[withCasts] = append(adds[withCasts], square)
				adds[asDeployed] = append(adds[asDeployed], square*math.Exp2(4*random.Float64()-2)*typed)
			}
			sum := 0.0
			for _, square := range adds[withCasts] {
				sum += square
			}
			for by := range forms {
				for j := range count {
					adds[by][j] *= 8 / sum
				}
			}
			w := drawn(adds, moved)
			kept, err := w.search(ctx)
			Expect(err).NotTo(HaveOccurred())
			GinkgoWriter.Println(size(kept), w.guided, w.runs)
			Expect(passes(w, kept)).To(BeTrue())
			Expect(w.guided).To(BeNumerically("<=", count+moved+spare))
			for j := range kept {
				if kept[j] {
					kept[j] = false
					Expect(passes(w, kept)).To(BeFalse(), "without %d", j)
					kept[j] = true
				}
			}
			for first := range size(kept) {
				for _, reverse := range []bool{false, true} {
					end := make([]bool, count)
					for j := range first {
						if reverse {
							j = count - 1 - j
						}
						end[j] = true
					}
					Expect(passes(w, end)).To(BeFalse(), "%d at an end", first)
				}
			}
		},
		Entry("if both err alike, seed 1", 1, 1.), Entry("if both err alike, seed 2", 2, 1.),
		Entry("if the delivered model errs more", 3, 3.),
		Entry("if the model rounded by casts errs more", 4, 0.3),
		Entry("if both err alike, seed 5", 5, 1.), Entry("if both err alike, seed 6", 6, 1.))
})
