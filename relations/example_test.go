package relations_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/testing/fickle"
	"github.com/modelparity/modelparity/relations"
)

// An engine that mixes rows breaks a relation, whatever the correct outputs are. A spec passes the
// subject of a run to Check.
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
	// repeat: pass (2 runs give the same result)
	// rows: fail (each row of a batch is independent of its neighbours)
	// first: rows
}
