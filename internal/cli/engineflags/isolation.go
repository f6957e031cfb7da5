package engineflags

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
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

// Set sets one of --use-subprocess, --subprocess-memory SIZE and --subprocess-timeout SECONDS.
func (i *Isolation) Set(flag string, words ...string) error {
	switch {
	case flag == "--use-subprocess" && len(words) == 0:
		i.On = true
		return nil
	case flag == "--subprocess-memory" && len(words) == 1:
		return i.memory(words[0])
	case flag == "--subprocess-timeout" && len(words) == 1:
		return i.timeout(words[0])
	}
	return fmt.Errorf("unknown isolation flag %s %s", flag, strings.Join(words, " "))
}

func (i *Isolation) memory(word string) error {
	bytes, err := values.Size(word)
	if err == nil && bytes <= 0 {
		err = errors.New("the limit must be more than 0 bytes")
	}
	i.limits, i.limited = append(i.limits, isolated.Memory(bytes)), "--subprocess-memory"
	return err
}

func (i *Isolation) timeout(word string) error {
	seconds, err := values.Count(word, 0)
	i.limits = append(i.limits, isolated.Patience(time.Duration(seconds)*time.Second))
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

// Of returns the engine with its log and, if the flags ask for it, in a separate process. Programs
// and servers are separate processes already, and write their logs themselves.
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
