package relations_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/testing/fickle"
	"github.com/modelparity/modelparity/relations"
)

// An engine whose rows feel their neighbours breaks a relation, whatever the right numbers are. A
// spec gives Check the subject of a run.
func ExampleCheck() {
	leaking := backends.Subject{Engine: fickle.Engine(fickle.RowLeak), Model: fickle.Model{},
		Inputs: fickle.Inputs(2, 3)}
	report, err := relations.Check(context.Background(), leaking, relations.Options{},
		relations.Repeat(2), relations.Rows())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results {
		fmt.Printf("%s: %s (%s)\n", r.Relation, r.Verdict, r.Text)
	}
	fmt.Println("first:", report.Primary().Relation)
	// Output:
	// repeat: pass (a run gives the same 2 times)
	// rows: fail (a row of a batch does not feel its neighbours)
	// first: rows
}
