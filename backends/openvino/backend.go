package openvino

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/refusals"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// backend is one model that OpenVINO has loaded.
type backend struct {
	engine     engine
	settings   *settings
	model      source
	*session   // the leased session
	lease      *sessions.Lease
	provenance backends.Provenance
}

// source has the methods that ONNX models and files in other formats have in common.
type source interface {
	fixtures.Declaration
	Outputs() ([]loaders.Value, error)
	SHA256() (string, error)
}

// port is an input or an output of the model.
type port struct {
	loaders.Value
	place   int  // index in OpenVINO's list
	absent  bool // OpenVINO dropped the input, because no node reads it
	initial bool // an input with a default value in the model
}

// Open compiles the model. On the CPU, opening the same ONNX model again with the same options
// reuses the compiled model; see [backends.Unshared]. A model is compiled again, however, if a
// [Property] is set, if its compilation depends on the shapes of each run, if it draws random
// numbers, or if OpenVINO reads it from a file because it exceeds 64 MiB or has external data.
//
// Open returns an error if the engine is missing (see [ErrNoLibrary] and [backends.Missing]), if
// options are invalid (all are listed), if the model cannot be read or OpenVINO rejects it
// ([backends.Refusal]), or if the device would compute in a precision other than the requested one.
func (e engine) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	b := &backend{engine: e, settings: s}
	file, is := model.(*foreign)
	var onnx *loaders.Model
	if is {
		b.model = file
	} else if onnx, err = backends.ONNX("openvino", model); err == nil {
		b.model, err = onnx, onnx.Load()
	}
	if err != nil {
		return nil, fmt.Errorf("openvino: %w", err)
	}
	library, err := start(s.Library)
	if err != nil {
		return nil, err
	}
	if err := b.open(ctx, library, file, onnx, inputs); err != nil {
		b.Close()
		refusals.NameFunctions(err, onnx)
		return nil, fmt.Errorf("openvino %s: %s: %w%s", library.Version, model.Name(), err,
			guesses.Text(ctx, err, inputs.Notes()))
	}
	return b, nil
}

func (b *backend) open(ctx context.Context, library *abi.Library, file *foreign,
	onnx *loaders.Model, inputs fixtures.Inputs) (err error) {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	shared, err := b.engine.shared(b.settings, library, onnx)
	if err != nil {
		return err
	}
	b.lease, err = sessions.Shared.Open(ctx, shared, onnx, func() (sessions.Session, error) {
		return b.read(ctx, library, file, onnx)
	})
	if err != nil {
		return err
	}
	b.session = b.lease.Session().(*session)
	shapes, err := b.first(inputs)
	if err != nil {
		return err
	}
	compiled, err := b.get(ctx, shapes)
	if err != nil {
		return err
	}
	if err := b.describe(library, compiled); err != nil || len(b.pending()) > 0 {
		return err // a model with pending shapes is compiled for the shapes of each run
	}
	return b.lease.Lend()
}

