package pages

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"image/png"
	"io"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/regular"
)

type picture struct {
	Name string
	Path string
	Data template.URL // "" if the file was not embedded
	Why  string       // why the file was not embedded
}

// The maximum sizes in bytes of one embedded picture, and of all embedded pictures together.
const (
	largestPicture = 4 << 20
	allPictures    = 48 << 20
)

// pictureReader embeds pictures. A report may name any file, so the reader accepts only PNG files
// that, after resolving links, are in the report's folder or below it.
type pictureReader struct {
	folder string // the folder of a report without a path; "" means the working directory
	taken  int
}

// of returns the pictures that a spec's entry lists. Their paths are relative to the suite's folder
// or, if report and pictures were moved together, to the report's folder.
func (r *pictureReader) of(report, suite string, value json.RawMessage) (found []picture) {
	var saved struct {
		Pictures []string `json:"pictures"`
	}
	if json.Unmarshal(value, &saved) != nil {
		return nil // the entry comes from another program
	}
	folder := r.folder
	if report != "" {
		folder = filepath.Dir(report)
	}
	for _, path := range saved.Pictures {
		found = append(found, r.read(folder, suite, path))
	}
	return found
}

func (r *pictureReader) read(folder, suite, path string) picture {
	p := picture{Name: filepath.Base(filepath.FromSlash(path)), Path: path}
	folder, err := filepath.Abs(folder)
	var root *os.Root // no path leads out of it
	if err == nil {
		root, err = os.OpenRoot(folder)
	}
	if err != nil {
		p.Why = "the report's folder cannot be read"
		return p
	}
	defer root.Close() //nolint:errcheck // nothing is written
	p.Why = "not found below the report's folder"
	for _, candidate := range []string{path, filepath.Join(suite, path)} {
		if filepath.IsAbs(candidate) {
			if candidate, err = filepath.Rel(root.Name(), candidate); err != nil {
				continue
			}
		}
		data, why := r.data(root, candidate)
		if data == nil {
			if why != "" {
				p.Why = why
			}
			continue
		}
		r.taken += len(data)
		text := base64.StdEncoding.EncodeToString(data)
		p.Data = template.URL("data:image/png;base64," + text) //nolint:gosec // base64 has no markup
		p.Why = ""
		return p
	}
	return p
}

// data returns a picture's content, or the reason for not embedding it.
func (r *pictureReader) data(root *os.Root, path string) (data []byte, why string) {
	f, err := regular.OpenBelow(root, path)
	if err != nil {
		return nil, ""
	}
	defer f.Close() //nolint:errcheck // opened read-only
	info, err := f.Stat()
	if err != nil {
		return nil, ""
	}
	if info.Size() > largestPicture || r.taken+int(info.Size()) > allPictures {
		return nil, "too large to embed in the page"
	}
	data, err = io.ReadAll(io.LimitReader(f, largestPicture))
	if err != nil {
		return nil, "it cannot be read"
	}
	if _, err := png.DecodeConfig(bytes.NewReader(data)); err != nil {
		return nil, "not a PNG picture"
	}
	return data, ""
}
