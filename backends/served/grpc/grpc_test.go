package grpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/protofield"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/tlstest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// standIn is a server that computes backendtest's models.
type standIn struct {
	address string

	mu     sync.Mutex
	models map[string]*loaders.Model
	typed  bool // gives typed contents where the protocol has them
	spoil  func(context.Context) ([]byte, error)
}

func newStandIn(t testing.TB, options ...grpc.ServerOption) *standIn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &standIn{address: listener.Addr().String(), models: map[string]*loaders.Model{}}
	options = append(options, grpc.ForceServerCodec(asIs{}), grpc.UnknownServiceHandler(
		func(_ any, stream grpc.ServerStream) error {
			var request []byte
			if err := stream.RecvMsg(&request); err != nil {
				return err
			}
			method, _ := grpc.MethodFromServerStream(stream)
			answer, err := s.answer(stream.Context(), method, request)
			if err != nil {
				return err
			}
			return stream.SendMsg(&answer)
		}))
	server := grpc.NewServer(options...)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	return s
}

func (s *standIn) deploy(m *loaders.Model) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models[m.Name()] = m
	return "grpc://" + s.address + "/v2/models/" + m.Name()
}

func (s *standIn) answer(ctx context.Context, method string, request []byte) ([]byte, error) {
	if strings.HasSuffix(method, "ServerMetadata") {
		return appendText(appendText(nil, serverName, "stand-in"), serverVersion, "0.1"), nil
	}
	var name string
	var values []oip.Value
	var raw [][]byte
	err := fields(request, func(f protofield.Field) error {
		switch f.Number {
		case requestModel:
			name = string(f.Bytes)
		case requestInputs:
			v, _, err := readTensor(f.Bytes)
			values = append(values, v)
			return err
		case requestRaw:
			raw = append(raw, f.Bytes)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	model, spoil, typed := s.models[name], s.spoil, s.typed
	s.mu.Unlock()
	if model == nil {
		return nil, status.Error(codes.NotFound, "unknown model "+name)
	}
	declared, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(method, "ModelReady"):
		return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1), nil
	case strings.HasSuffix(method, "ModelMetadata"):
		answer := appendText(nil, modelPlatform, "go")
		for _, v := range declared {
			datatype, _ := oip.Datatype(v.Type)
			m := appendText(appendText(nil, tensorName, v.Name), tensorType, datatype)
			for _, d := range v.Dims { // not packed
				m = protowire.AppendTag(m, tensorShape, protowire.VarintType)
				m = protowire.AppendVarint(m, uint64(d.Size))
			}
			answer = appendBytes(answer, modelInputs, m)
		}
		return answer, nil
	case spoil != nil:
		return spoil(ctx)
	}
	var entries []tensor.Entry
	for i, v := range values {
		t, err := oip.FromRaw(v.Datatype, v.Shape, raw[i])
		if err != nil {
			return nil, err
		}
		entries = append(entries, tensor.Entry{Name: v.Name, Tensor: t})
	}
	inputs, err := tensor.NewSet(entries...)
	if err != nil {
		return nil, err
	}
	outputs, err := backendtest.Reference(ctx, inputs)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	return answerOf(name, outputs, typed), nil
}

// answerOf is an answer with the outputs, raw or in typed contents.
func answerOf(name string, outputs *tensor.Set, typed bool) []byte {
	answer := appendText(appendText(nil, 1, name), answerVersion, "1")
	var raw []byte
	for name, t := range outputs.All() {
		datatype, _ := oip.Datatype(t.ElementType())
		m := appendText(appendText(nil, tensorName, name), tensorType, datatype)
		var shape []byte
		for _, d := range t.Shape() {
			shape = protowire.AppendVarint(shape, uint64(d))
		}
		m = appendBytes(m, tensorShape, shape)
		of, has := contentsOf[t.ElementType()]
		if !typed || !has {
			raw = appendBytes(raw, answerRaw, oip.Raw(t))
			answer = appendBytes(answer, answerOutputs, m)
			continue
		}
		var contents []byte
		for i := range t.Len() {
			contents = protowire.AppendTag(contents, of.number, of.kind)
			switch of.kind {
			case protowire.Fixed32Type:
				contents = protowire.AppendFixed32(contents, math.Float32bits(float32(t.Float64At(i))))
			case protowire.Fixed64Type:
				contents = protowire.AppendFixed64(contents, math.Float64bits(t.Float64At(i)))
			case protowire.BytesType:
				contents = protowire.AppendString(contents, t.Strings()[i])
			default:
				contents = protowire.AppendVarint(contents, uint64(int64(t.Float64At(i))))
			}
		}
		answer = appendBytes(answer, answerOutputs, appendBytes(m, tensorContents, contents))
	}
	return append(answer, raw...)
}

// deploying is an engine that deploys what it is to run.
type deploying struct{ to *standIn }

func (d deploying) Text() string     { return "deploying " + d.to.address }
func (d deploying) String() string   { return "deploying" }
func (d deploying) GoString() string { return "deploying()" }

func (d deploying) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX("deploying", model)
	if err != nil {
		return nil, err
	}
	if err := m.Load(); err != nil {
		return nil, err
	}
	return served.Model(d.to.deploy(m)).Open(ctx, m, inputs)
}

