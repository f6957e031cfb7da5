//go:build linux && cgo

package trt

// Leaked is how many bytes of the device's memory are in use.
func (e *Engine) Leaked() int64 {
	free, total, err := e.device.Memory()
	if err != nil {
		panic(err)
	}
	return total - free
}
