package ginkgoreport_test

import (
	"fmt"
	"os"

	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/report/ginkgoreport"
	"github.com/modelparity/modelparity/tensor"
)

// A matcher hands its outcome to a function. Save keeps both sides of a comparison that fails, and
// nothing of one that passes. In a suite this reads
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
