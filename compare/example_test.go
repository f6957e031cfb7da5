package compare_test

import (
	"fmt"
	"log"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// One tolerance satisfied is enough: 100.5 is within 1 % of 100, and 0.004 within 0.01 of 0.
func ExampleWithin() {
	out, err := compare.Tensors(tensor.Of[float32](100.5, 0.004), tensor.Of[float32](100, 0),
		compare.Options{Checks: []compare.Check{compare.Within(0.01, 0.01, compare.Elementwise)}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Verdict, out.Results[0].Mismatches)
	// Output:
	// pass 0
}

// Several rules must all hold, and each output may have rules of its own.
func ExampleRuns() {
	set := func(logits, aux float32) []*tensor.Set {
		s, err := tensor.NewSet(
			tensor.Entry{Name: "logits", Tensor: tensor.Of(logits, 2*logits)},
			tensor.Entry{Name: "aux", Tensor: tensor.Of(aux)})
		if err != nil {
			log.Fatal(err)
		}
		return []*tensor.Set{s}
	}
	report, err := compare.Runs(set(1.25, 3), set(1, 2), compare.Options{
		Checks:    []compare.Check{compare.Within(0.5, 0, compare.Max), compare.CosineSimilarity(0.9)},
		PerOutput: map[string][]compare.Check{"aux": {compare.Within(0.1, 0, compare.Max)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, report.Reason)
	for _, out := range report.Outputs {
		fmt.Println(out.Name, out.Verdict)
	}
	// Output:
	// fail 1 of 2 outputs differ
	// logits pass
	// aux fail
}

// A check prints itself as a reader would say it.
func ExampleCheck() {
	fmt.Println(compare.Within(1e-3, 1e-2, compare.Median))
	fmt.Println(compare.ULP(4).AllowMismatch(0.001))
	fmt.Println(compare.TopKAgreement(5, 0.99))
	// Output:
	// median: median abs ≤ 0.001 or median rel ≤ 0.01
	// ulp distance ≤ 4, in all but 0.1 % of the elements
	// top-5 agreement ≥ 0.99
}
