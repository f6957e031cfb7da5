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

// Isolation is whether engines have processes of their own, and what those may take.
type Isolation struct {
	On      bool
	limits  []isolated.Option
	limited string // by which flag

	log     io.Writer // where the engines' own logs go; nil is nowhere
	verbose bool      // all of the log
}

// Set takes --use-subprocess, --subprocess-memory SIZE or --subprocess-timeout SECONDS.
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
	return fmt.Errorf("unknown flag %s %s of isolation", flag, strings.Join(words, " "))
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

// Check is an error for limits of processes that no engine has.
func (i *Isolation) Check() error {
	if i.limited != "" && !i.On {
		return without(i.limited, []string{"--use-subprocess"})
	}
	return nil
}

// Of is the engine in a process of its own, where that was asked for, and with its log. Programs
// and servers have a process already, and their logs are their own.
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
