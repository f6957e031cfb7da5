package apart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/texts"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// variable names the environment variable that makes a process run an engine. Its value is the kind
// of engine, the first word that its method Text returns, such as "ort". The process removes the
// variable from its own environment. Otherwise its child processes would run an engine too, if they
// contain this package.
const variable = "MODELPARITY_ISOLATED_ENGINE"

// inChild reports whether this process runs an engine for another process.
var inChild bool

// folderVariable names the environment variable that contains the path of the folder for models. It
// is set only in a process that was started from another machine.
const folderVariable = "MODELPARITY_REMOTE_FOLDER"

// init serves the parent process if this process was started to run an engine; main then does not
// run. If the engine's package is initialised after this package, [backends.Register] serves the
// parent instead.
func init() {
	engineKind, ours := os.LookupEnv(variable)
	if !ours {
		return
	}
	inChild = true
	os.Unsetenv(variable)
	texts.Await(engineKind, serve)
}

// worker is the state of a process that runs an engine.
type worker struct {
	line    *line
	folder  string        // for models from another machine; "" if the parent is on this one
	replies chan *message // answers to the child's messages
	asking  sync.Mutex    // held while waiting for an answer
	mu      sync.Mutex
	cancel  context.CancelCauseFunc // cancels the operation in progress
	engine  backends.Engine
	opened  fixtures.Declaration // the model
	backend backends.Backend
	loops   []backends.Loop
}

var (
	errCancelled = errors.New("cancelled")
	errInputs    = errors.New("the inputs failed")
)

// serve carries out the parent's commands until the parent ends or closes the connection.
func serve() {
	folder, remote := os.LookupEnv(folderVariable)
	os.Unsetenv(folderVariable)
	c := &worker{line: &line{conn: inherited(remote)}, folder: folder, replies: make(chan *message, 1)}
	sacrifice()
	if remote {
		host, _ := os.Hostname() // "" if unknown
		machine := strings.TrimSpace(host + " " + runtime.GOOS + "/" + runtime.GOARCH)
		if c.line.write(&message{Does: hello, Of: machine}) != nil {
			killGroup()
		}
	}
	go c.listen()
	select {}
}

// listen receives messages. It carries out each command in a separate goroutine, so that it notices
// the end of the parent process even if the engine hangs.
func (c *worker) listen() {
	for {
		m, err := c.line.read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, "isolated:", err)
			}
			killGroup()
		}
		switch m.Does {
		case gives, ends, fails:
			c.replies <- m
		case cancels:
			c.mu.Lock()
			if c.cancel != nil {
				c.cancel(errCancelled)
			}
			c.mu.Unlock()
		default:
			ctx, cancel := context.WithCancelCause(context.Background())
			c.mu.Lock()
			c.cancel = cancel
			c.mu.Unlock()
			go c.do(ctx, m)
		}
	}
}

// do carries out one command and sends the result.
func (c *worker) do(ctx context.Context, m *message) {
	var answer *message
	var err error
	switch m.Does {
	case opens:
		answer, err = c.open(ctx, m)
	case runs:
		answer, err = c.run(ctx, m)
	case computes:
		answer = &message{Does: ran, Provenance: &backends.Provenance{}}
		answer.Provenance.Computed, err = backends.CapabilitiesOf(c.engine).Computed(ctx,
			c.opened.(*loaders.Model))
	case optimises:
		answer = &message{Does: ran, Provenance: &backends.Provenance{}}
		var optimised *loaders.Model
		answer.Passes, optimised, err = backends.CapabilitiesOf(c.engine).Passes(ctx,
			c.opened.(*loaders.Model))
		if err == nil {
			var data []byte
			data, err = optimised.Bytes()
			answer.Tensors = bytesOf(map[string][]byte{"model": data})
		}
	case begins, steps, keeps, reads, rewinds, unloops:
		answer, err = c.loop(ctx, m)
	case closes:
		answer, err = &message{Does: closed}, c.close()
	default:
		err = fmt.Errorf("unknown message %q", m.Does)
	}
	if err != nil {
		answer = &message{Does: fails, Error: failureOf(err)}
	}
	if err := c.line.write(answer); err != nil {
		fmt.Fprintln(os.Stderr, "isolated:", err)
		killGroup()
	}
	if m.Does == closes {
		os.Exit(0)
	}
}

