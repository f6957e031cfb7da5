package ort

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/refusals"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/vulkan"
)

// plugin is the library of a plug-in execution provider.
type plugin struct {
	Path    string            `json:"path"` // as the user wrote it; "webgpu" for the fetched one
	Options map[string]string `json:"options,omitempty"`

	library  string // the absolute path
	provider string // the provider's name
}

var errNoPlugin = errors.New("the plug-in cannot be used")

// plug registers the plug-ins, and returns their names, checksums and devices for the provenance.
func (s *settings) plug() (string, error) {
	var list []string
	for _, p := range s.Plugins {
		text, err := p.plug()
		if missing := (*backends.Missing)(nil); errors.As(err, &missing) {
			return "", err
		}
		if err != nil {
			return "", fmt.Errorf("ort.PluginEP(%q): %w", p.Path, err)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", "), nil
}

func (p *plugin) plug() (text string, err error) {
	if p.library, err = p.find(); err != nil {
		return "", err
	}
	sum, err := engines.Sum(p.library)
	if err != nil {
		return "", err
	}
	device, ok, err := onnxruntime.Plug(p.library)
	if err != nil {
		return "", explainPlugin(p.library, err)
	}
	if !ok {
		return "", &backends.Missing{Backend: p.required(),
			Reason: p.library + " finds no device on this machine",
			Remedy: "install the driver of the plug-in's device, or use a machine that has one"}
	}
	p.provider = device.Provider
	hardware := device.Kind + " " + device.Vendor
	if p.provider == "WebGpuExecutionProvider" && runtime.GOOS == "linux" {
		// The plug-in offers a device even on a machine without a Vulkan device, so check for one here.
		names, err := adapters()
		if err != nil {
			return "", &backends.Missing{Backend: p.required(), Reason: err.Error(), Remedy: noAdapter}
		}
		hardware = "Vulkan: " + strings.Join(names, ", ")
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s sha256 %s on %s",
		filepath.Base(p.library), device.Version, sum, hardware)), " "), nil
}

var adapters = sync.OnceValues(vulkan.Devices)

// find returns the absolute path of the plug-in's library, or an error if the library may not be
// used.
func (p *plugin) find() (string, error) {
	path := p.Path
	if path == engines.WebGPU.Flag {
		found, err := sharedlib.Need{Engine: engines.WebGPU, Backend: p.required(),
			File: "library", Unusable: errNoPlugin, Usable: engines.Whole,
			Package: engines.WebGPU.Name, Pattern: "libonnxruntime_providers_webgpu.*"}.Find("")
		if err != nil {
			return "", err
		}
		path = found.Path
	} else if err := admit(path); err != nil {
		return "", err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// admit returns an error if the module's lock file does not allow a plug-in. The lock file allows
// the WebGPU plug-in that it names, and the libraries that `modelparity setup --accept` has added
// to it.
func admit(path string) error {
	web, wrongWeb := enginelock.Choose(engines.WebGPU)
	own, wrongOwn := enginelock.Choose(engines.ONNXRuntime)
	path, wrongPath := filepath.Abs(path) // as the loader would search for a bare name
	if err := cmp.Or(wrongWeb, wrongOwn, wrongPath); err != nil {
		return err
	}
	if err := web.AdmitPlugin(path); web.Lock != "" && (err == nil || own.Lock == "") {
		return err
	}
	return own.AdmitPlugin(path)
}

// required returns the plug-in's name in MODELPARITY_REQUIRE.
func (p *plugin) required() string {
	if p.Path == engines.WebGPU.Flag {
		return backendName + "-" + p.Path
	}
	return backendName + "-plugin"
}

// noAdapter says what to do if the WebGPU plug-in finds no GPU.
const noAdapter = "install the GPU's Vulkan driver and loader (Debian's packages " +
	"mesa-vulkan-drivers and libvulkan1), or use SwiftShader on the CPU: docs/engines.md"

// explainPlugin explains why ONNX Runtime rejects a plug-in.
func explainPlugin(path string, err error) error {
	var answered *onnxruntime.Error
	if !errors.As(err, &answered) {
		return err
	}
	e := refusals.New(engineName, backends.NoProvider, "ONNX Runtime rejects the plug-in %s", path)
	e.Answer, e.Cause = answerOf(err), err
	return e
}
