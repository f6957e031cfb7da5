//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// openTimings passes the timing cache in the file to the builder, or an empty cache if the file
// does not exist. It does nothing if the options name no cache.
func (c *construction) openTimings() error {
	t := c.Timing
	if t == (paths{}) {
		return nil
	}
	data, err := readTiming(t.Load)
	if errors.Is(err, fs.ErrNotExist) && t.Load == t.Save {
		err = nil // the first build creates the file
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; to create the file, use trt.TimingCache", err)
	}
	if err != nil {
		return err
	}
	if c.timings, err = c.config.SetTimingCache(data); err != nil {
		return fmt.Errorf("timing cache %s: %w", filepath.Base(t.Load), err)
	}
	c.closing = append(c.closing, c.timings.Delete)
	return nil
}

// keepTimings adds the timings that the build measured to the timing cache's file.
func (c *construction) keepTimings() error {
	t := c.Timing
	if t.Save == "" {
		return nil
	}
	if t.Load != t.Save {
		before, err := readTiming(t.Save)
		if err == nil && len(before) > 0 {
			if err := c.timings.Combine(c.config, before); err != nil {
				return fmt.Errorf("timing cache %s: %w", filepath.Base(t.Save), err)
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	data, err := c.timings.Serialize()
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(t.Save, data)
}

func readTiming(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	data, err := regular.Read(path)
	if err != nil {
		err = fmt.Errorf("timing cache: %w", err)
	}
	return data, err
}
