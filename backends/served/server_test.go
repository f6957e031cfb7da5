package served_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// standIn is a server that computes backendtest's models. What it does wrong is set by a spec.
type standIn struct {
	*httptest.Server
	binary bool // offers the binary extension

	mu       sync.Mutex
	models   map[string]*loaders.Model
	infers   int
	version  string                                                          // of every model
	spoil    func(n int, w http.ResponseWriter, r *http.Request) (done bool) // the n-th inference
	notReady bool
	header   http.Header // of the last inference
}

func newStandIn(binary, secure bool) *standIn {
	s := &standIn{binary: binary, models: map[string]*loaders.Model{}, version: "1"}
	if secure {
		s.Server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	} else {
		s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	}
	return s
}

// deploy is the URL of a model that it has from now on.
func (s *standIn) deploy(name string, m *loaders.Model) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models[name] = m
	return s.URL + "/v2/models/" + name
}

// asked is how many inferences came so far, since it was asked last.
func (s *standIn) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.infers
	s.infers = 0
	return n
}

// last is the header of the last inference.
func (s *standIn) last() http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.header
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	reply := func(status int, v any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	if r.URL.Path == "/v2" {
		extensions := []string{}
		if s.binary {
			extensions = append(extensions, "binary_tensor_data")
		}
		reply(200, map[string]any{"name": "stand-in", "version": "0.1", "extensions": extensions})
		return
	}
	name, what, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/models/"), "/")
	if rest, ok := strings.CutPrefix(what, "versions/"); ok {
		_, what, _ = strings.Cut(rest, "/")
	}
	s.mu.Lock()
	model, version, notReady := s.models[name], s.version, s.notReady
	s.mu.Unlock()
	switch {
	case model == nil:
		reply(404, map[string]string{"error": "unknown model " + name})
	case what == "ready" && notReady:
		reply(400, map[string]string{"error": "still loading"})
	case what == "ready":
		reply(200, map[string]any{})
	case what == "":
		inputs, _ := model.Inputs()
		outputs, _ := model.Outputs()
		reply(200, map[string]any{"name": name, "versions": []string{version}, "platform": "go",
			"inputs": values(inputs), "outputs": values(outputs)})
	case what == "infer":
		s.mu.Lock()
		n, spoil := s.infers, s.spoil
		s.infers++
		s.header = r.Header.Clone()
		s.mu.Unlock()
		if spoil != nil && spoil(n, w, r) {
			return
		}
		if err := s.infer(w, r, model, version); err != nil {
			reply(400, map[string]string{"error": err.Error()})
		}
	}
}

func values(list []loaders.Value) []oip.Value {
	out := []oip.Value{}
	for _, v := range list {
		datatype, _ := oip.Datatype(v.Type)
		shape := []int64{}
		for _, d := range v.Dims {
			shape = append(shape, int64(d.Size))
		}
		out = append(out, oip.Value{Name: v.Name, Datatype: datatype, Shape: shape})
	}
	return out
}

// infer reads a request with encoding/json alone, and answers in the way it was asked.
func (s *standIn) infer(w http.ResponseWriter, r *http.Request, model *loaders.Model,
	version string) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	head := len(body)
	if text := r.Header.Get("Inference-Header-Content-Length"); text != "" {
		if head, err = strconv.Atoi(text); err != nil {
			return err
		}
	}
	inputs, err := oip.Response([]byte(strings.Replace(string(body[:head]), `"inputs":`,
		`"outputs":`, 1)+string(body[head:])), headOf(r, head))
	if err != nil {
		return err
	}
	declared, err := model.Inputs()
	if err != nil {
		return err
	}
	if model.Name() != "anything" {
		if err := backends.CheckInputs(declared, inputs.Outputs); err != nil {
			return err
		}
	}
	outputs, err := backendtest.Reference(r.Context(), inputs.Outputs)
	if err != nil {
		return err
	}
	answer, size, err := oip.Request(outputs, headOf(r, head) >= 0)
	if err != nil {
		return err
	}
	whole := strings.Replace(string(answer[:size]), `"inputs":`,
		fmt.Sprintf(`"model_name":%q,"model_version":%q,"outputs":`, model.Name(), version), 1)
	if headOf(r, head) >= 0 {
		w.Header().Set("Inference-Header-Content-Length", strconv.Itoa(len(whole)))
	}
	_, err = w.Write(append([]byte(whole), answer[size:]...))
	return err
}

// headOf is the length of the JSON of a request with tensors in binary, whose name for the inputs
// became longer by one letter, or -1.
func headOf(r *http.Request, head int) int {
	if r.Header.Get("Inference-Header-Content-Length") == "" {
		return -1
	}
	return head + 1
}

// anything is a model that takes x of any type and shape, and gives it back as y.
func anything() *loaders.Model {
	return loaders.ONNXBytes("anything", onnxtest.Model{}.Bytes())
}

// deploying is an engine that deploys what it is to run.
type deploying struct{ to *standIn }

func (d deploying) Text() string     { return "deploying " + d.to.URL }
func (d deploying) String() string   { return "deploying" }
func (d deploying) GoString() string { return "deploying()" }

func (d deploying) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX("deploying", model)
	if err != nil {
		return nil, err
	}
	if _, err := m.Inputs(); err != nil {
		return nil, err
	}
	b, err := served.Model(d.to.deploy(m.Name(), m)).Open(ctx, m, inputs)
	if err != nil {
		return nil, err
	}
	return deployed{b, d}, nil
}

// deployed runs as the engine that deployed it.
type deployed struct {
	backends.Backend
	engine deploying
}

func (d deployed) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	run, err := d.Backend.Run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	of := run.Subject()
	of.Engine = d.engine
	return backends.NewRunOf(ctx, run.Provenance, of, inputs, run.Iterations()...), nil
}

// supported are the protocol's element types. JSON has no strings other than UTF-8, and no NaN.
var supported = []tensor.ElementType{tensor.Bool, tensor.Uint8, tensor.Uint16, tensor.Uint32,
	tensor.Uint64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Float16,
	tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.String}
