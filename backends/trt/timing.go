//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// openTimings passes the timing cache in the file to the builder, or an empty cache if the file
// does not exist. It returns nil if the options name no cache.
func (t paths) openTimings(config trtabi.Config) (trtabi.TimingCache, error) {
	if t == (paths{}) {
		return trtabi.TimingCache{}, nil
	}
	data, err := readTiming(t.Load)
	if errors.Is(err, fs.ErrNotExist) && t.Load == t.Save {
		err = nil // the first build creates the file
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; to create the file, use trt.TimingCache", err)
	}
	if err != nil {
		return trtabi.TimingCache{}, err
	}
	cache, err := config.SetTimingCache(data)
	if err != nil {
		return cache, fmt.Errorf("timing cache %s: %w", filepath.Base(t.Load), err)
	}
	return cache, nil
}

// keepTimings adds the timings that the build measured to the file.
func (t paths) keepTimings(config trtabi.Config, cache trtabi.TimingCache) error {
	if t.Save == "" {
		return nil
	}
	if t.Load != t.Save {
		before, err := readTiming(t.Save)
		if err == nil && len(before) > 0 {
			if err := cache.Combine(config, before); err != nil {
				return fmt.Errorf("timing cache %s: %w", filepath.Base(t.Save), err)
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	data, err := cache.Serialize()
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
