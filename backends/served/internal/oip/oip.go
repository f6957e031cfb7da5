// Package oip speaks the Open Inference Protocol, version 2, which Triton, KServe, MLServer and
// OpenVINO's model server share. A [Client] is one model of one server, by HTTP here and by gRPC in
// backends/served/grpc. Servers are taken for hostile: no answer panics, or takes more memory than
// a few times its own size.
package oip

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/tensor"
)

// Target is a model of a server.
type Target struct {
	Scheme  string // http, https, grpc, grpcs
	Host    string // with its port
	Prefix  string // of the path, before /v2
	Model   string
	Version string      // "" for the server's choice
	TLS     *tls.Config // nil without TLS
	Header  http.Header
	Binary  bool // tensors in binary over HTTP although the server does not offer it
}

// Client is a model of a server.
type Client interface {
	// Describe asks the server what it is and what it says of the model. It is an error if the model
	// is not ready.
	Describe(ctx context.Context) (Description, error)
	// Infer sends inputs, in order, and returns the outputs.
	Infer(ctx context.Context, inputs *tensor.Set) (Answer, error)
	Close() error
}

// Description is what a server says of itself and the model.
type Description struct {
	Server, ServerVersion string
	Extensions            []string
	Platform              string   // of the model
	Versions              []string // of the model, that could be had
	Inputs, Outputs       []Value  // nil where the server does not say
}

// Value is a declared input or output. A dimension of -1 is dynamic.
type Value struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// Answer is what one inference gave.
type Answer struct {
	Model, Version string // as the server says; "" where it does not
	Outputs        *tensor.Set
}

// Unsent is an error of a request that the server has not run: sending it again is safe.
type Unsent struct{ Err error }

func (u *Unsent) Error() string { return u.Err.Error() }

// Unwrap is the error itself.
func (u *Unsent) Unwrap() error { return u.Err }

// ErrAnswer is wrapped by errors of answers that break the protocol.
var ErrAnswer = errors.New("the answer breaks the protocol")

// broken is an error of an answer.
func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrAnswer, fmt.Errorf(format, args...))
}

var (
	mu      sync.Mutex
	dialers = map[string]func(Target) (Client, error){"http": newHTTP, "https": newHTTP}
)

// Register makes dial responsible for a scheme.
func Register(scheme string, dial func(Target) (Client, error)) {
	mu.Lock()
	defer mu.Unlock()
	dialers[scheme] = dial
}

// Dial returns a client. It does not connect.
func Dial(t Target) (Client, error) {
	mu.Lock()
	dial := dialers[t.Scheme]
	mu.Unlock()
	switch {
	case dial != nil:
		return dial(t)
	case strings.HasPrefix(t.Scheme, "grpc"):
		return nil, fmt.Errorf("%s:// needs gRPC, which few programs link; import _ %q", t.Scheme,
			"github.com/modelparity/modelparity/backends/served/grpc")
	}
	return nil, fmt.Errorf("unknown scheme %q: want http, https, grpc or grpcs", t.Scheme)
}

// datatypes are the protocol's names of element types.
var datatypes = map[tensor.ElementType]string{
	tensor.Bool: "BOOL", tensor.Uint8: "UINT8", tensor.Uint16: "UINT16", tensor.Uint32: "UINT32",
	tensor.Uint64: "UINT64", tensor.Int8: "INT8", tensor.Int16: "INT16", tensor.Int32: "INT32",
	tensor.Int64: "INT64", tensor.Float16: "FP16", tensor.BFloat16: "BF16",
	tensor.Float32: "FP32", tensor.Float64: "FP64", tensor.String: "BYTES",
}

// Datatype is the protocol's name of an element type. Those of fewer than 8 bits, and of float8,
// have none.
func Datatype(elem tensor.ElementType) (string, error) {
	if name, ok := datatypes[elem]; ok {
		return name, nil
	}
	return "", fmt.Errorf("the Open Inference Protocol has no element type %v", elem)
}

// ElementType is the element type of a datatype, Invalid for an unknown one.
func ElementType(datatype string) tensor.ElementType {
	for elem, name := range datatypes {
		if name == datatype {
			return elem
		}
	}
	return tensor.Invalid
}
