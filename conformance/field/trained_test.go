package field_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
)

// trained marks pairs of a trained network and itself. ONNX Runtime runs the actual side with
// optimisation, and the expected side without.
const trained = "trained"

// keptVariable names the environment variable for the folder that keeps the outcomes of each
// network, so that a run continues where it was stopped. Without it, nothing is kept.
const keptVariable = "MODELPARITY_TRAINED_KEPT"

// faultsOfEach is the number of visible faults that are planted into each network, in at most
// mostTime.
const (
	faultsOfEach = 4
	tries        = 3 // of each kind, if fewer show
	mostTime     = 60 * time.Second
)

// leastTrained is the share of visible faults that must be located exactly.
const leastTrained = 0.93

func describeTrained(t *testing.T) {
	only, err := regexp.Compile(os.Getenv(trainedVariable + "_ONLY"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder(""), "*.onnx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no networks; run conformance/trained/fetch.py: %v", folder(""), err)
	}
	var _ = Describe("the localiser on trained networks", Ordered, ContinueOnFailure, func() {
		var outcomes []outcome

		BeforeAll(func() { ort.Require(GinkgoT()) })

		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".onnx")
			if !only.MatchString(name) {
				continue
			}
			It("blames no innocent node of "+name, func(ctx SpecContext) {
				found, err := plantAll(ctx, pair{Family: name, A: name, B: name, Makers: trained})
				outcomes = append(outcomes, found...)
				Expect(err).NotTo(HaveOccurred())
				for _, o := range found {
					Expect(o.score).NotTo(BeElementOf(wrong, broken, falseCall), o.what+": "+o.said)
				}
			})
		}

		It(fmt.Sprintf("names %.0f %% of the faults exactly", 100*leastTrained), func() {
			all, _ := tally(outcomes, func(o outcome) string { return o.Makers })
			Expect(all[trained].share()).To(BeNumerically(">=", leastTrained), "%v", all[trained])
		})

		AfterAll(func() {
			fmt.Println(page(outcomes))
			Expect(publish(page(outcomes))).To(Succeed())
		})
	})
}

// plantAll locates differences in a healthy network, and faults in it, of kinds in a random order.
func plantAll(ctx context.Context, p pair) (outcomes []outcome, err error) {
	kept := os.Getenv(keptVariable)
	path := filepath.Join(kept, p.Family+".json")
	if text, err := os.ReadFile(path); kept != "" && err == nil {
		return readOutcomes(p, text)
	}
	b, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	outcomes = append(outcomes, b.look(ctx))
	order := draws(p, "order", 1)
	all := append(kinds[:len(kinds):len(kinds)], kindsOfTrained...)
	order.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	began, shown := time.Now(), 0
	for i := range tries * len(all) {
		if shown == faultsOfEach || time.Since(began) > mostTime {
			break
		}
		kind := all[i%len(all)]
		o, err := b.judge(ctx, kind.name, kind.sites, uint64(i/len(all)))
		if err != nil {
			return nil, err
		}
		switch o.score {
		case hidden, refused, noSite:
		case exact:
			shown++
		default:
			shown++
			if err := b.keep(o); err != nil {
				return nil, err
			}
		}
		o.data = nil // the faulty models of all networks take 3 GB
		outcomes = append(outcomes, o)
	}
	if kept == "" {
		return outcomes, nil
	}
	return outcomes, writeOutcomes(path, outcomes)
}

// keptOutcome is the stored form of an outcome.
type keptOutcome struct {
	Kind, What, Said string
	Score            score
}

func readOutcomes(p pair, text []byte) (outcomes []outcome, err error) {
	var list []keptOutcome
	err = json.Unmarshal(text, &list)
	for _, k := range list {
		outcomes = append(outcomes, outcome{pair: p, kind: k.Kind, seed: 1, score: k.Score,
			what: k.What, said: k.Said})
	}
	return outcomes, err
}

func writeOutcomes(path string, outcomes []outcome) error {
	var list []keptOutcome
	for _, o := range outcomes {
		list = append(list, keptOutcome{o.kind, o.what, o.said, o.score})
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// plantInside is plant for networks that keep weights in Constant nodes, and layers in bodies.
func plantInside(model []byte, like map[string]string, sites func(*planter) []site,
	random *rand.Rand) (planted, bool, error) {
	g, err := newGraph(model)
	if err != nil {
		return planted{}, false, err
	}
	for {
		if err := g.hold(); err != nil {
			return planted{}, false, err
		}
		const layers = 10 // nodes; smaller bodies only choose between shapes
		bodies, err := g.bodies(layers)
		if err != nil {
			return planted{}, false, err
		}
		if len(bodies) == 0 || len(g.nodes) >= layers && random.IntN(2) == 0 {
			break
		}
		g, like = bodies[random.IntN(len(bodies))], nil
	}
	f, ok, err := plantIn(g, like, sites, random)
	if g.outer != nil {
		f.body = g
	}
	return f, ok, err
}
