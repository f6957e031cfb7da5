package apart

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// message is a message between the two processes. Its parts are sent in this order: the length of
// the JSON (four bytes), the length of the data (eight bytes), the JSON, the data.
//
// The parent sends orders: open, run, close, and those about loops. While the child carries out an
// order, it requests the inputs, one set at a time, and sends iterations. After each iteration it
// waits until the parent has copied the data, because both processes use the same shared memory for
// large tensors.
type message struct {
	Does string `json:"does"`

	Engine string    `json:"engine,omitempty"` // open: the engine's text
	Model  *model    `json:"model,omitempty"`  // open
	Whole  *model    `json:"whole,omitempty"`  // open: the model from which Model is cut
	Log    string    `json:"log,omitempty"`    // open: the log level, "info" or "verbose"
	Origin string    `json:"origin,omitempty"` // open, run: the origin of the inputs
	Names  *[]string `json:"names,omitempty"`  // run: the tensors inside; step: the outputs
	Again  bool      `json:"again,omitempty"`  // draw: start again with the first set

	// draw: "whole" for the inputs of Whole, otherwise ""; want: a model's checksum; hello: the
	// machine
	Of string `json:"of,omitempty"`

	Loop   int               `json:"loop,omitempty"` // the number of a loop
	Keep   map[string]string `json:"keep,omitempty"` // step
	Input  string            `json:"input,omitempty"`
	Tokens int               `json:"tokens,omitempty"` // rewind
	Kept   *part             `json:"kept,omitempty"`   // the type and shape of a kept value

	File int   `json:"file,omitempty"` // want: the index of a file of the model
	At   int64 `json:"at,omitempty"`   // want: where the requested bytes begin

	Provenance *backends.Provenance `json:"provenance,omitempty"` // ran, looped
	Passes     []string             `json:"passes,omitempty"`     // ran; the data is the model
	Runtime    time.Duration        `json:"runtime,omitempty"`    // iteration
	Tensors    []part               `json:"tensors,omitempty"`    // set, iteration, step, looped
	Error      *failure             `json:"error,omitempty"`      // failed

	data []byte
}

// The kinds of message: the parent's, its orders about loops, and the child's.
const (
	opens, runs, computes, optimises, gives, ends, takes, cancels, closes = "open", "run", "compute",
		"optimise", "set", "end", "take", "cancel", "close"
	begins, steps, keeps, reads, rewinds, unloops = "loop", "step", "kept", "read", "rewind", "unloop"

	opened, looped, ran, draws, iterates, fails, closed = "opened", "looped", "ran", "draw",
		"iteration", "failed", "closed"

	// Between machines: the child's, and the parent's order to print all stacks.
	hello, wants, shows = "hello", "want", "stacks"
)

// model describes a model to the other process.
type model struct {
	Kind  string `json:"kind"`           // "none", "file", "bytes", "sum", "engine", "text"
	Text  string `json:"text,omitempty"` // the path of a file, the checksum, or the text
	Name  string `json:"name,omitempty"`
	Data  *part  `json:"data,omitempty"`
	Files []sent `json:"files,omitempty"` // sum: the model's file, then its external data
}

// sent is a file of a model, which the other machine requests if it has no copy.
type sent struct {
	Name string `json:"name"` // relative to the model's folder, with slashes
	Size int64  `json:"size"`
}

// part is the location of a tensor or of other bytes: in the data after the message, or in the
// shared memory.
type part struct {
	Name    string             `json:"name,omitempty"`
	Type    tensor.ElementType `json:"type,omitempty"`
	Shape   tensor.Shape       `json:"shape,omitempty"`
	Lengths []int              `json:"lengths,omitempty"` // of strings, in bytes
	Shared  bool               `json:"shared,omitempty"`
	At      int64              `json:"at"`
	Size    int64              `json:"size"`
}

// failure is an error in a form that can be sent. errors.Is and errors.As still find the errors
// that callers check for.
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

// remoteError is an error that the other process sent: its text, and an error that errors.Is and
// errors.As find.
type remoteError struct {
	text string
	is   error
}

func (t *remoteError) Error() string { return t.text }
func (t *remoteError) Unwrap() error { return t.is }

const (
	maxHead  = 64 << 20  // bytes of a message's JSON
	maxData  = 1 << 30   // bytes of data after the JSON
	inline   = 64 << 10  // larger tensors go through shared memory
	maxParts = 1 << 20   // tensors in a message
	maxSpare = 256 << 20 // shared memory that stays allocated between runs
)

// line is the connection between the two processes.
type line struct {
	conn   io.ReadWriter
	shared *os.File // nil if everything goes through the connection
	mu     sync.Mutex
}

// end closes the channel on which messages are sent. Messages can still be received.
func (l *line) end() {
	if c, ok := l.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite() // the other side notices
	}
}

