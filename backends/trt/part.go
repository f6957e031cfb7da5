package trt

import (
	"slices"

	"github.com/modelparity/modelparity/fixtures"
)

// Part fits the options that were chosen for a model to a part that is cut from it, or to the model
// with other outputs, and inputs is what that is fed with. It is made for engines that package
// locate opens:
//
//	Open: func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
//		backends.Backend, error) {
//		if m == model {
//			return trt.New(ctx, m, options)
//		}
//		return trt.New(ctx, m, options, trt.Part(in))
//	}
//
// Layers, inputs and outputs that the options name and the part lacks are passed over. The part has
// one optimization profile: for the inputs that it shares with the model what the model's chosen
// profile says, for the others what they are fed with. INT8 is calibrated with its own inputs, or
// by the model's cache where that was written. Marks and tactics are the model's, and taken away.
func Part(inputs fixtures.Inputs) Option {
	return func(s *settings) { s.part = &inputs }
}

// cutDown does what Part says, when all options are known.
func (s *settings) cutDown() {
	if s.part == nil || s.err != nil {
		return
	}
	ranges, err := span(*s.part)
	if err != nil {
		s.fail("profile from the part's inputs: %w", err)
		return
	}
	if chosen := s.run.profile; chosen >= 0 && chosen < len(s.build.Profiles) {
		for i, own := range ranges {
			at := slices.IndexFunc(s.build.Profiles[chosen], func(r ProfileRange) bool {
				return r.Input == own.Input && r.Values == own.Values
			})
			if at >= 0 {
				ranges[i] = s.build.Profiles[chosen][at]
			}
		}
	}
	s.build.Profiles, s.build.Derived = [][]ProfileRange{ranges}, true
	s.run.profile = 0
	s.build.Part, s.build.Marks, s.tactics = true, marks{}, tactics{}
	if c := s.build.Calibration; c != nil {
		if data, err := c.readCache(); err == nil && data == nil {
			c.cache = "" // what is found for a part is not for the model's file
		}
		c.inputs, c.given = *s.part, true
	}
}
