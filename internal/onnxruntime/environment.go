//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include <dlfcn.h>
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// environment is ONNX Runtime's environment; a process has only one. It is never destroyed, because
// that would close the library, which the user's own sessions may still use.
var environment struct {
	sync.Mutex
	path    string // "" if other code in this process started it
	version string
	api     *api
}

// Running returns the path and the version of the library that this process uses. ok is false if it
// uses none yet. The path is "" if other code started the binding.
func Running() (path, version string, ok bool) {
	environment.Lock()
	defer environment.Unlock()
	if environment.api == nil && !binding.IsInitialized() {
		return "", "", false
	}
	if environment.api == nil {
		return "", binding.GetVersion(), true
	}
	return environment.path, environment.version, true
}

// Start creates the process's environment with the library at path, or with the library that the
// system's loader finds by that name. It returns an error if the library is too old. Only the first
// successful call has an effect; later calls do nothing, even with a different path. If other code
// in this process has initialised the binding, Start uses that environment and ignores path.
func Start(path string) (err error) {
	environment.Lock()
	defer environment.Unlock()
	if environment.api != nil {
		return nil
	}
	defer recovered(&err)
	foreign := binding.IsInitialized()
	flags := C.int(0)
	if foreign {
		path, flags = soname(), C.RTLD_NOLOAD
	}
	lib, err := open(path, flags)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			C.dlclose(lib.handle)
		}
	}()
	if !Recent(lib.version) {
		return fmt.Errorf("%s is ONNX Runtime %s, but 1.%d or later is needed", path, lib.version,
			NeededMinor)
	}
	table, err := newAPI(lib)
	if err != nil {
		return err
	}
	if !foreign {
		binding.SetSharedLibraryPath(path)
		withoutTelemetry()
		// Every problem is returned as an error, so the library need not print it as well.
		if err = binding.InitializeEnvironment(binding.WithLogLevelFatal()); err != nil {
			return err
		}
	}
	if used := binding.GetVersion(); used != lib.version {
		return fmt.Errorf("this process has loaded two ONNX Runtimes: other code initialised "+
			"version %s, but %s has version %s", used, soname(), lib.version)
	}
	if foreign {
		path = ""
	}
	environment.path, environment.version, environment.api = path, lib.version, table
	return nil
}

// telemetry is the environment variable that keeps ONNX Runtime 1.29 and later from sending reports
// to Microsoft, and from writing an identifier (.ses) to the temporary folder. The library reads
// the variable before it creates ONNX Runtime's environment (OrtEnv). Setting the variable later
// has no effect.
const telemetry = "ORT_DISABLE_TELEMETRY"

// withoutTelemetry sets [telemetry] unless the user has set it: tests must not send reports. Only C
// code sees the change, so os.Environ stays the same.
func withoutTelemetry() {
	name, value := C.CString(telemetry), C.CString("1")
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(value))
	C.setenv(name, value, 0)
}

// soname returns the name under which the system's loader finds an ONNX Runtime that is already
// loaded.
func soname() string {
	if runtime.GOOS == "darwin" {
		return "@rpath/libonnxruntime.dylib"
	}
	return "libonnxruntime.so.1"
}

// started returns the function table, or an error if the environment has not been created.
func started() (*api, error) {
	environment.Lock()
	defer environment.Unlock()
	if environment.api == nil {
		return nil, fmt.Errorf("the ONNX Runtime environment is not started")
	}
	return environment.api, nil
}

// recovered turns a panic of the binding into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the ONNX Runtime binding panicked: %v", p)
	}
}