// TestContract holds models behind gRPC to what every engine must do.
func TestContract(t *testing.T) {
	types := []tensor.ElementType{tensor.Bool, tensor.Uint8, tensor.Uint16, tensor.Uint32,
		tensor.Uint64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Float16,
		tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.String}
	for _, spec := range backendtest.Specs(deploying{newStandIn(t)}, backendtest.Types(types...)) {
		switch spec.Name {
		case "records how each run was made, so that it can be repeated":
			continue // no server tells a checksum of its model
		case "refuses an operator that it does not know":
			continue // the stand-in reads no nodes
		}
		t.Run(spec.Name, func(t *testing.T) { spec.Run(t.Context(), t) })
	}
}

// TestTypedContentsAreRead holds every type that may come as a list of numbers in the message.
func TestTypedContentsAreRead(t *testing.T) {
	g := NewWithT(t)
	var entries []tensor.Entry
	for elem := range contentsOf {
		x, err := tensor.FromStrings(tensor.Shape{2}, []string{"a\x00", ""})
		if elem != tensor.String {
			last := make([]byte, elem.Bytes(2))
			last[len(last)-1] = 1
			if elem.IsSigned() && elem.IsInteger() {
				last[len(last)-1] = 0xff
			}
			x, err = tensor.FromBytes(elem, tensor.Shape{2}, last)
		}
		g.Expect(err).NotTo(HaveOccurred())
		if elem.Bits() == 64 && elem.IsInteger() {
			x, err = tensor.FromBytes(elem, tensor.Shape{1}, []byte{7, 1, 0, 0, 0, 0, 0, 0})
			g.Expect(err).NotTo(HaveOccurred())
		}
		entries = append(entries, tensor.Entry{Name: elem.String(), Tensor: x})
	}
	set, err := tensor.NewSet(entries...)
	g.Expect(err).NotTo(HaveOccurred())
	answer, err := readAnswer(answerOf("m", set, true))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(answer.Version).To(Equal("1"))
	for name, want := range set.All() {
		got, ok := answer.Outputs.Get(name)
		g.Expect(ok).To(BeTrue())
		g.Expect(got.Bytes()).To(Equal(want.Bytes()), name)
		g.Expect(got.Strings()).To(Equal(want.Strings()), name)
	}
}

// identity is y = x over float32[n,3].
func identity() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n", 3}}
	}
	return loaders.ONNXBytes("net", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:  []onnxtest.Node{{Op: "Identity", In: []string{"x"}, Out: []string{"y"}}},
		Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")}}}.Bytes())
}

func row() fixtures.Inputs {
	x, _ := tensor.New(tensor.Shape{1, 3}, []float32{1, 2, 3})
	set, _ := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
	return fixtures.Of(set)
}

