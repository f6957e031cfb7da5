// Package served runs models that a server has deployed, with the Open Inference Protocol, version
// 2: Triton, KServe, MLServer, OpenVINO's model server. A spec can check that the deployed model
// agrees with the original:
//
//	deployed := served.Model("http://triton:8000/v2/models/resnet18")
//	Expect(deployed.Run(ctx, inputs)).To(MatchOutputsWithin(1e-3, 1e-3, Max).
//		Of(ort.Run(ctx, loaders.ONNX("testdata/resnet18.onnx"), inputs)))
//
// [Completions] runs a language model on a server with OpenAI's protocol instead.
//
// Properties of the engine:
//
//   - The provenance of a run has the server's name and version, and the model's version and
//     platform. No server reports a checksum of its model, so there is none.
//   - A version that differs from the one in the URL, or that changes during a run, is an error.
//   - The protocol's element types are bool, integers of 8 to 64 bits, float16, bfloat16,
//     float32, float64 and strings.
//   - Over HTTP, tensors are sent in binary if the server offers that or [Binary] is set, and
//     otherwise as JSON, which has no NaN, no infinities and only UTF-8 strings.
//   - gRPC is in a separate package, because few programs need it; grpc:// and grpcs:// need
//     import _ "github.com/modelparity/modelparity/backends/served/grpc".
//   - An inference is sent again only if the server cannot have run it: there was no connection,
//     or the server answered that it is busy.
package served

import (
	"context"
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// deployment is a model that is deployed on a server.
type deployment struct {
	url       string
	generates bool // made by [Completions]
	list      option.List[settings]
}

// Model returns the model at a URL: the server's address followed by the model's path and
// optionally a version:
//
//	http://host:8000/v2/models/resnet18
//	https://host/prefix/v2/models/resnet18/versions/3
//	grpc://host:8001/v2/models/resnet18
//
// Model itself does not connect to the server. Opening the model does, and so does asking for its
// inputs, which the server reports.
func Model(url string, options ...Option) backends.ModelEngine {
	return deployed(url, false, kind.List(options...))
}

func deployed(url string, generates bool, list option.List[settings]) deployment {
	return deployment{url: presentable(url), generates: generates, list: list}
}

// init lets other processes recreate deployments from what [deployment.Text] returns.
func init() {
	backends.Register("served", func(text string) (backends.Engine, error) {
		url, list, err := kind.ReadOf("served", text)
		return deployed(url, completes(url), list), err
	})
}

// Text returns the text that identifies the engine; see [backends.Engine].
func (d deployment) Text() string { return d.list.TextOf("served", d.url) }

// String describes the deployment in readable form: "served http://host:8000/v2/models/resnet18".
func (d deployment) String() string { return d.list.StringOf("served " + d.url) }

// GoString returns the deployment as Go source.
func (d deployment) GoString() string {
	function := "Model"
	if d.generates {
		function = "Completions"
	}
	return d.list.Call(function, strconv.Quote(d.url))
}

// Wrong returns all errors in the URL and the options. It does not read the environment variables
// and files that the options name; opening the model does.
func (d deployment) Wrong() error {
	_, _, err := d.addresses()
	return err
}

// Name returns the model's name.
func (d deployment) Name() string {
	t, err := target(d.url, d.generates)
	if err != nil {
		return d.url
	}
	return t.Model
}

// Inputs asks the server for the model's inputs. If the server does not declare inputs, Inputs
// returns an error; generate the inputs for the ONNX model instead.
func (d deployment) Inputs() ([]loaders.Value, error) {
	b, err := d.open(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if len(b.about.Inputs) == 0 {
		return nil, fmt.Errorf("%v: the server does not declare the model's inputs; generate "+
			"inputs for the ONNX model, or load saved ones", d)
	}
	return b.inputs, nil
}

// Run opens the deployment, runs it once over the inputs, and closes it.
func (d deployment) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.RunIn(ctx, d, d, inputs)
}

// Open connects to the server and every replica, and checks that the model is ready on each. model
// is the deployment itself, or the ONNX model that was deployed. In the second case, if the server
// declares inputs, they must have the ONNX model's names and element types.
func (d deployment) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%v: %w", d, err)
	}
	var inputs []loaders.Value
	if same, ok := model.(deployment); !ok {
		onnx, err := backends.ONNX("a deployed model", model)
		if err != nil {
			return nil, err
		}
		if inputs, err = onnx.Inputs(); err != nil {
			return nil, err
		}
	} else if same.url != d.url {
		return nil, fmt.Errorf("%v: it cannot run %v", d, same)
	}
	b, err := d.open(ctx, inputs)
	if err != nil {
		return nil, err
	}
	b.model = model
	return b, nil
}

// declared converts the inputs or outputs that a server declares.
func declared(values []oip.Value) []loaders.Value {
	list := make([]loaders.Value, len(values))
	for i, v := range values {
		list[i] = loaders.Value{Name: v.Name, Type: oip.ElementType(v.Datatype),
			TypeName: v.Datatype, HasShape: v.Shape != nil}
		for _, size := range v.Shape {
			list[i].Dims = append(list[i].Dims, loaders.Dim{Size: int(max(size, -1))})
		}
	}
	return list
}
