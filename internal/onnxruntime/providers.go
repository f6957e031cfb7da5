//go:build cgo && (linux || darwin)

package onnxruntime

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	binding "github.com/yalue/onnxruntime_go"
)

// sessionOptions creates the binding's session options; the caller frees them.
func sessionOptions(a *api, o Options) (_ *binding.SessionOptions, err error) {
	options, err := binding.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			options.Destroy() //nolint:errcheck // an earlier error is returned
		}
	}()
	wrong := []error{
		options.SetGraphOptimizationLevel(binding.GraphOptimizationLevel(o.Optimization)),
		options.SetIntraOpNumThreads(o.Threads),
		options.SetMemPattern(!o.Varying),
	}
	if o.Written != "" {
		wrong = append(wrong, options.SetOptimizedModelFilePath(o.Written))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	entries := map[string]string{}
	if o.Record {
		entries[record] = "1"
	}
	maps.Copy(entries, o.Config)
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if err := options.AddSessionConfigEntry(key, entries[key]); err != nil {
			return nil, fmt.Errorf("session configuration %s=%s: %w", key, entries[key], err)
		}
	}
	for _, p := range o.Providers {
		if err := appendProvider(a, options, p); err != nil {
			return nil, fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	return options, nil
}

// record is the configuration entry that makes a session record the provider of each node.
const record = "session.record_ep_graph_assignment_info"

// Accepts returns an error if the library was built without one of the providers, or if a library
// that a provider needs is missing. It does not check whether there is a device for the provider.
func Accepts(providers ...Provider) (err error) {
	defer recovered(&err)
	table, err := started()
	if err != nil {
		return err
	}
	options, err := sessionOptions(table, Options{Providers: providers})
	if err != nil {
		return err
	}
	return options.Destroy()
}

// appendProvider adds one provider to the session options. It checks first whether the library was
// built with the provider, because the library's own errors for this differ between providers.
func appendProvider(a *api, options *binding.SessionOptions, p Provider) error {
	if p.Plugin != "" {
		return appendPlugin(a, options, p)
	}
	built, err := a.providers()
	if err != nil {
		return err
	}
	if !slices.Contains(built, p.Name) {
		return fmt.Errorf("this build of ONNX Runtime has only %s", strings.Join(built, ", "))
	}
	switch p.Name {
	case CPU:
		return nil // the CPU is always there, and comes last
	case CUDA:
		return appendWith(options.AppendExecutionProviderCUDA, binding.NewCUDAProviderOptions,
			p.Options)
	case TensorRT:
		return appendWith(options.AppendExecutionProviderTensorRT,
			binding.NewTensorRTProviderOptions, p.Options)
	}
	return options.AppendExecutionProvider(p.Name, p.Options)
}

// providerOptions are the binding's options of a provider.
type providerOptions interface {
	Update(map[string]string) error
	Destroy() error
}

// appendWith adds a provider for which the binding has separate functions: create creates its
// options, and add adds the provider. If there are no settings, appendWith sets device_id=0,
// because without any option, the library's error does not name the file that the provider lacks.
func appendWith[O providerOptions](add func(O) error, create func() (O, error),
	settings map[string]string) error {
	options, err := create()
	if err != nil {
		return err
	}
	defer options.Destroy() //nolint:errcheck // it only frees memory
	if len(settings) == 0 {
		settings = map[string]string{"device_id": "0"}
	}
	if err := options.Update(settings); err != nil {
		return err
	}
	return add(options)
}