func TestFailuresOfAServer(t *testing.T) {
	server := newStandIn(t)
	for name, fault := range map[string]struct {
		spoil func(context.Context) ([]byte, error)
		says  string
	}{
		"garbage": {func(context.Context) ([]byte, error) { return []byte{0xff}, nil },
			"the server's answer violates the protocol"},
		"nothing": {func(context.Context) ([]byte, error) { return nil, nil },
			"the answer contains no outputs"},
		"data without an output": {func(context.Context) ([]byte, error) {
			return appendBytes(appendBytes(appendBytes(nil, answerOutputs, nil), answerRaw, nil),
				answerRaw, nil), nil
		}, "it declares 1 outputs, but has data for 2"},
		"an int8 of 300": {func(context.Context) ([]byte, error) {
			m := appendText(appendText(nil, tensorName, "y"), tensorType, "INT8")
			m = appendBytes(m, tensorShape, []byte{1})
			return appendBytes(nil, answerOutputs, appendBytes(m, tensorContents,
				protowire.AppendVarint([]byte{2 << 3}, 300))), nil
		}, `output "y": the server's answer violates the protocol: ` +
			`element 0 is 300, which is outside the range of int8`},
		"an error": {func(context.Context) ([]byte, error) {
			return nil, status.Error(codes.Internal, "the beads\nare loose")
		}, "ModelInfer: Internal: the beads are loose"},
		"a hang": {func(ctx context.Context) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, "no answer within 300ms; to allow more time, set served.Timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server.mu.Lock()
			server.spoil = fault.spoil
			server.mu.Unlock()
			_, err := served.Model(server.deploy(identity()), served.Timeout(300*time.Millisecond)).Run(
				t.Context(), row())
			g.Expect(err).To(MatchError(ContainSubstring(fault.says)))
			server.mu.Lock()
			server.spoil = nil
			server.mu.Unlock()
			_, err = served.Model(server.deploy(identity())).Run(t.Context(), row())
			g.Expect(err).NotTo(HaveOccurred(), "the next run")
		})
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	g := NewWithT(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	gone := listener.Addr().String()
	g.Expect(listener.Close()).To(Succeed())
	c, err := oip.Dial(oip.Target{Scheme: "grpc", Host: gone, Model: "m"})
	g.Expect(err).NotTo(HaveOccurred())
	defer c.Close()
	_, err = c.Describe(t.Context())
	var unsent *oip.Unsent
	g.Expect(errors.As(err, &unsent)).To(BeTrue(), "%v", err)
	_, err = served.Model("grpc://"+gone+"/prefix/v2/models/m").Run(t.Context(), row())
	g.Expect(err).To(MatchError(ContainSubstring("a gRPC URL must not have a path")))
}

func TestHeadersAreSent(t *testing.T) {
	g := NewWithT(t)
	server := newStandIn(t)
	got := make(chan []string, 1)
	server.spoil = func(ctx context.Context) ([]byte, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		got <- md.Get("authorization")
		return nil, fmt.Errorf("enough")
	}
	t.Setenv("TEST_SERVED_TOKEN", "Bearer sesame")
	_, err := served.Model(server.deploy(identity()), served.Header("Authorization",
		"TEST_SERVED_TOKEN")).Run(t.Context(), row())
	g.Expect(err).To(MatchError(ContainSubstring("enough")))
	g.Expect(<-got).To(Equal([]string{"Bearer sesame"}))
}

func TestTLSWithAClientsCertificate(t *testing.T) {
	g := NewWithT(t)
	config, files := tlstest.New(t)
	server := newStandIn(t, grpc.Creds(credentials.NewTLS(config)))
	url := strings.Replace(server.deploy(identity()), "grpc:", "grpcs:", 1)
	trusted := served.CA(files.CA)
	run, err := served.Model(url, trusted, served.ClientCertificate(files.Certificate, files.Key)).Run(
		t.Context(), row())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(run.Outputs()[0].String()).To(Equal("{y: float32[1,3]}"))
	_, err = served.Model(url, served.ClientCertificate(files.Certificate, files.Key),
		served.Retries(0)).Run(t.Context(), row())
	g.Expect(err).To(MatchError(ContainSubstring("certificate signed by unknown authority")))
	// What the server says of it may come after the connection broke.
	_, err = served.Model(url, trusted, served.Retries(0)).Run(t.Context(), row())
	g.Expect(err).To(MatchError(ContainSubstring("model net is not ready: ")))
	_, err = served.Model(strings.Replace(url, "grpcs:", "grpc:", 1), served.Retries(0),
		served.Timeout(5*time.Second)).Run(t.Context(), row())
	g.Expect(err).To(HaveOccurred(), "without TLS")
}

// FuzzAnswer holds that no message panics, and that what is read can be sent and read again.
func FuzzAnswer(f *testing.F) {
	x, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of[float32](1, 2)},
		tensor.Entry{Name: "n", Tensor: tensor.Of[int8](-1)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(answerOf("m", x, true))
	f.Add(answerOf("m", x, false))
	f.Fuzz(func(t *testing.T, message []byte) {
		var d oip.Description
		_, _ = readServer(message, &d), readModel(message, &d) // must not panic
		first, err := readAnswer(message)
		if err != nil {
			return
		}
		again, err := readAnswer(answerOf("m", first.Outputs, false))
		if err != nil || again.Outputs.String() != first.Outputs.String() {
			t.Fatalf("%v was read back as %v: %v", first.Outputs, again.Outputs, err)
		}
	})
}
