// Package served runs models that a server has deployed, by the Open Inference Protocol, version 2:
// Triton, KServe, MLServer, OpenVINO's model server. It answers whether the deployed model is the
// one that was shipped:
//
//	deployed := served.Model("http://triton:8000/v2/models/resnet18")
//	Expect(deployed.Run(ctx, inputs)).To(MatchOutputsWithin(1e-3, 1e-3, Max).
//		Of(ort.Run(ctx, loaders.ONNX("testdata/resnet18.onnx"), inputs)))
//
// What to know about it:
//
//   - The provenance of a run has the server's name and version, and the model's version and
//     platform. No server tells a checksum of its model, so there is none.
//   - A version that differs from the one in the URL, or that changes during a run, is an error.
//   - Element types are those of the protocol: bool, integers of 8 to 64 bits, float16, bfloat16,
//     float32, float64 and strings.
//   - Over HTTP, tensors go in binary where the server offers that or [Binary] says so, else as
//     JSON, which has no NaN, no infinities and no strings other than UTF-8.
//   - gRPC is in a package of its own, which few programs have to link; grpc:// and grpcs:// need
//     import _ "github.com/modelparity/modelparity/backends/served/grpc".
//   - An inference is sent again only where the server cannot have run it: no connection, or an
//     answer that says that it is busy.
package served

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// Deployment is a model that a server has: an engine and a model in one. It declares the inputs
// that the server says, so that [fixtures.Random] draws for it.
type Deployment struct {
	url  string
	list option.List[settings]
	says *declaration
}

// declaration is what the server said, once it was asked.
type declaration struct {
	mu     sync.Mutex
	known  bool
	inputs []loaders.Value
}

var (
	_ backends.Engine      = Deployment{}
	_ fixtures.Declaration = Deployment{}
)

// declarations holds one of each deployment, so that equal ones are equal by ==.
var declarations sync.Map

// Model is the model at a URL: the server's address with the model's path, and its version where
// that matters:
//
//	http://host:8000/v2/models/resnet18
//	https://host/prefix/v2/models/resnet18/versions/3
//	grpc://host:8001/v2/models/resnet18
//
// Nothing connects before the model is opened or its inputs are asked for.
func Model(url string, options ...Option) Deployment {
	return deployment(url, kind.List(options...))
}

func deployment(url string, list option.List[settings]) Deployment {
	url = presentable(url)
	says, _ := declarations.LoadOrStore(url+"\n"+list.Text(), &declaration{})
	return Deployment{url: url, list: list, says: says.(*declaration)}
}

// init lets other processes open deployments by their texts.
func init() {
	backends.Register("served", func(text string) (backends.Engine, error) {
		rest := strings.TrimPrefix(text, "served ")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Errorf("served: %q names no URL", text)
		}
		url, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("served: %q names no URL", text)
		}
		list, err := kind.Read("served" + strings.TrimPrefix(rest, quoted))
		return deployment(url, list), err
	})
}

// Text is the engine's canonical text.
func (d Deployment) Text() string {
	return "served " + strconv.Quote(d.url) + strings.TrimPrefix(d.list.Text(), "served")
}

// String names the deployment for people: "served http://host:8000/v2/models/resnet18".
func (d Deployment) String() string {
	return "served " + d.url + strings.TrimPrefix(d.list.String(), "served")
}

// GoString is the deployment as Go source.
func (d Deployment) GoString() string { return d.list.Call("Model", strconv.Quote(d.url)) }

// Wrong is everything that is wrong with the URL and the options by themselves. Variables and files
// that they name are read when the model is opened.
func (d Deployment) Wrong() error {
	_, _, err := d.addresses()
	return err
}

// Name is the model's.
func (d Deployment) Name() string {
	t, err := target(d.url)
	if err != nil {
		return d.url
	}
	return t.Model
}

// Inputs is what the server says that the model takes. The server is asked once. One that does not
// say is an error: make the inputs for the ONNX model then.
func (d Deployment) Inputs() ([]loaders.Value, error) {
	d.says.mu.Lock()
	defer d.says.mu.Unlock()
	if d.says.known {
		return d.says.inputs, nil
	}
	b, err := d.open(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if len(b.about.Inputs) == 0 {
		return nil, fmt.Errorf("%v: the server does not say what the model takes; make the inputs for "+
			"the ONNX model, or from data", d)
	}
	d.says.inputs, d.says.known = declared(b.about.Inputs), true
	return d.says.inputs, nil
}

// Run opens the deployment, runs it once over the inputs, and closes it.
func (d Deployment) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.RunIn(ctx, d, d, inputs)
}

// Open connects to the server and every replica, and asks each whether the model is ready. The
// model is the deployment itself, or the ONNX model that was deployed, whose inputs the server must
// then have, in their element types, as far as it says.
func (d Deployment) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%v: %w", d, err)
	}
	if same, ok := model.(Deployment); ok {
		if same.url != d.url {
			return nil, fmt.Errorf("%v: it cannot run %v", d, same)
		}
		b, err := d.open(ctx, nil)
		if err != nil {
			return nil, err
		}
		b.model = d
		return b, nil
	}
	onnx, err := backends.ONNX("a deployed model, where it does not stand alone,", model)
	if err != nil {
		return nil, err
	}
	inputs, err := onnx.Inputs()
	if err != nil {
		return nil, err
	}
	b, err := d.open(ctx, inputs)
	if err != nil {
		return nil, err
	}
	b.model = onnx
	return b, nil
}

// declared is what a server says in the words of models.
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
