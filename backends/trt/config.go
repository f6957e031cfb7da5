//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// number returns an enumerator's number in the installed TensorRT. what is the kind of enumerator.
func (c *construction) number(what, name string, table map[string]trtabi.Enumerator) (int, error) {
	n, err := c.library.Number(what+" "+name, table[name])
	return n, instead(err, replacement[name])
}

// instead adds advice to an error about a feature that TensorRT 11 removed.
func instead(err error, advice string) error {
	if absent := (*trtabi.Absent)(nil); errors.As(err, &absent) && absent.Removed && advice != "" {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

func (c *construction) networkFlags() uint32 {
	if !c.StronglyTyped || c.library.Version().Major == 11 { // in 11 all networks are strongly typed
		return 0
	}
	return 1 << trtabi.NetworkFlags["STRONGLY_TYPED"].V10
}

// configure creates the builder's configuration.
func (c *construction) configure() (err error) {
	if c.config, err = c.builder.Config(); err == nil {
		c.closing = append(c.closing, c.config.Delete)
	}
	return err
}

// setFlags sets the builder's flags. The returned error lists all flags that the installed TensorRT
// lacks.
func (c *construction) setFlags() error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Flags)), func(name string) bool {
		// In TensorRT 11, casts in the model set these types, and layers always obey them.
		return c.library.Version().Major == 11 &&
			slices.Contains([]string{flagFP16, flagBF16, flagObey, flagPrefer}, name)
	})
	// TensorRT accepts EXCLUDE_LEAN_RUNTIME only after VERSION_COMPATIBLE is set.
	if i := slices.Index(names, flagVersionCompatible); i >= 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, flagVersionCompatible)
	}
	var wrong []error
	for _, name := range names {
		flag, err := c.number("builder flag", name, trtabi.BuilderFlags)
		if err == nil {
			if err = c.config.SetFlag(flag, c.Flags[name]); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
		wrong = append(wrong, err)
	}
	if c.Flags[flagVersionCompatible] {
		c.config.SetPluginsToSerialize(c.parser.PluginLibraries())
	}
	return errors.Join(wrong...)
}

func (c *construction) setLimits() error {
	for _, pool := range slices.Sorted(maps.Keys(c.Pools)) {
		number := index(trtabi.MemoryPools, pool)
		if err := c.config.SetMemoryPoolLimit(number, c.Pools[pool]); err != nil {
			return fmt.Errorf("%s: %w", pool, err)
		}
	}
	if c.Level != nil {
		c.config.SetOptimizationLevel(*c.Level)
	}
	if c.AuxStreams != nil {
		c.config.SetMaxAuxStreams(*c.AuxStreams)
	}
	return nil
}

func (c *construction) setPlatform() error {
	c.config.SetHardwareLevel(index(trtabi.HardwareLevels, c.Hardware))
	c.config.SetCapability(index(trtabi.Capabilities, c.Capability))
	c.config.SetProfilingVerbosity(index(trtabi.Verbosities, c.Verbosity))
	if c.Platform != "" {
		return c.config.SetPlatform(index(trtabi.Platforms, c.Platform))
	}
	return nil
}

// setKernels sets the tiling level, the libraries from which the builder may take kernels, and the
// preview features that it may use.
func (c *construction) setKernels() error {
	if c.Tiling != "" {
		if err := c.config.SetTilingLevel(index(trtabi.TilingLevels, c.Tiling)); err != nil {
			return err
		}
	}
	if c.Kernels != nil {
		var bits uint32
		for _, name := range *c.Kernels {
			source, err := c.number("tactic source", string(name), trtabi.TacticSources)
			if err != nil {
				return err
			}
			bits |= 1 << source
		}
		if !c.config.SetTacticSources(bits) {
			return fmt.Errorf("TensorRT rejects the tactic sources %v", *c.Kernels)
		}
	}
	for _, name := range c.Preview {
		feature, err := c.number("preview feature", name, trtabi.PreviewFeatures)
		if err != nil {
			return err
		}
		c.config.SetPreviewFeature(feature, true)
	}
	return nil
}

