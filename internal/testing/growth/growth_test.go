//go:build linux || darwin

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

// specs of a suite, as many as are asked for.
var _ = Describe("A small model", func() {
	n, err := strconv.Atoi(os.Getenv(numberOfSpecs))
	if err != nil {
		n = 2
	}
	dims := []any{100}
	model := loaders.ONNXBytes("sin.onnx", onnxtest.Model{Graph: onnxtest.Graph{Name: "sin",
		Nodes:   []onnxtest.Node{{Op: "Sin", In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims}}}}.Bytes())

	BeforeEach(func() { ort.Require(GinkgoT()) })

	for i := range n {
		It(fmt.Sprintf("gives the same without optimisation on inputs %d", i), func(ctx SpecContext) {
			inputs := fixtures.Random(model, fixtures.Seed(int64(i)))
			Expect(ort.Run(ctx, model, inputs)).To(
				MatchOutputsWithin(1e-5, 1e-5, compare.Elementwise).
					Of(ort.Run(ctx, model, inputs, ort.OptimizationLevel(ort.OptimizeNone))))
		})
	}
})

func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "growth")
}

func tableOf(t *testing.T, text string) *table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "growth.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := readResults(path)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

const before = `goos: linux
BenchmarkGrowth/yardstick/1-2	 50	1000 ns/op
BenchmarkGrowth/outputs/10-2	 50	100 ns/op
BenchmarkGrowth/outputs/10-2	 50	900 ns/op
BenchmarkGrowth/outputs/10-2	 50	110 ns/op
BenchmarkGrowth/outputs/100-2	 50	1000 ns/op
BenchmarkGrowth/specs/10-2	 50	1000 ns/op
`

func TestWhatGotSlowerIsSaidBesideTheYardstick(t *testing.T) {
	now := tableOf(t, strings.NewReplacer("1000 ns/op\nBenchmarkGrowth/outputs/10-",
		"2000 ns/op\nBenchmarkGrowth/outputs/10-", "100-2	 50	1000", "100-2	 50	3000").Replace(before))
	text := now.slower(tableOf(t, before))
	for _, want := range []string{"the yardstick takes 2.00 times as long now",
		"SLOWER outputs, 100: 1.50 times as long, 3µs and 1µs", "1 of 3 points"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Count(text, "SLOWER") != 1 {
		t.Errorf("more got slower than did:\n%s", text)
	}
	if text := now.slower(newTable()); !strings.Contains(text, "nothing to compare with") {
		t.Errorf("without an earlier table: %s", text)
	}
}

func TestTheTableSaysWhatIsNotLinear(t *testing.T) {
	text := tableOf(t, before+"BenchmarkGrowth/specs/100-2	 50	20000 ns/op\n").markdown()
	for _, want := range []string{"| 110ns | 1µs |", "| 10 ns |\n",
		"| 200ns, 2.0 times what it was among a tenth |"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestThePagesTableIsReplaced(t *testing.T) {
	table := tableOf(t, before).markdown()
	path := filepath.Join(t.TempDir(), "page.md")
	first, _, _ := strings.Cut(table, "\n")
	old := "before\n\n" + first + "\n| old |\n\nafter\n"
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(path, table); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "before\n\n"+table+"\nafter\n" {
		t.Errorf("%v: %s", err, text)
	}
	if err := os.WriteFile(path, []byte("no table\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(path, table); err == nil {
		t.Error("a page without the table is no error")
	}
}
