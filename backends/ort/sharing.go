package ort

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
)

// sharing is what a backend may have in common with others.
type sharing struct {
	borrows bool // an open session
	lends   bool // its own
	key     sessions.Key

	planless bool // the session keeps no plan of its memory for a set of shapes
}

// shares says which session serves for a model. What a provider other than the CPU's holds on a
// device, and what custom operators, a log and entries of the configuration do while a session is
// made, keeps a session from being shared.
func (s *settings) shares(ctx context.Context, model *loaders.Model, version string,
	o onnxruntime.Options) (sharing, error) {
	allowed, err := sessions.Shared.Allowed(ctx)
	if err != nil || !allowed || s.accelerated() || s.log != nil || len(s.CustomOps) > 0 ||
		len(s.Config) > 0 {
		return sharing{}, err
	}
	size, err := model.Size()
	if err != nil {
		return sharing{}, err
	}
	engine := fmt.Sprintf("%s %s %+v %s", Name, version, o, sessions.Environment())
	return sharing{borrows: true, lends: !passing.In(ctx), planless: o.Varying,
		key: sessions.Key{Engine: engine, Size: size}}, nil
}

// borrow returns the lease of an open session, or nil. The model's checksum is only taken where
// there may be one.
func (s *sharing) borrow(model *loaders.Model) (*sessions.Lease, error) {
	if !s.borrows || !sessions.Shared.Knows(s.key) {
		return nil, nil
	}
	sum, err := model.SHA256()
	if err != nil {
		return nil, err
	}
	s.key.Model = sum
	return sessions.Shared.Borrow(s.key), nil
}

// lend lends the backend's session to others, unless a run changes it.
func (b *backend) lend(s sharing) error {
	if !s.lends {
		return nil
	}
	draws, err := drawsNumbers(b.model)
	if err != nil || draws {
		return err
	}
	s.key.Model = b.provenance.ModelSHA256
	times := 0
	if !s.planless && slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || dynamic(v)
	}) {
		times = mostShapes
	}
	b.lease.Share(s.key, times)
	return nil
}

// mostShapes is how often a session is lent whose inputs may have other shapes each time: ONNX
// Runtime keeps some kilobytes for each set of shapes, unless it is told that they vary.
const mostShapes = 256

// drawing are the operators that draw random numbers. Their generators go on from run to run, so
// the first run of a session differs from the second.
var drawing = map[string]bool{"Bernoulli": true, "Multinomial": true, "RandomNormal": true,
	"RandomNormalLike": true, "RandomUniform": true, "RandomUniformLike": true, "Sampling": true,
	"BiasDropout": true, "BitmaskDropout": true, "BitmaskBiasDropout": true}

// trainingDropout is the version of ONNX's operators from which on Dropout may draw.
const trainingDropout = 12

// drawsNumbers reports whether the model may draw random numbers.
func drawsNumbers(model *loaders.Model) (bool, error) {
	operators, err := model.Operators()
	if err != nil {
		return false, err
	}
	head, err := model.Head()
	if err != nil {
		return false, err
	}
	for operator := range operators {
		if drawing[operator[strings.LastIndex(operator, ".")+1:]] {
			return true, nil
		}
	}
	for _, o := range head.Opsets {
		if o.Domain == "" && o.Version >= trainingDropout && operators["Dropout"] > 0 {
			return true, nil
		}
	}
	return false, nil
}
