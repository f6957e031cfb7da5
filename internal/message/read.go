package message

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/tensor"
)

// maxLine is the maximum length of a message's line of JSON. The values of tensors do not count,
// because they follow the line.
const maxLine = 4 << 20

const tooLong = "the JSON of a message exceeds 4 MiB; send large values as arrays"

// Message is a received message.
type Message struct {
	Head   json.RawMessage // the line of JSON, including "arrays"
	Arrays *tensor.Set     // in the order of the message
}

// Decode unmarshals the message's JSON into v. It ignores unknown members, so that different
// versions of the programs can communicate.
func (m Message) Decode(v any) error { return json.Unmarshal(m.Head, v) }

// Error is the error for a message that does not have the expected format.
type Error struct {
	Offset int64 // byte offset in the channel, from 0
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.Offset, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reader reads messages from a channel, such as a pipe.
type Reader struct {
	from *bufio.Reader
	at   int64 // bytes read so far
}

// NewReader returns a Reader for the messages in r. The Reader buffers: it may consume more of r
// than the messages that Read has returned.
func NewReader(r io.Reader) *Reader { return &Reader{from: bufio.NewReaderSize(r, 64<<10)} }

// Read reads the next message. It returns io.EOF if the channel ends between two messages, and an
// [*Error] for an invalid message. The reader cannot be used after an error.
func (r *Reader) Read() (Message, error) {
	start := r.at
	line, err := r.line()
	if err == io.EOF {
		return Message{}, err
	}
	if err != nil {
		return Message{}, &Error{start, err}
	}
	var head struct {
		Arrays []array `json:"arrays"`
	}
	if err := json.Unmarshal(line, &head); err != nil || line[0] != '{' {
		wrong := fmt.Errorf("expected a JSON object on one line, got %.60q", line)
		if err != nil {
			wrong = fmt.Errorf("%w (%w)", wrong, err)
		}
		return Message{}, &Error{start, wrong}
	}
	entries := make([]tensor.Entry, 0, min(len(head.Arrays), 1024))
	for i, a := range head.Arrays {
		from := r.at
		t, err := r.array(a)
		if err != nil {
			return Message{}, &Error{from, fmt.Errorf("array %d, %q: %w", i, a.Name, err)}
		}
		if a.Keys {
			t = t.AsKeys()
		}
		entries = append(entries, tensor.Entry{Name: a.Name, Tensor: t})
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		return Message{}, &Error{start, err}
	}
	return Message{Head: line, Arrays: set}, nil
}

// line reads one line and returns it without its line break.
func (r *Reader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.from.ReadSlice('\n')
		r.at += int64(len(part))
		line = append(line, part...)
		switch {
		case err == nil:
			if line = line[:len(line)-1]; len(line) == 0 {
				return nil, errors.New("expected a line of JSON, got an empty line")
			}
			return line, nil
		case len(line) > maxLine:
			return nil, fmt.Errorf("%s; it starts with %.60q", tooLong, line)
		case err == io.EOF && len(line) == 0:
			return nil, io.EOF
		case err == io.EOF:
			return nil, fmt.Errorf("the channel was closed in the middle of line %.60q: %w", line,
				io.ErrUnexpectedEOF)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func (r *Reader) array(a array) (*tensor.Tensor, error) {
	elem, err := tensor.Invalid, error(nil)
	if a.Type != "" {
		if elem, err = tensor.ParseElementType(a.Type); err != nil || elem == tensor.Invalid {
			return nil, fmt.Errorf("unknown element type %q", a.Type)
		}
	}
	data, err := r.bytes(a.Bytes)
	if err != nil {
		return nil, err
	}
	file, err := npy.DecodeArray(data)
	if err != nil {
		return nil, err
	}
	return file.As(elem)
}

// step is the maximum number of bytes that are allocated before any data arrives. Later allocations
// are at most twice as large as the data received so far.
const step = 16 << 20

// bytes reads n bytes, where n is a length that the other process has announced.
func (r *Reader) bytes(n int64) ([]byte, error) {
	if n < 0 || n > math.MaxInt {
		return nil, fmt.Errorf("invalid array length of %d bytes", n)
	}
	if err := memory.Allows(uint64(n)); err != nil {
		return nil, fmt.Errorf("an array of %d bytes: %w", n, err)
	}
	data := make([]byte, 0, min(n, step))
	for int64(len(data)) < n {
		if len(data) == cap(data) {
			grown := make([]byte, len(data), min(n, 2*int64(len(data))))
			copy(grown, data)
			data = grown
		}
		got, err := io.ReadFull(r.from, data[len(data):cap(data)])
		r.at += int64(got)
		data = data[:len(data)+got]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, fmt.Errorf("the channel was closed after %d of %d bytes: %w", len(data), n,
				io.ErrUnexpectedEOF)
		}
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}
