// Package grpc adds gRPC to backends/served: a program that imports it may use URLs that start with
// grpc:// or, for TLS, grpcs://. It is a separate package because it links grpc-go.
//
//	import _ "github.com/modelparity/modelparity/backends/served/grpc"
package grpc

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/tensor"
)

func init() {
	oip.Register("grpc", dial)
	oip.Register("grpcs", dial)
}

// client is a connection to one model on a gRPC server.
type client struct {
	target oip.Target
	conn   *grpc.ClientConn
}

// largest is the size limit of a gRPC message in bytes.
const largest = 1<<31 - 1

func dial(t oip.Target) (oip.Client, error) {
	if t.Prefix != "" {
		return nil, fmt.Errorf("a gRPC URL must not have a path before /v2, got %s", t.Prefix)
	}
	secure := insecure.NewCredentials()
	if t.Scheme == "grpcs" {
		secure = credentials.NewTLS(t.TLS)
	}
	conn, err := grpc.NewClient(t.Host, grpc.WithTransportCredentials(secure),
		grpc.WithDisableRetry(), grpc.WithDefaultCallOptions(grpc.ForceCodec(asIs{}),
			grpc.MaxCallRecvMsgSize(largest), grpc.MaxCallSendMsgSize(largest)))
	if err != nil {
		return nil, err
	}
	return &client{t, conn}, nil
}

// asIs is a codec that leaves messages unchanged, because wire.go has already encoded them.
type asIs struct{}

func (asIs) Name() string                       { return "proto" }
func (asIs) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (asIs) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }

// call calls a method of the inference service.
func (c *client) call(ctx context.Context, method string, request []byte) ([]byte, error) {
	for name, values := range c.target.Header {
		for _, value := range values {
			ctx = metadata.AppendToOutgoingContext(ctx, strings.ToLower(name), value)
		}
	}
	var answer []byte
	err := c.conn.Invoke(ctx, "/inference.GRPCInferenceService/"+method, &request, &answer)
	if err == nil {
		return answer, nil
	}
	s, _ := status.FromError(err)
	// The server knows the deadline too, and may report it just before this process does.
	if end, ok := ctx.Deadline(); ok && s.Code() == codes.DeadlineExceeded &&
		time.Until(end) < 50*time.Millisecond {
		<-ctx.Done()
	}
	said := fmt.Errorf("%s: %v: %.1000s", method, s.Code(),
		strings.Join(strings.Fields(strings.ToValidUTF8(s.Message(), "?")), " "))
	if s.Code() == codes.Unavailable && strings.Contains(s.Message(), "while dialing") {
		return nil, &oip.Unsent{Err: said}
	}
	return nil, said
}

// Describe asks the server for metadata and whether the model is ready.
func (c *client) Describe(ctx context.Context) (d oip.Description, err error) {
	request := modelRequest(c.target.Model, c.target.Version)
	ready, err := c.call(ctx, "ModelReady", request)
	if err != nil {
		return d, fmt.Errorf("model %s is not ready: %w", c.target.Model, err)
	}
	if !isReady(ready) {
		return d, fmt.Errorf("the server reports that model %s is not ready", c.target.Model)
	}
	server, err := c.call(ctx, "ServerMetadata", nil)
	if err != nil {
		return d, err
	}
	if err := readServer(server, &d); err != nil {
		return d, fmt.Errorf("metadata: %w", err)
	}
	model, err := c.call(ctx, "ModelMetadata", request)
	if err != nil {
		return d, err
	}
	if err := readModel(model, &d); err != nil {
		return d, fmt.Errorf("metadata: %w", err)
	}
	return d, nil
}

// Infer sends inputs and returns the server's answer.
func (c *client) Infer(ctx context.Context, inputs *tensor.Set) (oip.Answer, error) {
	request, err := inferRequest(c.target.Model, c.target.Version, inputs)
	if err != nil {
		return oip.Answer{}, err
	}
	answer, err := c.call(ctx, "ModelInfer", request)
	if err != nil {
		return oip.Answer{}, err
	}
	return readAnswer(answer)
}

// Close closes the connection.
func (c *client) Close() error { return c.conn.Close() }
