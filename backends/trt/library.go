//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/cuda"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// libraryVariable names the environment variable with the path of TensorRT's library; see
// [Library].
const libraryVariable = "MODELPARITY_TENSORRT_LIBRARY_PATH"

// coreNames lists the file names of TensorRT's core library, in order of preference.
var coreNames = []string{"libnvinfer.so.10", "libnvinfer.so.11"}

// machine is an opened TensorRT library with a GPU.
type machine struct {
	library *trtabi.Library
	device  *cuda.Device
}

// open opens the CUDA driver, then TensorRT, then the GPU. The order matters: without a driver,
// TensorRT would abort the process.
func open(s *settings) (machine, error) {
	driver, err := drivers.get(s.Driver, func() (*cuda.Driver, error) {
		return cuda.Open(s.Driver)
	})
	if err != nil {
		return machine{}, missing(err.Error(), "run on a machine with an NVIDIA GPU and its driver")
	}
	library, err := find(s.Library)
	if err != nil {
		return machine{}, err
	}
	device, err := devices.get(fmt.Sprint(s.Driver, " ", s.Device), func() (*cuda.Device, error) {
		return driver.Device(s.Device)
	})
	return machine{library, device}, err
}

func missing(reason, remedy string) error {
	return &backends.Missing{Backend: "trt", Reason: reason, Remedy: remedy}
}

// find opens TensorRT at the given path or, if the path is empty, in the usual places.
func find(given string) (*trtabi.Library, error) {
	source := "the option trt.Library"
	if given == "" {
		given, source = os.Getenv(libraryVariable), libraryVariable
	}
	paths := []string{given}
	if given == "" {
		paths = usualLibraries()
	} else if info, err := os.Stat(given); err == nil && info.IsDir() {
		paths = nil
		for _, name := range coreNames {
			path := filepath.Join(given, name)
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			}
		}
		if len(paths) == 0 {
			return nil, missing(fmt.Sprintf("%s is set to the folder %s, which contains none of %s",
				source, given, strings.Join(coreNames, ", ")),
				"set it to the folder that contains TensorRT's libraries")
		}
	}
	var reasons []string
	for _, path := range paths {
		library, err := libraries.get(path, func() (*trtabi.Library, error) { return openCore(path) })
		if err == nil {
			return library, nil
		}
		if errors.Is(err, trtabi.ErrVersion) || given != "" {
			return nil, missing("TensorRT: "+err.Error(),
				installIt+libraryVariable)
		}
		reasons = append(reasons, err.Error())
	}
	return nil, missing("no TensorRT library: "+strings.Join(reasons, "; "),
		installIt+libraryVariable)
}

// installIt is the advice in an error about a missing library; the name of an environment variable
// follows it.
const installIt = "install TensorRT with `pip install tensorrt-cu12`, or give its path in "

// openCore opens a core library, and opens the parser and NVIDIA's plugins from the same folder.
func openCore(path string) (*trtabi.Library, error) {
	l, err := trtabi.Open(path)
	if err != nil {
		return nil, err
	}
	folder := "" // if the system's loader found the library by its name
	if strings.Contains(path, "/") {
		folder = filepath.Dir(path)
		if whole, err := filepath.Abs(folder); err == nil {
			l.SetLibraryPath(whole)
		}
	}
	sibling := func(base string) string {
		return filepath.Join(folder, fmt.Sprintf("%s.so.%d", base, l.Version().Major))
	}
	if err := l.OpenParser(sibling("libnvonnxparser")); err != nil {
		return nil, fmt.Errorf("its ONNX parser: %w", err)
	}
	// NVIDIA's plugins are optional, because small installations omit them. If a model needs a
	// missing plugin, the parser rejects the model and names the plugin.
	_ = l.OpenPlugins(sibling("libnvinfer_plugin"))
	return l, nil
}

// usualLibraries returns the usual paths of core libraries: in NVIDIA's Python package, and in the
// search paths of the system's loader.
func usualLibraries() (found []string) {
	for _, name := range coreNames {
		found = append(found, enginelock.InPython("tensorrt_libs", name)...)
	}
	return append(found, coreNames...)
}

// opened contains the open libraries by path. They stay open until the process ends, because their
// worker threads run until then. If opening fails, the next call tries again, because the library
// may have been installed in the meantime.
type opened[T any] struct {
	mu    sync.Mutex
	items map[string]T
}

func (o *opened[T]) get(path string, open func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if item, ok := o.items[path]; ok {
		return item, nil
	}
	item, err := open()
	if err == nil {
		set(&o.items, path, item)
	}
	return item, err
}

var (
	drivers   opened[*cuda.Driver]
	libraries opened[*trtabi.Library]
	devices   opened[*cuda.Device]
)
