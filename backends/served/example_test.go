package served_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// A deployed model is a model and its engine at once. The server is a stand-in here; a real URL is
// Triton's, http://triton:8000/v2/models/net.
func ExampleModel() {
	server := newStandIn(true, false)
	defer server.Close()
	deployed := served.Model(server.deploy("net", difference()))

	minuend, _ := tensor.New(tensor.Shape{1, 3}, []float32{5, 6, 7})
	subtrahend, _ := tensor.New(tensor.Shape{1, 3}, []float32{1, 2, 4})
	inputs, _ := tensor.NewSet(tensor.Entry{Name: "minuend", Tensor: minuend},
		tensor.Entry{Name: "subtrahend", Tensor: subtrahend})
	run, err := deployed.Run(context.Background(), fixtures.Of(inputs))
	if err != nil {
		fmt.Println(err)
		return
	}
	y, _ := run.Outputs()[0].Get("difference")
	fmt.Println(y.Float64s(), "by", run.Provenance.Backend)
	// Output: [4 4 3] by served
}