// open opens the engine for a model.
func (c *worker) open(ctx context.Context, m *message) (*message, error) {
	var err error
	if c.engine, err = backends.OpenText(m.Engine); err != nil {
		return nil, err
	}
	if log := backends.CapabilitiesOf(c.engine).Log; log != nil && m.Log != "" {
		c.engine = log(os.Stderr, m.Log == "verbose")
	}
	engine := c.engine
	of, err := c.model(m.Model, m.bytes("model"))
	if err != nil {
		return nil, err
	}
	if m.Whole != nil {
		whole := of // engines treat their own model and parts of it differently
		if m.Whole.Kind != "same" {
			if whole, err = c.model(m.Whole, m.bytes("whole")); err != nil {
				return nil, err
			}
		}
		if engine, _, err = backends.ForParts(ctx, engine, whole,
			fixtures.Repeatable(m.Origin, c.draw("whole"))); err != nil {
			return nil, err
		}
	}
	c.engine, c.opened = engine, of
	c.backend, err = engine.Open(ctx, of, fixtures.Repeatable(m.Origin, c.draw("")))
	return &message{Does: opened}, err
}

// model recreates the described model. data is the model itself if it was sent as bytes.
func (c *worker) model(of *model, data []byte) (fixtures.Declaration, error) {
	switch {
	case of == nil || of.Kind == "none":
		return nil, nil
	case of.Kind == "file":
		return loaders.ONNX(of.Text), nil
	case of.Kind == "sum":
		return c.fetch(of)
	case of.Kind == "text":
		made, err := texts.Open(of.Text)
		if err != nil {
			return nil, err
		}
		if m, ok := made.(textModel); ok {
			return m, nil
		}
		return nil, fmt.Errorf("%q does not describe a model", of.Text)
	case of.Kind == "engine":
		if d, ok := c.engine.(fixtures.Declaration); ok {
			return d, nil
		}
	case of.Kind == "bytes":
		return loaders.ONNXBytes(of.Name, data), nil
	}
	return nil, fmt.Errorf("unknown kind of model %q", of.Kind)
}

// run runs the model and sends the iterations one by one.
func (c *worker) run(ctx context.Context, m *message) (*message, error) {
	if c.backend == nil {
		return nil, backends.ErrClosed
	}
	inputs := fixtures.Repeatable(m.Origin, c.draw(runs))
	var r *backends.Run
	var err error
	if m.Names == nil {
		r, err = c.backend.Run(ctx, inputs)
	} else {
		read := backends.CapabilitiesOf(c.engine).RunWithTensors
		if read == nil {
			return nil, errors.New("the engine cannot return the intermediate tensors of a model")
		}
		r, err = read(ctx, c.backend, inputs, *m.Names)
	}
	if err != nil {
		return nil, err
	}
	for _, iteration := range r.Iterations() {
		if err := c.line.write(&message{Does: iterates, Runtime: iteration.Runtime,
			Tensors: iteration.Outputs}); err != nil {
			return nil, fmt.Errorf("sending the outputs: %w", err)
		}
	}
	return &message{Does: ran, Provenance: &r.Provenance}, nil
}

func (c *worker) close() error {
	if c.backend == nil {
		return nil
	}
	return c.backend.Close()
}

// draw returns a function that requests the parent's inputs, one set at a time.
func (c *worker) draw(of string) func() iter.Seq2[*tensor.Set, error] {
	return func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			for first := true; ; first = false {
				m, err := c.ask(&message{Does: draws, Of: of, Again: first})
				if err == nil && m.Does == ends {
					return
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(m.Tensors, nil) {
					return
				}
			}
		}
	}
}

// ask sends a message to the parent and waits for the answer.
func (c *worker) ask(m *message) (*message, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if err := c.line.write(m); err != nil {
		return nil, err
	}
	answer := <-c.replies
	if answer.Does == fails {
		text := ""
		if answer.Error != nil {
			text = answer.Error.Text
		}
		return nil, &remoteError{text, errInputs}
	}
	return answer, nil
}
