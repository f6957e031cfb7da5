package onnxfile

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// dataRange is the range of a file that holds the data of a tensor.
type dataRange struct {
	onnxwire.External
	to     int64 // offset in the new file
	shared bool  // whether an earlier tensor has the same data
}

// dataAlignment is the alignment of ranges in bytes. It suffices for every element type and for
// vector loads.
const dataAlignment = 64

// planData lists the external data of the model's tensors, and the size of a file that holds all of
// it. Tensors that share data continue to share it.
func (m *File) planData() (ranges []dataRange, size int64, err error) {
	type key struct {
		location       string
		offset, length int64
	}
	seen := map[key]dataRange{}
	for _, e := range m.Structure.External {
		e.Location = filepath.Clean(e.Location)
		k := key{e.Location, e.Offset, e.Length}
		r, shared := seen[k]
		if r.shared = shared; !shared {
			if e.Length < 0 { // the data extends to the end of the file
				end, err := m.dataSize(e.Location)
				if err != nil {
					return nil, 0, fmt.Errorf("tensor %q: %w", e.Tensor, err)
				}
				e.Length = max(0, end-e.Offset)
			}
			r = dataRange{External: e, to: (size + dataAlignment - 1) &^ (dataAlignment - 1)}
			size = r.to + e.Length
			seen[k] = r
		}
		ranges = append(ranges, r)
	}
	return ranges, size, nil
}

// copyData writes all data into one file.
func (m *File) copyData(w io.Writer, ranges []dataRange) error {
	end := int64(0)
	for _, r := range ranges {
		if r.shared {
			continue
		}
		_, err := w.Write(make([]byte, r.to-end))
		if err == nil {
			err = m.copyRange(w, r)
		}
		if err != nil {
			return fmt.Errorf("tensor %q: %w", r.Tensor, err)
		}
		end = r.to + r.Length
	}
	return nil
}

func (m *File) copyRange(w io.Writer, r dataRange) error {
	f, err := m.openData(r.Location)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(w, io.NewSectionReader(f, r.Offset, r.Length))
	if err == nil && n < r.Length {
		err = fmt.Errorf("%s ends after %d of the tensor's %d bytes", r.Location, n, r.Length)
	}
	return err
}

// readData reads a range of a data file. It checks the size of the file before it allocates memory.
func (m *File) readData(location string, offset, length int64) ([]byte, error) {
	f, err := m.openData(location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if length < 0 || offset > info.Size() || length > info.Size()-offset {
		return nil, fmt.Errorf("%s has %d bytes, but %d are needed at byte %d", location, info.Size(),
			length, offset)
	}
	data := make([]byte, length)
	_, err = f.ReadAt(data, offset)
	return data, err
}

// Reference returns the fields of a tensor whose data is in another file. A negative length means
// that the data extends to the end of the file; the field for the length is then omitted.
func Reference(location string, offset, length int64) []byte {
	fields := onnxwire.AppendVarint(nil, onnxwire.TensorDataLocation, onnxwire.ExternalLocation)
	entries := [][2]string{{"location", location}, {"offset", strconv.FormatInt(offset, 10)},
		{"length", strconv.FormatInt(length, 10)}}
	if length < 0 {
		entries = entries[:2]
	}
	for _, entry := range entries {
		pair := onnxwire.AppendText(onnxwire.AppendText(nil, 1, entry[0]), 2, entry[1])
		fields = onnxwire.AppendMessage(fields, onnxwire.TensorExternalData, pair)
	}
	return fields
}
