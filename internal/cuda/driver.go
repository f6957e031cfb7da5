//go:build linux && cgo

package cuda

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// Driver is the CUDA driver of this machine. It is never closed, because the library cannot be
// unloaded safely.
type Driver struct {
	Version string // the newest CUDA version that the driver supports: "13.0"

	c       *C.cuda_driver
	devices int
}

// places lists the usual paths of the driver, including those in containers and WSL, where the
// loader may not find it.
var places = []string{
	"libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
}

// Open opens the driver's library at path, or at one of the usual paths if path is "". It
// initialises the driver and counts the devices.
func Open(path string) (*Driver, error) {
	paths := places
	if path != "" {
		paths = []string{path}
	}
	d := &Driver{c: (*C.cuda_driver)(C.calloc(1, C.sizeof_cuda_driver))}
	var reasons []string
	for _, path := range paths {
		name := C.CString(path)
		wrong := C.cuda_open(name, d.c)
		C.free(unsafe.Pointer(name))
		if wrong == nil {
			if err := d.start(); err != nil {
				C.free(unsafe.Pointer(d.c))
				return nil, fmt.Errorf("no usable CUDA driver: %w", err)
			}
			return d, nil
		}
		reasons = append(reasons, C.GoString(wrong))
		C.free(unsafe.Pointer(wrong))
	}
	C.free(unsafe.Pointer(d.c))
	return nil, fmt.Errorf("no usable CUDA driver: %s", strings.Join(reasons, "; "))
}

func (d *Driver) start() error {
	if r := C.cuda_init(d.c); r != 0 {
		return errors.New("cuInit: " + d.text(r))
	}
	var n, version C.int
	if r := C.cuda_device_count(d.c, &n); r != 0 {
		return errors.New("cuDeviceGetCount: " + d.text(r))
	}
	if n == 0 {
		return errors.New("the driver finds no GPU")
	}
	if r := C.cuda_driver_version(d.c, &version); r != 0 {
		return errors.New("cuDriverGetVersion: " + d.text(r))
	}
	d.devices, d.Version = int(n), fmt.Sprintf("%d.%d", version/1000, version%1000/10)
	return nil
}

func (d *Driver) text(r C.cu_result) string {
	return C.GoString(C.cuda_error_name(d.c, r)) + " (" + C.GoString(C.cuda_error_text(d.c, r)) + ")"
}

// check returns nil if r is success, and otherwise an error that names the operation.
func (d *Driver) check(r C.cu_result, format string, args ...any) error {
	if r == 0 {
		return nil
	}
	return fmt.Errorf("cuda: %s: %s", fmt.Sprintf(format, args...), d.text(r))
}
