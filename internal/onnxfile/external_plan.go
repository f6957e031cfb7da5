package onnxfile

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// dataPlan says where the external data of a model's tensors is stored in a copy of the model.
type dataPlan struct {
	ranges []dataRange
	of     map[int64]int // index of a tensor's range, by the tensor's offset in the model
	size   int64         // size of all ranges together
}

// dataRange is the range of a file that holds the data of one or more tensors.
type dataRange struct {
	tensor         string
	model          *File
	location       string // the file that has the data now
	offset, length int64
	to             int64 // offset in the new file
}

// dataAlignment is the alignment of ranges in bytes. It suffices for every element type and for
// vector loads.
const dataAlignment = 64

// planData lists the external data that the model's tensors need. Tensors that share data continue
// to share it.
func (m *File) planData() (*dataPlan, error) {
	type key struct {
		location       string
		offset, length int64
	}
	plan := &dataPlan{of: map[int64]int{}}
	seen := map[key]int{}
	for _, t := range m.Structure.External {
		k := key{filepath.Clean(t.Location), t.Offset, t.Length}
		i, known := seen[k]
		if !known {
			length := t.Length
			if length < 0 { // the data extends to the end of the file
				size, err := m.dataSize(k.location)
				if err != nil {
					return nil, fmt.Errorf("tensor %q: %w", t.Tensor, err)
				}
				length = max(0, size-t.Offset)
			}
			i = len(plan.ranges)
			to := (plan.size + dataAlignment - 1) &^ (dataAlignment - 1)
			plan.ranges = append(plan.ranges, dataRange{t.Tensor, m, k.location, t.Offset,
				length, to})
			plan.size = to + length
			seen[k] = i
		}
		plan.of[t.At] = i
	}
	return plan, nil
}

// write writes all data into one file.
func (p *dataPlan) write(w io.Writer) error {
	end := int64(0)
	for _, r := range p.ranges {
		if _, err := w.Write(make([]byte, r.to-end)); err != nil {
			return err
		}
		if err := r.copy(w); err != nil {
			return err
		}
		end = r.to + r.length
	}
	return nil
}

func (r *dataRange) copy(w io.Writer) error {
	f, err := r.model.openData(r.location)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", r.tensor, err)
	}
	defer f.Close()
	n, err := io.Copy(w, io.NewSectionReader(f, r.offset, r.length))
	if err == nil && n < r.length {
		err = fmt.Errorf("%s ends after %d of the tensor's %d bytes", r.location, n, r.length)
	}
	if err != nil {
		return fmt.Errorf("tensor %q: %w", r.tensor, err)
	}
	return nil
}

// read returns the data of the range. It checks the size of the file before it allocates memory.
func (r *dataRange) read() ([]byte, error) {
	f, err := r.model.openData(r.location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if r.length < 0 || r.offset > info.Size() || r.length > info.Size()-r.offset {
		return nil, fmt.Errorf("%s has %d bytes, but %d are needed at byte %d", r.location, info.Size(),
			r.length, r.offset)
	}
	data := make([]byte, r.length)
	_, err = f.ReadAt(data, r.offset)
	return data, err
}

// embed returns the fields of a tensor whose data is inside the model.
func (p *dataPlan) embed(i int) ([]byte, error) {
	data, err := p.ranges[i].read()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", p.ranges[i].tensor, err)
	}
	return onnxwire.AppendMessage(nil, onnxwire.TensorRawData, data), nil
}

// refer returns a function that returns the fields of a tensor whose data is in the given file.
func (p *dataPlan) refer(location string) func(i int) ([]byte, error) {
	return func(i int) ([]byte, error) {
		return reference(location, p.ranges[i].to, p.ranges[i].length), nil
	}
}

// reference returns the fields of a tensor whose data is in another file. A negative length means
// that the data extends to the end of the file; the field for the length is then omitted.
func reference(location string, offset, length int64) []byte {
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
