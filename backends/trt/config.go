//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// number finds the number that an enumerator has in the TensorRT in use.
func number(l *trtabi.Library, what, name string, table map[string]trtabi.Enumerator) (int, error) {
	e, version := table[name], l.Version()
	value := e.V10
	if version.Major == 11 {
		value = e.V11
	}
	switch {
	case value == trtabi.Gone && replacement[name] != "":
		return 0, fmt.Errorf("TensorRT %v has no %s %s any more: %s",
			version, what, name, replacement[name])
	case value == trtabi.Gone:
		return 0, fmt.Errorf("TensorRT %v has no %s %s", version, what, name)
	case version.Major == 10 && version.Minor < e.Since:
		return 0, fmt.Errorf("TensorRT %v has no %s %s: it came with 10.%d",
			version, what, name, e.Since)
	}
	return value, nil
}

// instead adds the replacement to an error about something that TensorRT 11 removed.
func instead(err error, replacement string) error {
	if absent := (*trtabi.Absent)(nil); errors.As(err, &absent) && absent.Removed {
		return fmt.Errorf("%w; %s", err, replacement)
	}
	return err
}

// networkFlags is the bits of a new network's flags.
func (b buildSettings) networkFlags(l *trtabi.Library) (uint32, error) {
	if !b.StronglyTyped || l.Version().Major == 11 { // 11 knows nothing else
		return 0, nil
	}
	for _, name := range []string{"FP16", "BF16", "INT8", "FP8", "INT4", "FP4"} {
		if b.Flags[name] {
			return 0, fmt.Errorf("StronglyTyped and %s exclude each other: a strongly typed "+
				"network takes its types from the model", name)
		}
	}
	flag, err := number(l, "network flag", "STRONGLY_TYPED", trtabi.NetworkFlags)
	return 1 << flag, err
}

