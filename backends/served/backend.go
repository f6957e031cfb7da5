package served

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/inuse"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// backend is a deployed model with the connections to its servers.
type backend struct {
	inuse.Guard // of the connections; each run is a use
	deployment  deployment
	settings    *settings
	model       fixtures.Declaration
	servers     []server
	about       oip.Description // the first server's description
	inputs      []loaders.Value // the declared inputs to check; nil if unknown
}

// server is one of the servers on which the model is deployed.
type server struct {
	oip.Target
	client oip.Client
}

// open connects to the servers. inputs are the inputs that the deployed ONNX model declares, or nil
// if unknown.
func (d deployment) open(ctx context.Context, inputs []loaders.Value) (*backend, error) {
	targets, s, err := d.targets()
	if err != nil {
		return nil, err
	}
	b := &backend{deployment: d, settings: s}
	b.Free = func() error {
		for _, s := range b.servers {
			_ = s.client.Close() // frees idle connections
		}
		return nil
	}
	for i, t := range targets {
		client, err := oip.Dial(t)
		if err != nil {
			_ = b.Close() // Close never fails
			return nil, fmt.Errorf("served: %w", err)
		}
		b.servers = append(b.servers, server{t, client})
		about, err := retried(ctx, s, client.Describe)
		if err == nil {
			err = compatible(about, inputs)
		}
		if err != nil {
			_ = b.Close() // Close never fails
			return nil, fmt.Errorf("%s: %w", t.URL, err)
		}
		if i == 0 {
			b.about = about
		}
	}
	if b.inputs = inputs; inputs == nil && len(b.about.Inputs) > 0 { // else no inputs are declared
		b.inputs = declared(b.about.Inputs)
	}
	return b, nil
}

// compatible returns an error if the inputs of a server's model differ from the inputs of the
// deployed ONNX model.
func compatible(about oip.Description, inputs []loaders.Value) error {
	if len(about.Inputs) == 0 {
		return nil
	}
	for _, want := range inputs {
		i := slices.IndexFunc(about.Inputs, func(v oip.Value) bool { return v.Name == want.Name })
		if i < 0 {
			var names []string
			for _, v := range about.Inputs {
				names = append(names, v.Name)
			}
			return fmt.Errorf("the deployed model has no input %s, only %s", want,
				strings.Join(names, ", "))
		}
		if got := oip.ElementType(about.Inputs[i].Datatype); got != want.Type {
			return fmt.Errorf("input %s is %s in the deployed model, but the ONNX model declares %s",
				want.Name, about.Inputs[i].Datatype, want)
		}
	}
	return nil
}

// Run runs the model on every iteration of inputs. The servers take turns, but the first iteration
// runs on all of them.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if !b.Enter() {
		return nil, fmt.Errorf("%v: %w", b.deployment, backends.ErrClosed)
	}
	defer b.Leave()
	p := backends.Provenance{Backend: "served", Version: strings.TrimSpace(
		b.about.Server + " " + b.about.ServerVersion), Provider: b.about.Platform,
		Model: b.deployment.Name(), Options: map[string]string{}}
	if n := len(b.servers); n > 1 {
		p.Options["replicas"] = strconv.Itoa(n)
	}
	if b.deployment.generates {
		p.Provider, p.Model = "", b.about.Platform
	}
	of := backends.Subject{Engine: b.deployment, Model: b.model}
	r := &round{backend: b}
	run, err := backends.CollectWarm(ctx, p, of, inputs, b.settings.WarmUp, r.infer)
	if err != nil {
		return nil, err
	}
	if b.deployment.generates {
		run = run.WithNotes(b.settings.note())
	}
	if r.version != "" {
		run.Provenance.Options["model version"] = r.version
	}
	return run, nil
}

// round is one run of a backend: how many iterations it has had, and which version of the model the
// servers have reported.
type round struct {
	*backend
	iterations int
	version    string // "" until a server has reported one
}

func (r *round) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	if r.inputs != nil {
		if err := backends.CheckInputs(r.inputs, inputs); err != nil {
			return nil, err
		}
	}
	at := r.iterations
	r.iterations++
	if at > 0 {
		return r.ask(ctx, r.servers[at%len(r.servers)], inputs)
	}
	first, err := r.ask(ctx, r.servers[0], inputs)
	if err != nil {
		return nil, err
	}
	for _, other := range r.servers[1:] {
		outputs, err := r.ask(ctx, other, inputs)
		if err != nil {
			return nil, err
		}
		if why := differ(outputs, first); why != "" {
			return nil, fmt.Errorf("the replicas %s and %s return different outputs for the same inputs: "+
				"%s; to find the faulty one, run modelparity vote", other.URL, r.servers[0].URL, why)
		}
	}
	return first, nil
}

func (r *round) ask(ctx context.Context, from server, inputs *tensor.Set) (*tensor.Set, error) {
	answer, err := retried(ctx, r.settings, func(ctx context.Context) (oip.Answer, error) {
		return from.client.Infer(ctx, inputs)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", from.URL, err)
	case answer.Outputs.Len() == 0:
		return nil, fmt.Errorf("%s: the answer contains no outputs", from.URL)
	case from.Version != "" && answer.Version != "" && answer.Version != from.Version:
		return nil, fmt.Errorf("%s: version %q of the model answered, expected %q", from.URL,
			answer.Version, from.Version)
	case r.version != "" && answer.Version != "" && answer.Version != r.version:
		return nil, fmt.Errorf("%s: version %q of the model answered after version %q: the model was "+
			"redeployed, or the replicas differ", from.URL, answer.Version, r.version)
	}
	if answer.Version != "" {
		r.version = answer.Version
	}
	return answer.Outputs, nil
}

// differ describes the first difference between the answers of two servers. It returns "" if there
// is none.
func differ(first, second *tensor.Set) string {
	for name, a := range first.All() {
		b, ok := second.Get(name)
		if !ok || first.Len() != second.Len() {
			return fmt.Sprintf("the first replica returns the outputs %v, but the second returns %v",
				first.Names(), second.Names())
		}
		if a.Identical(b) {
			continue
		}
		if a.ElementType() != b.ElementType() || !a.Shape().Equal(b.Shape()) {
			return fmt.Sprintf("output %q is %v%v on the first replica, but %v%v on the second",
				name, a.ElementType(), a.Shape(), b.ElementType(), b.Shape())
		}
		for i := range a.Len() {
			if a.Text(i) != b.Text(i) {
				return fmt.Sprintf("output %q at %v is %s on the first replica, but %s on the second",
					name, tensor.Shape(a.Shape().Index(i)), a.Text(i), b.Text(i))
			}
		}
		return fmt.Sprintf("output %q has NaNs with different bits", name)
	}
	return ""
}

// retried sends a request with a timeout. If the server has not run the request, retried sends it
// again.
func retried[T any](ctx context.Context, s *settings, do func(context.Context) (T, error)) (
	T, error) {
	for attempt := 0; ; attempt++ {
		result, err := once(ctx, s.Timeout, do)
		var unsent *oip.Unsent
		if err == nil || attempt >= s.Retries || !errors.As(err, &unsent) {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond << attempt):
		}
	}
}

// once sends one request with a timeout.
func once[T any](ctx context.Context, timeout time.Duration,
	do func(context.Context) (T, error)) (T, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout,
			fmt.Errorf("no answer within %v; to allow more time, set served.Timeout", timeout))
		defer cancel()
	}
	result, err := do(ctx)
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
	}
	return result, err
}
