//go:build linux && cgo

package trt

import "github.com/modelparity/modelparity/tensor"

// The names of environment variables.
const (
	LibraryVariable = libraryVariable
	CacheVariable   = cacheVariable
)

// Leaked is how many bytes of the device's memory are in use.
func (b *Backend) Leaked() int64 {
	free, total, err := b.device.Memory()
	if err != nil {
		panic(err)
	}
	return total - free
}

// DropBuilders deletes the builders that the process keeps.
func DropBuilders() {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	for m, builder := range idle.builders {
		_ = m.device.Do(func() error {
			builder.Delete()
			return nil
		})
	}
	clear(idle.builders)
}

// Typed is typed with one tensor inside.
func Typed(outputs *tensor.Set, name, elem string) (*tensor.Set, error) {
	return typed(outputs, []shown{{Name: name, Type: elem}})
}
