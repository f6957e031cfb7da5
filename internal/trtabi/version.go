package trtabi

import (
	"errors"
	"fmt"
)

// Version is the version of a library.
type Version struct{ Major, Minor, Patch, Build int }

// String returns the version in NVIDIA's notation: "10.6.0.26".
func (v Version) String() string {
	return fmt.Sprintf("%d.%d.%d.%d", v.Major, v.Minor, v.Patch, v.Build)
}

// ErrVersion is wrapped by the error for a library whose version is not supported.
var ErrVersion = errors.New("unsupported version")

// supported returns an error for a version whose method tables are not known. Within a major
// version NVIDIA only appends methods, so newer minor versions are accepted.
func supported(v Version) error {
	switch {
	case v.Major == 1:
		return fmt.Errorf("%w: this is TensorRT-RTX %v, a different product with a different "+
			"interface; TensorRT 10 or 11 is needed", ErrVersion, v)
	case v.Major != 10 && v.Major != 11:
		return fmt.Errorf("%w: TensorRT %v; 10 (but not 10.8) or 11 is needed", ErrVersion, v)
	case v.Major == 10 && v.Minor == 8:
		return fmt.Errorf("%w: TensorRT %v has an incompatible interface, which NVIDIA "+
			"reverted in 10.9; use a different 10.x", ErrVersion, v)
	}
	return nil
}