// write sends a message, followed by the data of m.Tensors and m.Model.
func (l *line) write(m *message) error {
	head, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(head) > maxHead {
		return fmt.Errorf("a message has %d bytes, but at most %d can be sent", len(head), maxHead)
	}
	frame := make([]byte, 12, 12+len(head)+min(len(m.data), inline))
	binary.LittleEndian.PutUint32(frame, uint32(len(head)))
	binary.LittleEndian.PutUint64(frame[4:], uint64(len(m.data)))
	frame = append(frame, head...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(m.data) <= inline {
		_, err = l.conn.Write(append(frame, m.data...))
		return err
	}
	if _, err = l.conn.Write(frame); err == nil {
		_, err = l.conn.Write(m.data)
	}
	return err
}

// errGarbage is the error for a message that cannot be decoded.
var errGarbage = errors.New("invalid message")

func (l *line) read() (*message, error) {
	var sizes [12]byte
	if _, err := io.ReadFull(l.conn, sizes[:]); err != nil {
		return nil, err
	}
	head := binary.LittleEndian.Uint32(sizes[:])
	data := binary.LittleEndian.Uint64(sizes[4:])
	if head > maxHead || data > maxData {
		return nil, fmt.Errorf("%w: it begins with % x", errGarbage, sizes)
	}
	text, err := readAll(l.conn, int64(head))
	if err != nil {
		return nil, err
	}
	m := &message{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	m.data, err = readAll(l.conn, int64(data))
	return m, err
}

// readAll reads n bytes without allocating more memory than the bytes that arrive.
func readAll(from io.Reader, n int64) ([]byte, error) {
	var all []byte
	for int64(len(all)) < n {
		at := len(all)
		all = append(all, make([]byte, min(n-int64(at), max(1<<20, int64(at))))...)
		if _, err := io.ReadFull(from, all[at:]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// spare frees the shared memory of the last run if it is large, because the next run may not need
// it.
func (l *line) spare() {
	if info, err := l.shared.Stat(); err == nil && info.Size() > maxSpare {
		_ = l.shared.Truncate(0) // on failure, the memory stays allocated
	}
}

// packer appends tensors to a message or to the shared memory.
type packer struct {
	line *line
	m    *message
	at   int64 // where the next tensor goes in the shared memory
}

// add appends data and returns the given part, completed with the location of the data.
func (p *packer) add(of part, data []byte) (part, error) {
	of.Size = int64(len(data))
	if p.line.shared != nil && len(data) >= inline {
		of.Shared, of.At = true, p.at
		p.at += of.Size
		_, err := p.line.shared.WriteAt(data, of.At)
		return of, err
	}
	if len(p.m.data)+len(data) > maxData {
		return of, fmt.Errorf("the data has %d bytes, but at most %d can be sent without shared memory",
			len(p.m.data)+len(data), maxData)
	}
	of.At = int64(len(p.m.data))
	p.m.data = append(p.m.data, data...)
	return of, nil
}

func (p *packer) set(set *tensor.Set) error {
	for name, t := range set.All() {
		of := part{Name: name, Type: t.ElementType(), Shape: t.Shape()}
		data := t.Bytes()
		if t.ElementType() == tensor.String {
			for _, s := range t.Strings() {
				of.Lengths = append(of.Lengths, len(s))
				data = append(data, s...)
			}
		}
		laid, err := p.add(of, data)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		p.m.Tensors = append(p.m.Tensors, laid)
	}
	return nil
}

func (l *line) bytes(of part, m *message) ([]byte, error) {
	if of.At < 0 || of.Size < 0 || of.At+of.Size < 0 {
		return nil, fmt.Errorf("%w: %d bytes at %d", errGarbage, of.Size, of.At)
	}
	if !of.Shared {
		if of.At+of.Size > int64(len(m.data)) {
			return nil, fmt.Errorf("%w: %d bytes at %d of %d", errGarbage, of.Size, of.At, len(m.data))
		}
		return m.data[of.At : of.At+of.Size : of.At+of.Size], nil
	}
	if l.shared == nil {
		return nil, fmt.Errorf("%w: no memory is shared", errGarbage)
	}
	if info, err := l.shared.Stat(); err != nil || of.At+of.Size > info.Size() {
		return nil, fmt.Errorf("%w: %d bytes at offset %d are outside the shared memory", errGarbage,
			of.Size, of.At)
	}
	data := make([]byte, of.Size)
	_, err := l.shared.ReadAt(data, of.At)
	return data, err
}

func (l *line) set(m *message) (*tensor.Set, error) {
	if len(m.Tensors) > maxParts {
		return nil, fmt.Errorf("%w: %d tensors", errGarbage, len(m.Tensors))
	}
	entries := make([]tensor.Entry, len(m.Tensors))
	for i, of := range m.Tensors {
		data, err := l.bytes(of, m)
		if err != nil {
			return nil, err
		}
		var t *tensor.Tensor
		if of.Type == tensor.String {
			t, err = stringsOf(of, data)
		} else {
			t, err = tensor.FromBytes(of.Type, of.Shape, data)
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
