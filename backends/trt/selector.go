//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/modelparity/modelparity/internal/replay"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// selector records the tactic, that is the kernel, that TensorRT chooses for each layer of a build.
// Or it makes TensorRT use the tactics in a file.
type selector struct {
	*trtabi.Callback
	paths
	replay *replay.File // the choices to repeat, or nil

	mu     sync.Mutex
	chosen replay.File // the choices that TensorRT reported
}

// writes reports whether an engine must be built even if it is cached, because only a build can
// write the files that the options name. A build is needed if such a file does not exist yet. It is
// always needed with [SaveTimingCache], because each build adds its measurements to that file. An
// engine that also returns intermediate tensors need not write these files, so it may come from the
// cache.
func (o *order) writes() bool {
	missing := func(path string) bool {
		_, err := os.Stat(path)
		return path != "" && os.IsNotExist(err)
	}
	timing := o.Timing.Save != "" && o.Timing.Save != o.Timing.Load
	return len(o.Marks.Inside) == 0 && (timing || missing(o.Timing.Save) ||
		o.calibrated != nil && missing(o.calibrated.Cache))
}

// selectTactics applies the options about tactics to the builder's configuration.
func (c *construction) selectTactics() error {
	t := &selector{paths: c.Tactics, replay: c.replay}
	if t.Save == "" && t.replay == nil {
		return nil
	}
	t.Callback = c.library.Selector(t)
	c.closing = append(c.closing, t.Close)
	err := c.config.SetSelector(t.Callback)
	if err != nil {
		return instead(err, "use trt.TimingCache and trt.EditableTimingCache for this "+
			"model instead: with the same timings, TensorRT chooses the same tactics")
	}
	c.selector, c.called = t, append(c.called, t.Callback)
	if c.Timing.Load == "" {
		// TensorRT does not consult the selector for layers whose timings are cached, so turn off the
		// timing cache unless the options name one.
		err = c.config.SetFlag(trtabi.BuilderFlags[flagDisableTimingCache].V10, true)
	}
	if t.replay != nil && err == nil {
		// If TensorRT cannot make a recorded choice, the build must end immediately.
		err = c.config.SetFlag(trtabi.BuilderFlags[flagRejectEmpty].V10, true)
	}
	return err
}

// Select returns the indices of the choices that TensorRT may use for a layer: the recorded
// choice, or all choices if nothing is replayed. It also returns all choices for a layer that is
// not in the file, because TensorRT asks about layers that it later drops.
func (t *selector) Select(layer string, choices []trtabi.Tactic) []int {
	all := make([]int, len(choices))
	for i := range choices {
		all[i] = i
	}
	if t.replay == nil {
		return all
	}
	recorded, known := t.replay.Tactic(layer)
	if !known {
		return all
	}
	for i, choice := range choices {
		if choice.Equal(recorded) {
			return []int{i}
		}
	}
	t.wrong("layer %q: TensorRT does not offer implementation %d, tactic %d of %s: the model, the "+
		"options, TensorRT or the GPU have changed; %s", layer, recorded.Implementation,
		recorded.Tactic, filepath.Base(t.Load), replay.RecordAgain)
	return nil
}

// Report records the choice that TensorRT made.
func (t *selector) Report(layer string, chosen trtabi.Tactic) {
	t.mu.Lock()
	t.chosen.Add(layer, chosen)
	t.mu.Unlock()
	if t.replay == nil {
		return
	}
	if recorded, known := t.replay.Tactic(layer); !known {
		t.wrong("layer %q of the engine is not in %s: the model or the options have changed; %s", layer,
			filepath.Base(t.Load), replay.RecordAgain)
	} else if !chosen.Equal(recorded) {
		t.wrong("layer %q: TensorRT did not choose implementation %d, tactic %d, which %s requires; "+
			"%s", layer,
			recorded.Implementation, recorded.Tactic, filepath.Base(t.Load), replay.RecordAgain)
	}
}

func (t *selector) wrong(format string, args ...any) {
	t.Fail(fmt.Errorf("tactics: "+format, args...))
}

// finish ends a successful build and writes the recorded tactics.
func (t *selector) finish() error {
	if t.chosen.Layers() == 0 {
		return errors.New("tactics: TensorRT reported no tactics, so there is nothing to " +
			"record or replay; remove SaveTactics and LoadTactics for this model")
	}
	if t.Save == "" {
		return nil
	}
	return wholefile.WriteBytes(t.Save, t.chosen.Encode())
}
