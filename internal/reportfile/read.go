package reportfile

import (
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
)

// maxSize exceeds the reports of a hundred thousand specs with their comparisons.
const maxSize = 1 << 30

// Read reads a report of Ginkgo's (--ginkgo.json-report, `ginkgo --json-report`, `modelparity
// report merge`) or of modelparity's (--report). A file that ends too early is an error, as is one
// that is neither, and one of more than 1 GiB.
func Read(path string) (File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return File{}, located.In(path, err)
	}
	defer f.Close() //nolint:errcheck // it was only read
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
		return File{}, fmt.Errorf("larger than %d MiB, which no report is", maxSize>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return File{}, fmt.Errorf("%w: what wrote it was stopped, or the disk was full", err)
	}
	return read, err
}

// reader reads one report, and accounts for what it makes of it.
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
			err = errors.New("a report of no suite")
		}
	case jsonstream.Object:
		f.Document, err = d.document()
	default:
		err = d.Errorf("%v is neither a report of Ginkgo nor one of modelparity", kind)
	}
	if err == nil {
		err = d.End()
	}
	return f, err
}

// document reads one of our own.
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
		return nil, fmt.Errorf("not a report of modelparity: %w", err)
	}
	switch {
	case found.Kind == "" || found.Verdict == "":
		return nil, errors.New("not a report of modelparity: it has no kind or no verdict; a " +
			"report of Ginkgo is a list")
	case found.Version < 1 || found.Version > compare.SchemaVersion:
		return nil, fmt.Errorf("a report of version %d, and this modelparity reads 1 to %d",
			found.Version, compare.SchemaVersion)
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
			return d.Errorf("%s stands there twice", specsKey)
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
		err = d.Errorf("not a report of Ginkgo: no %s", specsKey)
	}
	if err == nil {
		err = s.settle()
	}
	return s, err
}

// spec reads one spec.
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

// unrun is the state of a node that Ginkgo never came to.
const unrun = "INVALID SPEC STATE"

// take accounts for what was made of raw: its own bytes, which are kept, and the values in it.
func (d *reader) take(size uintptr, raw []byte) error {
	return d.budget.Take(int(size)+8*structure(raw), d.Offset())
}

// structure counts what may begin a value in a JSON text: the fewest bytes make the most memory.
func structure(raw []byte) (n int) {
	for _, c := range raw {
		if c == ',' || c == '[' || c == '{' {
			n++
		}
	}
	return n
}

// ReadAll reads several reports, each of them a path. None is an error, and so is one file that is
// given twice.
func ReadAll(ctx context.Context, paths []string) (all []File, err error) {
	if len(paths) == 0 {
		return nil, errors.New("name the reports: JSON files that --ginkgo.json-report wrote")
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
