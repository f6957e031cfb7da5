package apart

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// message is a message between the two processes. It is sent as the length of its JSON (four
// bytes), the JSON itself, and then blocks of bytes, called pieces, such as the elements of
// tensors.
//
// The parent is the process of the suite; the child is the engine's process, on this machine or on
// another one. The parent sends commands: open, run, close, and commands about loops. While the
// child carries out a command, it requests the inputs, one set at a time, and sends iterations.
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
	Kept   *part             `json:"kept,omitempty"`   // the type and shape of a kept value

	File int   `json:"file,omitempty"` // want: the index of a file of the model
	At   int64 `json:"at,omitempty"`   // want: where the requested bytes begin

	Provenance *backends.Provenance `json:"provenance,omitempty"` // ran, looped
	Passes     []string             `json:"passes,omitempty"`     // ran; Data is the model
	Runtime    time.Duration        `json:"runtime,omitempty"`    // iteration
	Tensors    []part               `json:"tensors,omitempty"`    // set, iteration, step, looped
	Error      *failure             `json:"error,omitempty"`      // failed
	Data       *piece               `json:"data,omitempty"`       // set: bytes of a model's file; ran
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
	Data  *piece `json:"data,omitempty"`
	Files []sent `json:"files,omitempty"` // sum: the model's file, then its external data
}

// sent is a file of a model. The other machine requests it if it has no copy.
type sent struct {
	Name string `json:"name"` // relative to the model's folder, with slashes
	Size int64  `json:"size"`
}

// part describes a tensor in a message. The tensor's elements are sent as a piece; strings are
// joined without separators.
type part struct {
	Name    string             `json:"name,omitempty"`
	Type    tensor.ElementType `json:"type,omitempty"`
	Shape   tensor.Shape       `json:"shape,omitempty"`
	Lengths []int              `json:"lengths,omitempty"` // of strings, in bytes
	piece
}

// piece is a block of bytes that follows the message's JSON.
type piece struct {
	Size int64 `json:"size"`
	data []byte
}

func pieceOf(data []byte) *piece { return &piece{int64(len(data)), data} }

// pieces returns the message's pieces in the order in which they are sent.
func (m *message) pieces() []*piece {
	var all []*piece
	for i := range m.Tensors {
		all = append(all, &m.Tensors[i].piece)
	}
	for _, of := range []*model{m.Model, m.Whole, {Data: m.Data}} {
		if of != nil && of.Data != nil {
			all = append(all, of.Data)
		}
	}
	return all
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

// maxHead is the size limit of a message's JSON, in bytes.
const maxHead = 64 << 20

// line is the connection between the two processes.
type line struct {
	conn io.ReadWriter
	mu   sync.Mutex
}

// write sends a message.
func (l *line) write(m *message) error {
	head, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(head) > maxHead {
		return fmt.Errorf("a message has %d bytes, but at most %d can be sent", len(head), maxHead)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w := bufio.NewWriterSize(l.conn, 64<<10)
	_, err = w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...))
	for _, p := range m.pieces() {
		if err == nil {
			_, err = w.Write(p.data)
		}
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

// errGarbage is the error for a message that cannot be decoded.
var errGarbage = errors.New("invalid message")

func (l *line) read() (*message, error) {
	var size [4]byte
	if _, err := io.ReadFull(l.conn, size[:]); err != nil {
		return nil, err
	}
	head := binary.LittleEndian.Uint32(size[:])
	if head > maxHead {
		return nil, fmt.Errorf("%w: it begins with % x", errGarbage, size)
	}
	text, err := readAll(l.conn, int64(head))
	if err != nil {
		return nil, err
	}
	m := &message{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	for _, p := range m.pieces() {
		if p.Size < 0 {
			return nil, fmt.Errorf("%w: a piece of %d bytes", errGarbage, p.Size)
		}
		if p.data, err = readAll(l.conn, p.Size); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// readAll reads n bytes. It allocates memory as bytes arrive, at most twice their number, so a
// wrong n does not exhaust the memory.
func readAll(from io.Reader, n int64) ([]byte, error) {
	all := make([]byte, 0, min(n, 1<<20))
	for int64(len(all)) < n {
		at := len(all)
		all = slices.Grow(all, int(min(n-int64(at), int64(max(at, 1<<20)))))
		all = all[:min(n, int64(cap(all)))]
		if _, err := io.ReadFull(from, all[at:]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// partsOf returns the tensors of a set as parts of a message.
func partsOf(set *tensor.Set) []part {
	var parts []part
	for name, t := range set.All() {
		of := part{Name: name, Type: t.ElementType(), Shape: t.Shape()}
		data := t.Bytes()
		if t.ElementType() == tensor.String {
			for _, s := range t.Strings() {
				of.Lengths = append(of.Lengths, len(s))
				data = append(data, s...)
			}
		}
		of.piece = *pieceOf(data)
		parts = append(parts, of)
	}
	return parts
}

// set returns the message's tensors.
func (m *message) set() (*tensor.Set, error) {
	entries := make([]tensor.Entry, len(m.Tensors))
	for i, of := range m.Tensors {
		var t *tensor.Tensor
		var err error
		if of.Type == tensor.String {
			t, err = stringsOf(of, of.data)
		} else {
			t, err = tensor.FromBytes(of.Type, of.Shape, of.data)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: tensor %q: %w", errGarbage, of.Name, err)
		}
		entries[i] = tensor.Entry{Name: of.Name, Tensor: t}
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	return set, nil
}

func stringsOf(of part, data []byte) (*tensor.Tensor, error) {
	values := make([]string, len(of.Lengths))
	for i, n := range of.Lengths {
		if n < 0 || n > len(data) {
			return nil, fmt.Errorf("a string has %d bytes, but only %d are left", n, len(data))
		}
		values[i], data = string(data[:n]), data[n:]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%d bytes follow the last string", len(data))
	}
	return tensor.FromStrings(of.Shape, values)
}
