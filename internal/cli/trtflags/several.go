package trtflags

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/tensor"
)

// calibration returns the options of INT8 calibration.
func (f *Flags) calibration() ([]trt.Option, error) {
	legacy := f.calibrator == "IInt8LegacyCalibrator"
	switch given := f.quantile != nil || f.cutoff != nil; {
	case given && !legacy:
		return nil, errors.New("--quantile and --regression-cutoff are for the legacy calibrator; " +
			"write --calib-base-cls IInt8LegacyCalibrator, or drop them")
	case !legacy:
		return nil, nil
	}
	half := 0.5 // as in Polygraphy
	for _, n := range []**float64{&f.quantile, &f.cutoff} {
		if *n == nil {
			*n = &half
		}
	}
	return []trt.Option{trt.LegacyCalibration(*f.quantile, *f.cutoff)}, nil
}

// profileOptions returns one option per profile. It combines the flags for a profile's three shapes
// as Polygraphy does.
func (f *Flags) profileOptions(shapes sizes) (options []trt.Option, err error) {
	for _, profile := range f.profileShapes(shapes) {
		lowest, likely, highest := profile[0], profile[1], profile[2]
		var ranges []trt.ProfileRange
		var lacking []string
		for _, name := range slices.Sorted(maps.Keys(highest)) {
			if _, ok := lowest[name]; !ok {
				lacking = append(lacking, name)
				continue
			}
			ranges = append(ranges, trt.Range(name, lowest[name], likely[name], highest[name]))
		}
		if len(lacking) > 0 {
			return nil, fmt.Errorf("the lowest shape of %s is missing; add it to --trt-min-shapes",
				strings.Join(lacking, ", "))
		}
		options = append(options, trt.Profile(ranges...))
	}
	return options, nil
}

// profileShapes returns the min, opt and max shapes of each profile. It starts from shapes and
// applies the flags profile by profile, in the order min, opt, max. An input that a flag omits
// keeps its last shape.
func (f *Flags) profileShapes(shapes sizes) [][3]sizes {
	all := make([][3]sizes, max(len(f.profiles[0]), len(f.profiles[1]), len(f.profiles[2])))
	for i := range all {
		for which, flags := range f.profiles {
			if i < len(flags) {
				shapes = shapes.with(flags[i])
			}
			all[i][which] = shapes
		}
	}
	return all
}

// Likely returns the opt shape of each input in the last profile that the flags describe, which is
// the most likely shape. INT8 calibration reads inputs of that shape.
func (f *Flags) Likely() map[string]tensor.Shape {
	profiles := f.profileShapes(nil)
	if len(profiles) == 0 {
		return nil
	}
	return profiles[len(profiles)-1][1]
}

// sizes maps input names to shapes.
type sizes map[string]tensor.Shape

// with returns a copy of s with the shapes in others added. For an input that is in both, the copy
// has the shape from others.
func (s sizes) with(others sizes) sizes {
	all := sizes{}
	maps.Copy(all, s)
	maps.Copy(all, others)
	return all
}