// useDLA places the network on a deep learning accelerator.
func (c *construction) useDLA() error {
	if c.DLA == nil {
		return nil
	}
	if cores := c.builder.DLACores(); *c.DLA < 0 || *c.DLA >= cores {
		return fmt.Errorf("DLA: there is no core %d; this machine has %d deep learning accelerators "+
			"(only Jetson and DRIVE boards have any)", *c.DLA, cores)
	}
	c.config.UseDLA(*c.DLA)
	if err := c.preferDLA(); err != nil {
		return err
	}
	for _, layer := range c.network.Layers() {
		if !c.config.CanRunOnDLA(layer) {
			if !c.Flags[flagGPUFallback] {
				return fmt.Errorf("layer %q cannot run on the DLA; trt.GPUFallback runs it on the GPU",
					layer.Name())
			}
			c.config.UseGPU(layer)
		}
	}
	return nil
}

// preferDLA sets the flags that Polygraphy sets for a DLA before TensorRT 11.
func (c *construction) preferDLA() error {
	if c.library.Version().Major != 10 {
		return nil
	}
	for flag, unless := range map[string]string{
		flagPrefer:   flagObey,
		flagDirectIO: flagGPUFallback, // with the fallback, the GPU reformats
	} {
		if c.Flags[unless] {
			continue
		}
		if err := c.config.SetFlag(trtabi.BuilderFlags[flag].V10, true); err != nil {
			return fmt.Errorf("DLA: %s: %w", flag, err)
		}
	}
	return nil
}

// addProfiles adds the optimization profiles to the configuration. Every dynamic input must have a
// range in each profile.
func (c *construction) addProfiles() error {
	inputs := c.network.Inputs()
	names := tensorNames(inputs)
	var dynamic []trtabi.Tensor
	for _, input := range inputs {
		if input.IsShape() || isDynamic(input.Shape()) {
			dynamic = append(dynamic, input)
		}
	}
	if len(dynamic) == 0 {
		return nil // a static network needs no profile
	}
	if len(c.settings.Profiles) == 0 {
		return fmt.Errorf("inputs %s have dynamic shapes, so the engine needs an "+
			"optimization profile: pass the inputs of the run, or set trt.Profile(trt.Range(%q, min, "+
			"opt, max), …)", abridged(tensorNames(dynamic)), dynamic[0].Name())
	}
	for i, ranges := range c.settings.Profiles {
		profile, err := c.builder.Profile()
		if err != nil {
			return err
		}
		for _, input := range dynamic {
			if err := setRange(profile, input, ranges); err != nil {
				return fmt.Errorf("profile %d: %w", i, err)
			}
		}
		for _, r := range ranges {
			if err := unfit([]string{r.Input}, names, "input"); err != nil {
				return fmt.Errorf("profile %d: %w", i, err)
			}
		}
		if !profile.Valid() || !c.config.AddProfile(profile) {
			return fmt.Errorf("TensorRT rejects profile %d: %s", i, c.profileText(ranges))
		}
		c.profiles = append(c.profiles, profile)
	}
	return nil
}

func setRange(profile trtabi.Profile, input trtabi.Tensor, ranges []ProfileRange) error {
	name, isShape := input.Name(), input.IsShape()
	i := slices.IndexFunc(ranges, func(r ProfileRange) bool {
		return r.Input == name && r.Values == isShape
	})
	switch {
	case i < 0 && isShape:
		return fmt.Errorf("input %q is a shape input, for which the profile has no trt.Values", name)
	case i < 0:
		return fmt.Errorf("input %q has shape %v, for which the profile has no trt.Range", name,
			input.Shape())
	}
	for which, values := range [][]int64{ranges[i].Min, ranges[i].Opt, ranges[i].Max} {
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
			return fmt.Errorf("input %q: TensorRT rejects the bound %v for shape %v",
				name, values, input.Shape())
		}
	}
	return nil
}

func isDynamic(shape []int) bool {
	return shape == nil || slices.ContainsFunc(shape, func(n int) bool { return n < 0 })
}
