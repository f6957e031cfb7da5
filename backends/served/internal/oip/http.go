package oip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/tensor"
)

// headLength is the name of the HTTP header for the length of the JSON in a body. The header is
// sent if binary tensors follow the JSON.
const headLength = "Inference-Header-Content-Length"

// httpClient is a connection to one model on an HTTP server.
type httpClient struct {
	target    Target
	base      string // the server's base URL
	model     string // the model's URL
	client    *http.Client
	transport *http.Transport
	inBinary  bool
}

func newHTTP(t Target) *httpClient {
	base := url.URL{Scheme: t.Scheme, Host: t.Host, Path: t.Prefix}
	transport := &http.Transport{TLSClientConfig: t.TLS, Proxy: http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute, DisableCompression: true}
	c := &httpClient{target: t, transport: transport, inBinary: t.Binary,
		client: &http.Client{Transport: transport, CheckRedirect: sameOrigin}}
	c.base = strings.TrimSuffix(base.String(), "/") + "/v2"
	c.model = c.base + "/models/" + url.PathEscape(t.Model)
	if t.Version != "" {
		c.model += "/versions/" + url.PathEscape(t.Version)
	}
	return c
}

// sameOrigin rejects redirects to a different origin or from TLS to plain text, because the
// request's headers may contain a password.
func sameOrigin(r *http.Request, via []*http.Request) error {
	if r.URL.Scheme != via[0].URL.Scheme || r.URL.Host != via[0].URL.Host || len(via) > 5 {
		return fmt.Errorf("the server redirects to %s; use that URL", r.URL.Redacted())
	}
	return nil
}

// Describe asks the server for metadata and whether the model is ready.
func (c *httpClient) Describe(ctx context.Context) (Description, error) {
	if _, _, err := c.do(ctx, http.MethodGet, c.model+"/ready", nil, 0); err != nil {
		return Description{}, fmt.Errorf("model %s is not ready: %w", c.target.Model, err)
	}
	var server struct {
		Name       string   `json:"name"`
		Version    string   `json:"version"`
		Extensions []string `json:"extensions"`
	}
	var model struct {
		Platform string `json:"platform"`
		Inputs   []Value
	}
	for from, into := range map[string]any{c.base: &server, c.model: &model} {
		body, _, err := c.do(ctx, http.MethodGet, from, nil, 0)
		if err != nil {
			return Description{}, err
		}
		if err := json.Unmarshal(body, into); err != nil {
			return Description{}, fmt.Errorf("metadata: %w", Broken("%w", err))
		}
	}
	c.inBinary = c.target.Binary || slices.ContainsFunc(server.Extensions, func(e string) bool {
		return e == "binary_tensor_data" || e == "binary_data"
	})
	return Description{Server: server.Name, ServerVersion: server.Version,
		Platform: model.Platform, Inputs: model.Inputs}, nil
}

// Infer sends inputs and returns the server's answer.
func (c *httpClient) Infer(ctx context.Context, inputs *tensor.Set) (Answer, error) {
	body, head, err := Request(inputs, c.inBinary)
	if err != nil {
		return Answer{}, err
	}
	if !c.inBinary {
		head = 0
	}
	answer, header, err := c.do(ctx, http.MethodPost, c.model+"/infer", body, head)
	if err != nil {
		return Answer{}, err
	}
	size := -1
	if text := header.Get(headLength); text != "" {
		if size, err = strconv.Atoi(text); err != nil || size < 0 {
			return Answer{}, Broken("%s is %.40q", headLength, text)
		}
	}
	return Response(answer, size)
}

// Close closes idle connections.
func (c *httpClient) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// do sends a request and reads the answer. For a status code other than 2xx, it returns an error
// with the server's text. The error is [Unsent] if no connection was made or the server is busy.
func (c *httpClient) do(ctx context.Context, method, to string, body []byte, head int) (
	[]byte, http.Header, error) {
	r, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.GetBody = nil // no automatic retry: the server may have run the request
	for name, values := range c.target.Header {
		r.Header[name] = values
	}
	if head > 0 {
		r.Header.Set(headLength, strconv.Itoa(head))
		r.Header.Set("Content-Type", "application/octet-stream")
	} else if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return nil, nil, unsent(err)
	}
	defer answer.Body.Close()
	data, err := limited(answer.Body)
	if err != nil {
		return nil, nil, err
	}
	if answer.StatusCode/100 != 2 {
		err := fmt.Errorf("%s %s: %s%s", method, r.URL.Path, answer.Status, said(data))
		if answer.StatusCode == http.StatusTooManyRequests ||
			answer.StatusCode == http.StatusServiceUnavailable {
			return nil, nil, &Unsent{err}
		}
		return nil, nil, err
	}
	return data, answer.Header, nil
}

// unsent returns an [Unsent] that wraps the error if no connection had been made yet. It returns
// any other error unchanged.
func unsent(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err // drop the address, which may contain a password
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return &Unsent{err}
	}
	return err
}

// said returns the beginning of an error response's body, for an error message.
func said(data []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(data), "?")), " ")
	if text == "" {
		return ""
	}
	return fmt.Sprintf(": %.1000s", text)
}

// limited reads a body and stops with an error if too little memory is free.
func limited(from io.Reader) ([]byte, error) {
	var all bytes.Buffer
	for {
		n, err := io.CopyN(&all, from, 64<<20)
		if err == io.EOF {
			return all.Bytes(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("the response is truncated after %d bytes: %w", all.Len(), err)
		}
		if err := memory.Allows(uint64(n) + 2*uint64(all.Len())); err != nil {
			return nil, fmt.Errorf("the answer has more than %d MB: %w", all.Len()>>20, err)
		}
	}
}