// configure sets what the options say of the builder's configuration. Profiles, the timing cache
// and calibration have files of their own.
func (b buildSettings) configure(l *trtabi.Library, builder trtabi.Builder, network trtabi.Network,
	c trtabi.Config) error {
	if b.Flags["EXCLUDE_LEAN_RUNTIME"] && !b.Flags["VERSION_COMPATIBLE"] {
		return errors.New("ExcludeLeanRuntime needs VersionCompatible: no other engine carries the " +
			"lean runtime")
	}
	for name, on := range b.Flags {
		flag, err := number(l, "builder flag", name, trtabi.BuilderFlags)
		if err != nil {
			return err
		}
		if err := c.SetFlag(flag, on); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for pool, bytes := range b.Pools {
		if err := c.SetMemoryPoolLimit(index(trtabi.MemoryPools, pool), bytes); err != nil {
			return fmt.Errorf("%s: %w", pool, err)
		}
	}
	if b.Level != nil {
		if err := c.SetOptimizationLevel(*b.Level); err != nil {
			return err
		}
	}
	if b.AuxStreams != nil {
		c.SetMaxAuxStreams(*b.AuxStreams)
	}
	c.SetHardwareLevel(index(trtabi.HardwareLevels, b.Hardware))
	c.SetCapability(index(trtabi.Capabilities, b.Capability))
	c.SetProfilingVerbosity(index(trtabi.Verbosities, b.Verbosity))
	if b.Platform != "" {
		if err := c.SetPlatform(index(trtabi.Platforms, b.Platform)); err != nil {
			return err
		}
	}
	if b.Tiling != "" {
		if err := c.SetTilingLevel(index(trtabi.TilingLevels, b.Tiling)); err != nil {
			return err
		}
	}
	if b.Tactics != nil {
		var bits uint32
		for _, name := range *b.Tactics {
			source, err := number(l, "tactic source", name, trtabi.TacticSources)
			if err != nil {
				return err
			}
			bits |= 1 << source
		}
		if !c.SetTacticSources(bits) {
			return fmt.Errorf("TensorRT does not take the tactic sources %v", *b.Tactics)
		}
	}
	for name, on := range b.Preview {
		feature, err := number(l, "preview feature", name, trtabi.PreviewFeatures)
		if err != nil {
			return err
		}
		c.SetPreviewFeature(feature, on)
	}
	if b.DLA != nil {
		return b.useDLA(l, builder, network, c)
	}
	return nil
}

// useDLA moves the network to a deep learning accelerator.
func (b buildSettings) useDLA(l *trtabi.Library, builder trtabi.Builder,
	network trtabi.Network, c trtabi.Config) error {
	switch cores := builder.DLACores(); {
	case cores == 0:
		return errors.New("DLA: this machine has no deep learning accelerator; only Jetson and " +
			"DRIVE boards have one")
	case *b.DLA < 0 || *b.DLA >= cores:
		return fmt.Errorf("DLA: there is no core %d, only 0 to %d", *b.DLA, cores-1)
	}
	c.UseDLA(*b.DLA)
	if err := b.preferDLA(l, c); err != nil {
		return err
	}
	for _, layer := range network.Layers() {
		if !c.CanRunOnDLA(layer) {
			if !b.Flags["GPU_FALLBACK"] {
				return fmt.Errorf("DLA: layer %q cannot run there; GPUFallback lets the GPU run it",
					layer.Name())
			}
			c.UseGPU(layer)
		}
	}
	return nil
}

// preferDLA sets the flags that Polygraphy sets for an accelerator before TensorRT 11.
func (b buildSettings) preferDLA(l *trtabi.Library, c trtabi.Config) error {
	flags := map[string]bool{
		"PREFER_PRECISION_CONSTRAINTS": !b.Flags["OBEY_PRECISION_CONSTRAINTS"],
		"DIRECT_IO":                    !b.Flags["GPU_FALLBACK"], // reformats run on the GPU
	}
	for name, on := range flags {
		if on && l.Version().Major == 10 {
			if err := c.SetFlag(trtabi.BuilderFlags[name].V10, true); err != nil {
				return fmt.Errorf("DLA: %s: %w", name, err)
			}
		}
	}
	return nil
}

// addProfiles gives the configuration its optimization profiles. Every dynamic input must have a
// range in each.
func (b buildSettings) addProfiles(builder trtabi.Builder, network trtabi.Network,
	c trtabi.Config) ([]trtabi.Profile, error) {
	var dynamic []trtabi.Tensor
	for _, input := range network.Inputs() {
		if input.IsShape() || isDynamic(input.Shape()) {
			dynamic = append(dynamic, input)
		}
	}
	if len(dynamic) == 0 {
		return nil, nil // a static network has nothing to say in a profile
	}
	if len(b.Profiles) == 0 {
		return nil, fmt.Errorf("the inputs %s have dynamic shapes, so the engine needs an "+
			"optimization profile: give trt.Profile(trt.Range(%q, min, opt, max), …), or "+
			"trt.ProfileFrom(inputs)", abridged(tensorNames(dynamic)), dynamic[0].Name())
	}
	var profiles []trtabi.Profile
	for i, ranges := range b.Profiles {
		profile, err := builder.Profile()
		if err != nil {
			return nil, err
		}
		for _, input := range dynamic {
			if err := setRange(profile, input, ranges); err != nil {
				return nil, fmt.Errorf("profile %d: %w", i, err)
			}
		}
		if err := known(ranges, network); err != nil {
			return nil, fmt.Errorf("profile %d: %w", i, err)
		}
		if !profile.Valid() || !c.AddProfile(profile) {
			return nil, fmt.Errorf("TensorRT does not take profile %d: %v", i, ranges)
		}
		profiles = append(profiles, profile)
	}
	return profiles, nil
}

// setRange sets what the ranges say of one input.
func setRange(profile trtabi.Profile, input trtabi.Tensor, ranges []ProfileRange) error {
	name, isShape := input.Name(), input.IsShape()
	for _, r := range ranges {
		if r.Input != name || r.Values != isShape {
			continue
		}
		for which, values := range [][]int64{r.Min, r.Opt, r.Max} {
			var ok bool
			var err error
			if isShape {
				ok, err = profile.SetShapeValues(name, trtabi.Select(which), values)
			} else {
				ok, err = profile.SetDimensions(name, trtabi.Select(which), narrow(values))
			}
			if err != nil {
				return fmt.Errorf("input %q: %w", name, err)
			}
			if !ok {
				return fmt.Errorf("input %q: TensorRT does not take %v for shape %v",
					name, values, input.Shape())
			}
		}
		return nil
	}
	if isShape {
		return fmt.Errorf("input %q holds shapes and has no trt.Values", name)
	}
	return fmt.Errorf("input %q has shape %v and no trt.Range", name, input.Shape())
}

// known refuses ranges of inputs that the network does not have.
func known(ranges []ProfileRange, network trtabi.Network) error {
	names := tensorNames(network.Inputs())
	for _, r := range ranges {
		if err := unfit([]string{r.Input}, names, "input"); err != nil {
			return err
		}
	}
	return nil
}

func isDynamic(shape []int) bool {
	for _, n := range shape {
		if n < 0 {
			return true
		}
	}
	return shape == nil
}
