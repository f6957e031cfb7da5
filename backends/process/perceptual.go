package process

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/modelparity/modelparity/tensor"
)

// perceptualRunner names the Python program of this package that measures LPIPS.
const perceptualRunner = "perceptual"

// LPIPS measures how different images look to people: the Learned Perceptual Image Patch Similarity
// of Zhang et al. (arXiv:1801.03924, version 0.1 with AlexNet). The Python package lpips computes
// the LPIPS, in the interpreter that [Python] or MODELPARITY_PYTHON names. 0 means identical
// images; Polygraphy's perceptual_metrics accepts up to 0.1.
//
//	alike := compare.AtMost("perceptual_metrics", 0.1, process.StartLPIPS(ctx).Distance)
//	Expect(run).To(MatchOutputs(alike).Of(reference))
//
// The package downloads AlexNet's weights if torch does not have them yet.
type LPIPS struct {
	ctx     context.Context
	options []Option

	mu      sync.Mutex // one comparison at a time
	program *ScriptProgram
	failed  error
}

// StartLPIPS returns an LPIPS. The first comparison starts a Python program, which ends when ctx
// ends or [LPIPS.Close] is called. Options are [Python], [Env] and [Timeout].
func StartLPIPS(ctx context.Context, options ...Option) *LPIPS {
	l := &LPIPS{ctx: ctx, options: options}
	context.AfterFunc(ctx, func() { _ = l.Close() }) // Close never fails
	return l
}

// Distance returns the LPIPS of two image tensors, [height, width, channels] or [channels, height,
// width], with 1 or 3 channels; for a batch, it returns the largest LPIPS of the images. Values may
// range from 0 to 1, from -1 to 1 or from 0 to 255. The range is inferred from the expected tensor,
// and both tensors are scaled accordingly. The result is NaN if an element is NaN or infinite.
// Other shapes and a missing package are errors.
//
// For one image the result equals Polygraphy's perceptual_metrics, with these exceptions:
// Polygraphy scales each tensor by its own largest value, ignores all channels after the third, and
// passes if it cannot measure. For a batch, Polygraphy returns the mean of its images.
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
			l.failed = err // the program would fail for other images too
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
		err = errors.New("LPIPS: the program's answer contains no distance")
	}
	if err != nil {
		if refused := (*Refusal)(nil); !errors.As(err, &refused) {
			l.end(err)
		}
		return 0, err
	}
	return *found.Distance, nil
}

// bounded reports whether every element is finite.
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

// Close ends the Python program that computes the LPIPS. It always returns nil.
func (l *LPIPS) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(errors.New("LPIPS is closed"))
	return nil
}

// end ends the program. Later comparisons return the error.
func (l *LPIPS) end(err error) {
	if l.program != nil {
		_ = l.program.Close() // Close never fails
		l.program = nil
	}
	l.failed = err
}