// read reads the model into a new session, without compiling it yet.
func (b *backend) read(ctx context.Context, library *abi.Library, file *foreign,
	onnx *loaders.Model) (s *session, err error) {
	var model *abi.Model
	if file != nil {
		model, err = file.read(ctx, library)
	} else {
		model, err = read(ctx, library, onnx)
	}
	if err != nil {
		return nil, explain(err)
	}
	s = newSession(model, b.settings)
	if file != nil {
		err = s.numbered(file)
	} else {
		err = s.named(onnx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// numbered finds OpenVINO's port for each declared input and output of a file by its position,
// because the ports may lack names.
func (s *session) numbered(file *foreign) error {
	declared, err := file.declare()
	for i, v := range declared.inputs {
		s.inputs = append(s.inputs, port{Value: v, place: i})
	}
	for i, v := range declared.outputs {
		s.outputs = append(s.outputs, port{Value: v, place: i})
	}
	return errors.Join(err, s.runnable())
}

// named finds OpenVINO's port for each declared input and output of an ONNX model by its name.
func (s *session) named(onnx *loaders.Model) error {
	inputs, wrongInputs := onnx.Inputs()
	initialized, wrongInitialized := onnx.OverridableInitializers()
	outputs, wrongOutputs := onnx.Outputs()
	if err := cmp.Or(wrongInputs, wrongInitialized, wrongOutputs); err != nil {
		return err
	}
	if len(outputs) == 0 {
		return errors.New("the model has no outputs, so there is nothing to compute")
	}
	in, out, err := s.read.Ports()
	if err != nil {
		return explain(err)
	}
	if s.inputs, err = match("input", inputs, in, s.read.HasInput); err != nil {
		return err
	}
	if len(out) != len(outputs) {
		return refusals.New(engineName, backends.Refused,
			"the model declares %d outputs, but OpenVINO finds %d", len(outputs), len(out))
	}
	if s.outputs, err = match("output", outputs, out, nil); err != nil {
		return err
	}
	for _, v := range initialized {
		s.inputs = append(s.inputs, port{Value: v, initial: true, absent: true})
	}
	return s.runnable()
}

// match finds the ports of the inputs or outputs that the model declares. Ports are in the order of
// the declarations. An input has no port if no node reads it. An input has a port without a name if
// its only reader is a node that changes nothing, such as a Dropout. If a model has both an input
// without a port and a port without a name, match cannot tell which input the port belongs to, and
// returns an error. After a wrong guess, a port would get no value, and OpenVINO would read
// uninitialised memory. has reports whether OpenVINO knows a name; it is not called if there are as
// many ports as declarations.
func match(kind string, declared []loaders.Value, ports []abi.Port, has func(string) bool) (
	[]port, error) {
	list := make([]port, len(declared))
	places := map[string]int{}
	all := len(declared) == len(ports)
	next := 0
	for i, v := range declared {
		list[i] = port{Value: v, absent: !all && !has(v.Name)}
		if !list[i].absent {
			list[i].place = next
			places[v.Name] = next
			next++
		}
	}
	names := make([]string, len(ports))
	count := map[string]int{} // ports of one tensor, such as a Dropout's, have one name
	for i, p := range ports {
		names[i] = p.Name
		count[p.Name]++
	}
	for i, name := range names {
		if place, ok := places[name]; ok && place != i && count[name] == 1 {
			next = -1 // the ports have another order
		}
	}
	if next != len(ports) {
		return nil, refusals.New(engineName, backends.Refused,
			"the model declares %d %ss, but OpenVINO finds %d, which cannot be matched to them: %s",
			len(declared), kind, len(ports), strings.Join(names, ", "))
	}
	return list, nil
}

// runnable returns an error if the model has inputs or outputs of a type that cannot be passed to
// OpenVINO or returned by it.
func (s *session) runnable() error {
	for i, p := range slices.Concat(s.inputs, s.outputs) {
		if p.Kind == loaders.Untyped || p.Kind == loaders.Tensor && abi.Codes.Of(p.Type) >= 0 &&
			p.Type != tensor.String {
			continue
		}
		kind, reason := "input", "OpenVINO does not support the type"
		if i >= len(s.inputs) {
			kind = "output"
		}
		if p.Type == tensor.String {
			reason = "string tensors are not supported, because OpenVINO's CPU plugin aborts the " +
				"process when it frees one"
		}
		return refusals.New(engineName, backends.NoKernel, "%s %v: %s", kind, p.Value, reason)
	}
	return nil
}

// describe sets the provenance of the backend's runs, for which it reads properties of the compiled
// model. It returns an error if the precision differs from the requested one.
func (b *backend) describe(library *abi.Library, compiled *abi.Compiled) error {
	sum, err := b.model.SHA256()
	if err != nil {
		return err
	}
	options := map[string]string{"threads": fmt.Sprint(b.settings.Threads)}
	if b.settings.Device != CPU {
		delete(options, "threads")
	}
	if b.settings.Static {
		options["static_shapes"] = "true"
	}
	maps.Copy(options, b.settings.Properties)
	for key, name := range map[string]string{inferencePrecision: "precision",
		executionMode: "execution_mode", kvCachePrecision: "kv_cache_precision",
		dynamicQuantization: "dynamic_quantization_group_size"} {
		if value, err := compiled.Property(key); err == nil { // some devices lack some properties
			options[name] = value
		}
	}
	device := b.settings.Device
	if devices, err := compiled.Property("EXECUTION_DEVICES"); err == nil {
		device = devices
	}
	b.asked.Do(func() {
		if kernels, err := compiled.Kernels(); err == nil { // some devices do not list them
			wide := false
			if model, is := b.model.(*loaders.Model); is {
				wide, _ = model.HasFloat64() // it was read before
			}
			b.computed = computed(kernels, wide, options["dynamic_quantization_group_size"])
		}
	})
	b.provenance = backends.Provenance{Backend: "openvino", Version: library.Version,
		Provider: device, Model: b.model.Name(), ModelSHA256: sum, Options: options,
		Computed: b.computed}
	return b.settings.obeyed(options["precision"], device)
}

// obeyed returns an error if the compiled model computes in a precision other than the requested
// one.
func (s *settings) obeyed(answer, device string) error {
	hint := types[s.Precision].hint
	if _, overridden := s.Properties[inferencePrecision]; overridden || hint == "" || answer == "" ||
		answer == hint {
		return nil
	}
	return refusals.New(engineName, backends.NoPrecision,
		"%s computes in %s instead of %s; to accept that, use openvino.Precision(openvino.Own)",
		device, answer, hint)
}

// Run runs the model on every iteration of inputs.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.CollectWarm(ctx, b.provenance,
		backends.Subject{Engine: b.engine, Model: b.model}, inputs, b.settings.WarmUp, b.infer)
}

// Close returns at once. When the runs in progress have ended, the session goes back to the pool of
// sessions, which closes it unless other backends use it or may use it later.
func (b *backend) Close() error { return b.lease.Close() }

func (b *backend) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	feeds, err := b.feeds(inputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.model.Name(), err)
	}
	places := make([]int, len(b.outputs))
	for i, out := range b.outputs {
		places[i] = out.place
	}
	if !b.lease.Enter() {
		return nil, backends.ErrClosed
	}
	defer b.lease.Leave()
	var values []*tensor.Tensor
	for {
		compiled, err := b.get(ctx, b.shapes(inputs))
		if err == nil {
			values, err = compiled.Infer(ctx, feeds, places)
		}
		switch {
		case errors.Is(err, backends.ErrClosed):
			return nil, backends.ErrClosed
		case errors.Is(err, abi.ErrClosed): // models for other shapes replaced this one
			continue
		case err != nil:
			b.lease.Spoil()
			return nil, fmt.Errorf("%s: %w", b.model.Name(), explain(err))
		}
		return b.set(values)
	}
}

// set returns the output values as a set of tensors, under the outputs' names.
func (b *backend) set(values []*tensor.Tensor) (*tensor.Set, error) {
	entries := make([]tensor.Entry, len(values))
	for i, t := range values {
		entries[i] = tensor.Entry{Name: b.outputs[i].Name, Tensor: t}
	}
	return tensor.NewSet(entries...)
}
