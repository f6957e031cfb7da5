package reportfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/schema"
)

// maxSize is the maximum size of a report in bytes. It is enough for a hundred thousand specs and
// their comparisons.
const maxSize = 1 << 30

// Read reads a report from Ginkgo (--ginkgo.json-report, `ginkgo --json-report`, `modelparity
// report merge`) or from modelparity (--report). It is an error if the file is truncated, is not a
// report, or is larger than 1 GiB.
func Read(path string) (File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return File{}, located.In(path, err)
	}
	defer f.Close() //nolint:errcheck // the file was only read
	read, err := Decode(f)
	if err != nil {
		return File{}, located.In(path, err)
	}
	read.Path = path
	return read, nil
}

// Decode reads a report from r. See [Read].
func Decode(r io.Reader) (File, error) {
	limited := &io.LimitedReader{R: r, N: maxSize + 1}
	d := reader{Decoder: jsonstream.NewDecoder(limited)}
	read, err := d.file()
	switch {
	case limited.N <= 0:
		return File{}, fmt.Errorf("the report is larger than the limit of %d MiB", maxSize>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return File{}, fmt.Errorf("%w: its writer was interrupted, or the disk was full", err)
	}
	return read, err
}

// reader reads one report within a memory budget.
type reader struct {
	*jsonstream.Decoder
	budget budget.Structure
}

func (d *reader) file() (f File, err error) {
	kind, err := d.Kind()
	if err != nil {
		return f, err
	}
	switch kind {
	case jsonstream.Array:
		err = d.Array(func(i int) error {
			s, err := d.suite()
			if err != nil {
				return fmt.Errorf("suite %d: %w", i, err)
			}
			f.Suites = append(f.Suites, s)
			return nil
		})
		if err == nil && len(f.Suites) == 0 {
			err = errors.New("the report has no suites")
		}
	case jsonstream.Object:
		f.Document, err = d.document()
	default:
		err = d.Errorf("%v is neither a Ginkgo report nor a modelparity report", kind)
	}
	if err == nil {
		err = d.End()
	}
	return f, err
}

// document reads a report written by modelparity.
func (d *reader) document() (*Document, error) {
	raw, err := d.Raw()
	if err != nil {
		return nil, err
	}
	if err := d.budget.Take(16*structure(raw), d.Offset()); err != nil {
		return nil, err
	}
	found := &Document{Raw: raw}
	if err := json.Unmarshal(raw, found); err != nil {
		return nil, fmt.Errorf("not a modelparity report: %w", err)
	}
	switch {
	case found.Kind == "" || found.Verdict == "":
		return nil, errors.New("neither a modelparity report, which has a kind and a verdict, " +
			"nor a Ginkgo report, which is a list")
	case found.Version < 1 || found.Version > schema.Version:
		return nil, fmt.Errorf("the report has version %d, but this modelparity reads 1 to %d",
			found.Version, schema.Version)
	case !slices.Contains([]string{"pass", "fail", "error"}, found.Verdict):
		return nil, fmt.Errorf("unknown verdict %.64q", found.Verdict)
	case found.Kind == "comparison":
		found.Comparison = new(compare.Document)
		return found, json.Unmarshal(raw, found.Comparison)
	}
	return found, nil
}

// suite reads one suite, spec by spec.
func (d *reader) suite() (s Suite, err error) {
	if err := d.take(unsafe.Sizeof(s), nil); err != nil {
		return s, err
	}
	seen := false
	err = d.Object(func(key string) error {
		if key == specsKey && seen {
			return d.Errorf("%s occurs twice", specsKey)
		}
		if key == specsKey {
			seen = true
			if kind, err := d.Kind(); err != nil || kind == jsonstream.Null {
				return errors.Join(err, d.Null())
			}
			return d.Array(func(i int) error {
				spec, err := d.spec()
				if err != nil {
					return fmt.Errorf("spec %d: %w", i, err)
				}
				s.Specs = append(s.Specs, spec)
				return nil
			})
		}
		raw, err := d.Raw()
		if err == nil {
			err = d.take(unsafe.Sizeof(member{}), raw)
		}
		s.head = append(s.head, member{key, raw})
		return err
	})
	if err == nil && !seen {
		err = d.Errorf("not a Ginkgo report: it lacks %s", specsKey)
	}
	if err == nil {
		err = s.settle()
	}
	return s, err
}

func (d *reader) spec() (s Spec, err error) {
	if _, err := d.Kind(); err != nil {
		return s, err
	}
	at := d.Offset()
	raw, err := d.Raw()
	if err == nil {
		err = d.take(unsafe.Sizeof(s), raw)
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("byte %d: %w", at, err)
	}
	s.raw = raw
	known := s.Failed() || s.State == Passed || s.State == Skipped || s.State == Pending
	if !known && s.State != unrun {
		return s, fmt.Errorf("byte %d: unknown state %.64q", at, s.State)
	}
	return s, nil
}

// unrun is the state of a node that did not run because the suite ended first.
const unrun = "INVALID SPEC STATE"

// take subtracts two sizes from the memory budget: the size of raw, which stays in memory, and the
// size of the values decoded from it.
func (d *reader) take(size uintptr, raw []byte) error {
	return d.budget.Take(int(size)+8*structure(raw), d.Offset())
}

// structure counts the bytes that can start a JSON value. This is an upper bound for the number of
// values.
func structure(raw []byte) int {
	return bytes.Count(raw, []byte(",")) + bytes.Count(raw, []byte("[")) +
		bytes.Count(raw, []byte("{"))
}

// ReadAll reads several reports. It is an error to pass no path, or the same path twice.
func ReadAll(ctx context.Context, paths []string) (all []File, err error) {
	if len(paths) == 0 {
		return nil, errors.New("name at least one report: a JSON file written by --ginkgo.json-report")
	}
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if j := slices.Index(paths[:i], path); j >= 0 {
			return nil, fmt.Errorf("%s is named twice", path)
		}
		f, err := Read(path)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
