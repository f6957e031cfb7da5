package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/tensor"
)

// array describes one tensor in a message's line of JSON.
type array struct {
	Name  string `json:"name"`
	Type  string `json:"type,omitempty"`
	Keys  bool   `json:"keys,omitempty"` // whether the elements are the keys of a map
	Bytes int64  `json:"bytes"`
}

// Write writes a message that consists of head and tensors. head must marshal to a JSON object
// without a member named "arrays". Nothing is written if the message cannot be encoded, as when a
// string ends in NUL.
func Write(w io.Writer, head any, tensors *tensor.Set) error {
	var announced []array
	var files []io.Reader
	for name, t := range tensors.All() {
		file, err := npy.Layout(t)
		if err != nil {
			return fmt.Errorf("array %q: %w", name, err)
		}
		announced = append(announced,
			array{name, t.ElementType().String(), t.IsKeys(), int64(file.Len())})
		files = append(files, bytes.NewReader(file.Header), bytes.NewReader(file.Data))
	}
	line, err := lineOf(head, announced)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.MultiReader(append([]io.Reader{bytes.NewReader(line)}, files...)...))
	return err
}

// lineOf returns the line of JSON with which a message begins.
func lineOf(head any, announced []array) ([]byte, error) {
	line, err := encoded(head)
	if err != nil {
		return nil, err
	}
	if len(line) < 2 || line[0] != '{' {
		return nil, fmt.Errorf("a message must be a JSON object, got %.40q", line)
	}
	if len(announced) > 0 {
		list, err := encoded(announced)
		if err != nil {
			return nil, err
		}
		line = line[:len(line)-1]
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(append(append(line, `"arrays":`...), list...), '}')
	}
	if len(line) >= maxLine {
		return nil, errors.New(tooLong)
	}
	return append(line, '\n'), nil
}

// encoded returns v as one line of JSON, without a line break at the end.
func encoded(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
