package engineflags

import (
	"errors"
	"io"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/values"
)

// Isolation holds the flags that run engines in separate processes and limit those processes.
type Isolation struct {
	On      bool
	limits  []isolated.Option
	limited string // the flag that set a limit

	log     io.Writer // receives the engines' logs; nil discards them
	verbose bool      // log every detail
}

// List returns the flags --use-subprocess, --subprocess-memory and --subprocess-timeout.
func (i *Isolation) List() []arguments.Flag {
	return []arguments.Flag{arguments.Spelled("--use-subprocess", arguments.Set(&i.On)),
		arguments.Spelled("--subprocess-memory SIZE", i.memory),
		arguments.Spelled("--subprocess-timeout SECONDS", i.timeout)}
}

func (i *Isolation) memory(words []string) error {
	bytes, err := values.Size(words[0])
	if err == nil && bytes <= 0 {
		err = errors.New("the limit must be more than 0 bytes")
	}
	i.limits, i.limited = append(i.limits, isolated.Memory(bytes)), "--subprocess-memory"
	return err
}

func (i *Isolation) timeout(words []string) error {
	limit, err := values.Duration(words[0])
	i.limits = append(i.limits, isolated.Patience(limit))
	i.limited = "--subprocess-timeout"
	return err
}

// Check returns an error if limits are set but no engine runs in a separate process.
func (i *Isolation) Check() error {
	if i.limited != "" && !i.On {
		return without(i.limited, []string{"--use-subprocess"})
	}
	return nil
}

// Of returns the engine with logging set up and, if the flags ask for it, running in a separate
// process. Programs and servers already are separate processes and write their own logs.
func (i *Isolation) Of(e backends.Engine) backends.Engine {
	kind, _, _ := strings.Cut(e.Text(), " ")
	own := i.On && kind != "process" && kind != "served"
	if own {
		e = isolated.Engine(e, i.limits...)
	}
	if log := backends.CapabilitiesOf(e).Log; log != nil && i.log != nil {
		return log(i.log, i.verbose)
	}
	return e
}
