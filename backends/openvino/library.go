package openvino

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"
	"github.com/modelparity/modelparity/internal/engines"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/tally"
)

// LibraryVariable names the environment variable with the path of OpenVINO's C library,
// libopenvino_c. The other libraries of OpenVINO must be in the same folder.
const LibraryVariable = "MODELPARITY_OPENVINO_LIBRARY_PATH"

// backendName is the name of this backend in MODELPARITY_REQUIRE.
const backendName = "openvino"

// ErrNoLibrary is wrapped by every error which says that OpenVINO is missing, does not load, or is
// too old.
var ErrNoLibrary = errors.New("OpenVINO cannot be used")

// Require skips the spec of t if OpenVINO is not on this machine. The message is one line that says
// what to run. If MODELPARITY_REQUIRE lists "openvino" or "all", the spec fails with that message
// instead. Call Require in a BeforeEach:
//
//	BeforeEach(func() { openvino.Require(GinkgoT()) })
//
// The library is searched for in this order: the option [Library];
// MODELPARITY_OPENVINO_LIBRARY_PATH; the cache that `modelparity setup --openvino` fills; the
// Python package openvino of an active virtual environment or of python3; the system's loader. A
// library that the variable names must be usable, or the spec fails.
//
// With [Device], Require also requires that device. In MODELPARITY_REQUIRE, its name is, for
// example, openvino-gpu.
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns nil if OpenVINO can be used with these options. Otherwise it returns the
// error with which [Require] skips or fails a spec.
func Available(options ...Option) error {
	s, err := kind.List(options...).Settings()
	if err != nil {
		return err
	}
	library, err := start(s.Library)
	if err == nil {
		tally.Found(backendName, backendName, library.Version())
		err = s.present(library)
	}
	return err
}

// start opens OpenVINO unless this process already runs it.
func start(option string) (*abi.Library, error) {
	if running := abi.Running(); running != nil {
		if option != "" && !sharedlib.Same(option, running.Path()) {
			return nil, fmt.Errorf("%w: this process already runs on %s, not on %s",
				ErrNoLibrary, running.Path(), option)
		}
		return running, nil
	}
	path, err := find(option)
	if err != nil {
		return nil, err
	}
	library, err := abi.Start(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	return library, nil
}

// present returns an error if this machine lacks a device that the options name.
func (s *settings) present(library *abi.Library) error {
	if s.Device == CPU {
		return nil
	}
	devices, err := library.Devices()
	if err != nil {
		return fmt.Errorf("openvino: %w", explain(err))
	}
	for _, name := range s.devices() {
		found := false
		for _, device := range devices {
			found = found || device == name || strings.HasPrefix(device, name+".")
		}
		if !found {
			return &backends.Missing{Backend: backendName + "-" + strings.ToLower(name),
				Reason: fmt.Sprintf("OpenVINO %s finds no device %s on this machine, only %s",
					library.Version(), name, strings.Join(devices, ", ")),
				Remedy: "install its driver, or name another device"}
		}
	}
	return nil
}

// devices returns the physical devices that the option [Device] names. A virtual device such as
// HETERO:GPU,CPU names several.
func (s *settings) devices() []string {
	kind, list, virtual := strings.Cut(s.Device, ":")
	switch {
	case virtual:
		return strings.Split(list, ",")
	case kind == "AUTO" || kind == "HETERO" || kind == "BATCH":
		return nil // OpenVINO chooses the device
	}
	return []string{s.Device}
}

// find searches for the library.
func find(option string) (string, error) {
	found, err := sharedlib.Need{Engine: engines.OpenVINO, Backend: backendName, File: "libopenvino_c",
		Option: "openvino.Library", Unusable: ErrNoLibrary,
		Usable: usable, Sources: sources, Places: ", in Python or on the loader's path"}.Find(option)
	return found.Path, err
}

// usable returns an error if the library at path cannot be opened.
func usable(path string) error {
	_, err := abi.Version(path)
	return err
}
