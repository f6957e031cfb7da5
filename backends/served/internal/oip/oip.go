// Package oip implements version 2 of the Open Inference Protocol, which Triton, KServe, MLServer
// and OpenVINO's model server speak. A [Client] is a connection to one model on one server: over
// HTTP in this package, over gRPC in backends/served/grpc. Servers are not trusted: no answer can
// cause a panic or use more memory than a few times its own size.
package oip

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// Target is the address of a model on a server.
type Target struct {
	URL     string // for messages
	Scheme  string // http, https, grpc, grpcs
	Host    string // with the port
	Prefix  string // the path before /v2
	Model   string
	Version string      // "" lets the server choose
	TLS     *tls.Config // nil without TLS
	Header  http.Header
	Binary  bool // use binary tensors over HTTP even if the server does not offer them

	// Generation is set for a completions server; Prefix is then the path before /completions.
	Generation *Generation
}

// Client is a connection to one model on one server.
type Client interface {
	// Describe returns the server's description of itself and the model. It returns an error if the
	// model is not ready. It must have returned before Infer is called.
	Describe(ctx context.Context) (Description, error)
	// Infer sends the inputs, in the order of the set, and returns the server's answer.
	Infer(ctx context.Context, inputs *tensor.Set) (Answer, error)
	Close() error
}

// Description is the server's description of itself and the model.
type Description struct {
	Server, ServerVersion string
	Platform              string  // the model's platform
	Inputs                []Value // nil if the server does not declare them
}

// Value is a declared input or output. A dimension of -1 is dynamic.
type Value struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// Answer is the result of one inference.
type Answer struct {
	Version string // of the model; "" if not reported
	Outputs *tensor.Set
}

// Unsent wraps the error of a request that the server has not run. It is safe to send such a
// request again.
type Unsent struct{ Err error }

func (u *Unsent) Error() string { return u.Err.Error() }

// Unwrap returns the wrapped error.
func (u *Unsent) Unwrap() error { return u.Err }

// ErrAnswer is wrapped by every error for an answer that violates the protocol.
var ErrAnswer = errors.New("the server's answer violates the protocol")

// Broken returns an error for an answer that violates the protocol.
func Broken(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrAnswer, fmt.Errorf(format, args...))
}

var dialers = map[string]func(Target) (Client, error){"http": dialHTTP, "https": dialHTTP}

func dialHTTP(t Target) (Client, error) { return newHTTP(t), nil }

// Register makes [Dial] use dial for URLs with the given scheme. Call it only in an init function.
func Register(scheme string, dial func(Target) (Client, error)) { dialers[scheme] = dial }

// Dial returns a client. It does not connect yet.
func Dial(t Target) (Client, error) {
	dial := dialers[t.Scheme]
	switch {
	case dial != nil && t.Generation != nil:
		return newCompletions(t)
	case dial != nil:
		return dial(t)
	case strings.HasPrefix(t.Scheme, "grpc"):
		return nil, fmt.Errorf("%s:// needs gRPC, which is not linked; import _ %q", t.Scheme,
			"github.com/modelparity/modelparity/backends/served/grpc")
	}
	return nil, fmt.Errorf("unknown scheme %q: want http, https, grpc or grpcs", t.Scheme)
}

// datatypes maps element types to their names in the protocol.
var datatypes = map[tensor.ElementType]string{
	tensor.Bool: "BOOL", tensor.Uint8: "UINT8", tensor.Uint16: "UINT16", tensor.Uint32: "UINT32",
	tensor.Uint64: "UINT64", tensor.Int8: "INT8", tensor.Int16: "INT16", tensor.Int32: "INT32",
	tensor.Int64: "INT64", tensor.Float16: "FP16", tensor.BFloat16: "BF16",
	tensor.Float32: "FP32", tensor.Float64: "FP64", tensor.String: "BYTES",
}

// Datatype returns the protocol's name of an element type. It returns an error for float8 and for
// types of fewer than 8 bits, which the protocol lacks.
func Datatype(elem tensor.ElementType) (string, error) {
	if name, ok := datatypes[elem]; ok {
		return name, nil
	}
	return "", fmt.Errorf("the Open Inference Protocol has no element type %v", elem)
}

// ElementType returns the element type that the protocol calls datatype, or Invalid if the protocol
// has no such name.
func ElementType(datatype string) tensor.ElementType {
	for elem, name := range datatypes {
		if name == datatype {
			return elem
		}
	}
	return tensor.Invalid
}
