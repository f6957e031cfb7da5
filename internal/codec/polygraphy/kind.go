package polygraphy

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/internal/regular"
)

// HasResults reports whether a JSON file contains saved outputs rather than saved inputs. The
// file's first value shows which. In a file of outputs, it is one of three: a list whose key is
// "lst"; a string, which names a Python class; or modelparity's file header. In a file of inputs,
// the first key may also be "lst", if that is an input's name, but then the value is not a list.
func HasResults(path string) (found bool, err error) {
	return begins(path, func(_ *jsonstream.Decoder, key string, kind jsonstream.Kind) (bool, error) {
		return key == "lst" && kind == jsonstream.Array || kind == jsonstream.String ||
			key == HeadKey && kind == jsonstream.Object, nil
	})
}

// IsAccuracy reports whether a JSON file contains accuracy results, which are a list of objects.
// Saved outputs are a list of lists.
func IsAccuracy(path string) (found bool, err error) {
	if !strings.EqualFold(filepath.Ext(path), ".json") {
		return false, nil
	}
	return begins(path, func(d *jsonstream.Decoder, key string, kind jsonstream.Kind) (bool, error) {
		switch {
		case kind == jsonstream.String:
			class, err := d.String()
			return class == "AccuracyResults", err
		case key != "lst" || kind != jsonstream.Array:
			return false, nil
		}
		objects := false
		err := d.Array(func(int) error {
			kind, err := d.Kind()
			if objects = kind == jsonstream.Object; err == nil {
				err = errSeen
			}
			return err
		})
		return objects, err
	})
}

// errSeen stops the parser before the end of a file, for example once the file's kind is known.
var errSeen = errors.New("seen enough")

// begins calls test with the first member of the object in a JSON file, and returns test's result.
// It does not read the rest of the file, which may be gigabytes. For a folder, or a file without an
// object, begins returns false.
func begins(path string, test func(*jsonstream.Decoder, string, jsonstream.Kind) (bool, error)) (
	found bool, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	d := jsonstream.NewDecoder(f)
	if kind, err := d.Kind(); err != nil || kind != jsonstream.Object {
		return false, err
	}
	err = d.Object(func(key string) error {
		kind, err := d.Kind()
		if err == nil {
			found, err = test(d, key, kind)
		}
		if err == nil {
			err = errSeen
		}
		return err
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return found, err
}
