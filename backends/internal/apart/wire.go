package apart

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	wire "github.com/modelparity/modelparity/internal/message"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// message is a message between the two processes, in the format of package internal/message: one
// line of JSON, and then the tensors.
//
// The parent is the process of the suite; the child is the engine's process, on this machine or on
// another one. The parent sends commands: open, run, close, and commands that drive a
// [backends.Loop]. While the child carries out a command, it requests the inputs, one set at a
// time, and sends iterations.
type message struct {
	Does string `json:"does"`

	Engine string    `json:"engine,omitempty"` // open: the engine's text
	Model  *model    `json:"model,omitempty"`  // open
	Whole  *model    `json:"whole,omitempty"`  // open: the model from which Model is cut
	Log    string    `json:"log,omitempty"`    // open: the log level, "info" or "verbose"
	Origin string    `json:"origin,omitempty"` // open, run: the origin of the inputs
	Names  *[]string `json:"names,omitempty"`  // run: the tensors inside; step: the outputs
	Again  bool      `json:"again,omitempty"`  // draw: start again with the first set

	// draw: "whole" requests the inputs of Whole, "" the inputs of Model; want: the checksum of a
	// model; hello: the name and platform of the machine
	Of string `json:"of,omitempty"`

	Loop   int               `json:"loop,omitempty"` // the number of a loop
	Keep   map[string]string `json:"keep,omitempty"` // step
	Input  string            `json:"input,omitempty"`
	Tokens int               `json:"tokens,omitempty"` // rewind
	Kept   *kept             `json:"kept,omitempty"`

	File int   `json:"file,omitempty"` // want: the index of a file of the model
	At   int64 `json:"at,omitempty"`   // want: where the requested bytes begin

	Provenance *backends.Provenance `json:"provenance,omitempty"` // ran, looped
	Passes     []string             `json:"passes,omitempty"`     // ran
	Runtime    time.Duration        `json:"runtime,omitempty"`    // iteration
	Error      *failure             `json:"error,omitempty"`      // failed

	// Tensors are inputs or outputs (set, iteration, step, looped), or bytes (see bytesOf): models
	// (open, ran) or a part of a model's file (set). Strings has the shapes of tensors of strings.
	Tensors *tensor.Set             `json:"-"`
	Strings map[string]tensor.Shape `json:"strings,omitempty"`
}

// kept is the element type and shape of a kept value.
type kept struct {
	Type  tensor.ElementType `json:"type"`
	Shape tensor.Shape       `json:"shape"`
}

// The kinds of message: first those that the parent sends, then those that the child sends.
const (
	opens, runs, computes, optimises, gives, ends, cancels, closes = "open", "run", "compute",
		"optimise", "set", "end", "cancel", "close"
	begins, steps, keeps, reads, rewinds, unloops = "loop", "step", "kept", "read", "rewind", "unloop"

	opened, looped, ran, draws, iterates, fails, closed = "opened", "looped", "ran", "draw",
		"iteration", "failed", "closed"

	// Only a remote engine's process sends these.
	hello, wants = "hello", "want"
)

// model describes a model to the other process.
type model struct {
	Kind  string `json:"kind"`           // "none", "file", "bytes", "sum", "engine", "text", "same"
	Text  string `json:"text,omitempty"` // the path of a file, the checksum, or the text
	Name  string `json:"name,omitempty"`
	Files []sent `json:"files,omitempty"` // sum: the model's file, then its external data
	data  []byte // bytes: the model; sent as a tensor of the message
}

// sent is a file of a model. The other machine requests it if it has no copy.
type sent struct {
	Name string `json:"name"` // relative to the model's folder, with slashes
	Size int64  `json:"size"`
	path string // on this machine
}

// failure is an error in a form that can be sent to the other process. There, errors.Is and
// errors.As still find the errors that callers check for.
type failure struct {
	Text    string            `json:"text"`
	Means   string            `json:"means,omitempty"`
	Missing *backends.Missing `json:"missing,omitempty"`
}

const (
	noInputs     = "no inputs"
	ended        = "ended"  // the context has ended
	brokenInputs = "inputs" // drawing the inputs failed; the parent has the error
)

func failureOf(err error) *failure {
	f := &failure{Text: err.Error()}
	switch {
	case errors.Is(err, backends.ErrNoInputs):
		f.Means = noInputs
	case errors.Is(err, errCancelled):
		f.Means = ended
	case errors.Is(err, errInputs):
		f.Means = brokenInputs
	}
	errors.As(err, &f.Missing)
	return f
}

// remoteError is an error that the other process sent. It consists of the error's text and a local
// error for errors.Is and errors.As to find.
type remoteError struct {
	text string
	is   error
}

func (t *remoteError) Error() string { return t.text }
func (t *remoteError) Unwrap() error { return t.is }

// line is the connection between the two processes.
type line struct {
	conn io.ReadWriter
	from *wire.Reader // created by the first read
	mu   sync.Mutex   // held while writing
}

// write sends a message.
func (l *line) write(m *message) error {
	head := *m
	tensors, err := head.pack()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w := bufio.NewWriterSize(l.conn, 64<<10)
	if err := wire.Write(w, head, tensors); err != nil {
		return err
	}
	return w.Flush()
}

// errGarbage is the error for a message that cannot be decoded.
var errGarbage = errors.New("invalid message")

func (l *line) read() (*message, error) {
	if l.from == nil {
		l.from = wire.NewReader(l.conn)
	}
	got, err := l.from.Read()
	if wrong := (*wire.Error)(nil); errors.As(err, &wrong) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	if err != nil {
		return nil, err
	}
	m := &message{}
	if err = got.Decode(m); err == nil {
		err = m.unpack(got.Arrays)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	return m, nil
}

// pack returns the message's tensors with bytes instead of strings: each string is preceded by its
// length. NumPy's format cannot represent all strings. pack sets Strings.
func (m *message) pack() (*tensor.Set, error) {
	return sets.Map(m.Tensors, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		if t.ElementType() != tensor.String {
			return t, nil
		}
		if m.Strings == nil {
			m.Strings = map[string]tensor.Shape{}
		}
		m.Strings[name] = t.Shape()
		var data []byte
		for _, s := range t.Strings() {
			data = append(binary.AppendUvarint(data, uint64(len(s))), s...)
		}
		return tensor.Of(data...), nil
	})
}

// unpack does the opposite of pack.
func (m *message) unpack(tensors *tensor.Set) (err error) {
	m.Tensors, err = sets.Map(tensors, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		shape, are := m.Strings[name]
		if !are {
			return t, nil
		}
		var values []string
		for data := t.Bytes(); len(data) > 0; {
			n, size := binary.Uvarint(data)
			if size <= 0 || n > uint64(len(data)-size) {
				return nil, fmt.Errorf("a string is longer than the %d bytes that are left", len(data))
			}
			end := size + int(n)
			values, data = append(values, string(data[size:end])), data[end:]
		}
		return tensor.FromStrings(shape, values)
	})
	return err
}

// bytesOf makes a tensor from each value of data. The tensor's name is the key of the value.
func bytesOf(data map[string][]byte) *tensor.Set {
	var entries []tensor.Entry
	for name, bytes := range data {
		entries = append(entries, tensor.Entry{Name: name, Tensor: tensor.Of(bytes...)})
	}
	set, _ := tensor.NewSet(entries...) // only a repeated name fails
	return set
}

// bytes returns the bytes with the given name, or nil if the message has none.
func (m *message) bytes(name string) []byte {
	if t, ok := m.Tensors.Get(name); ok {
		return t.Bytes()
	}
	return nil
}
