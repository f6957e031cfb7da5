package ginkgoreport_test

import (
	"fmt"
	"os"

	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/report/ginkgoreport"
	"github.com/modelparity/modelparity/tensor"
)

// A matcher passes its outcome to a function. Save writes both sides of a failed comparison and
// nothing of a passed one. In a suite:
//
//	Expect(run).To(MatchGolden("digits").ReportTo(ginkgoreport.Save("artifacts")))
func ExampleSave() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	matches, err := matchers.MatchOutputs().Of(tensor.Of(1.0, 2.0)).
		ReportTo(ginkgoreport.Save(folder)).Match(tensor.Of(1.0, 2.0))
	fmt.Println(matches, err)
	kept, err := os.ReadDir(folder)
	fmt.Println(len(kept), err)
	// Output:
	// true <nil>
	// 0 <nil>
}
