//go:build !(cgo && linux)

// Package vulkan lists the devices that Vulkan drivers offer on this machine.
package vulkan

import "errors"

// Devices always fails, because this binary cannot open Vulkan.
func Devices() ([]string, error) { return nil, errors.New("Vulkan is supported only on Linux") }
