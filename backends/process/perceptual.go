package process

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/modelparity/modelparity/tensor"
)

// perceptualRunner measures LPIPS.
const perceptualRunner = "perceptual"

// LPIPS measures how far people see images apart: the Learned Perceptual Image Patch Similarity of
// Zhang et al. (arXiv:1801.03924, version 0.1 over AlexNet), as the Python package lpips computes
// it in the interpreter that [Python] or MODELPARITY_PYTHON names. 0 is the same image;
// Polygraphy's perceptual_metrics passes up to 0.1.
//
//	alike := compare.AtMost("perceptual_metrics", 0.1, process.StartLPIPS(ctx).Distance)
//	Expect(run).To(MatchOutputs(alike).Of(reference))
//
// The package fetches AlexNet's weights where torch does not have them yet.
type LPIPS struct {
	ctx     context.Context
	options []Option

	mu      sync.Mutex // one comparison at a time
	program *conversation
	failed  error
}

// StartLPIPS is a measure whose program starts with the first comparison, and ends with ctx or with
// [LPIPS.Close]. Options are [Python], [Dir], [Env] and [Timeout].
func StartLPIPS(ctx context.Context, options ...Option) *LPIPS {
	l := &LPIPS{ctx: ctx, options: options}
	context.AfterFunc(ctx, func() { _ = l.Close() }) // always nil
	return l
}

// Distance is LPIPS of two tensors of images, [height, width, channels] or [channels, height,
// width], with 1 or 3 channels, or of a batch of them: then that of the images that are the
// furthest apart. Values are 0 to 1, -1 to 1 or 0 to 255, as the expected side has them; both sides
// are scaled by that. It is NaN where an element is NaN or infinite. What is not an image, and a
// package that is missing, is an error.
//
// Polygraphy's perceptual_metrics is the same over one image. Over several it takes their mean; it
// scales the sides apart, each by its own greatest value, looks at the first 3 of more channels,
// and passes what it cannot measure.
func (l *LPIPS) Distance(actual, expected *tensor.Tensor) (float64, error) {
	if !bounded(actual) || !bounded(expected) {
		return math.NaN(), nil
	}
	sides, err := tensor.NewSet(tensor.Entry{Name: "actual", Tensor: actual},
		tensor.Entry{Name: "expected", Tensor: expected})
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return 0, l.failed
	}
	if l.program == nil {
		if l.program, err = startRunner(l.ctx, perceptualRunner, nil, "LPIPS", l.options); err != nil {
			l.failed = err // no image will do better
			return 0, err
		}
	}
	got, err := l.program.ask(l.ctx, answer{Message: "measure"}, sides, "measured")
	var found struct {
		Distance *float64 `json:"distance"`
	}
	if err == nil {
		err = got.Decode(&found)
	}
	if err == nil && found.Distance == nil {
		err = errors.New("the answer has no distance")
	}
	if err != nil {
		if refused := (*Refusal)(nil); !errors.As(err, &refused) {
			l.failed, l.program = fmt.Errorf("LPIPS: %w", err), nil // it is gone
		}
		return 0, fmt.Errorf("LPIPS: %w", err)
	}
	return *found.Distance, nil
}

// bounded reports whether no element is NaN or infinite.
func bounded(t *tensor.Tensor) bool {
	if !t.ElementType().IsFloat() {
		return true
	}
	for i := range t.Len() {
		if v := t.Float64At(i); math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Close ends the program. It is always nil.
func (l *LPIPS) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.program != nil {
		l.program.stop()
		l.program = nil
	}
	l.failed = errors.New("LPIPS: it is closed")
	return nil
}
