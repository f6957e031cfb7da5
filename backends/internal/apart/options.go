package apart

import (
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/pattern"
)

// Option is an option of isolated and of remote engines.
type Option = option.Option[settings]

type settings struct {
	Memory   int64         `json:"memory,omitempty"` // in bytes; 0: no limit
	Patience time.Duration `json:"patience"`         // 0: no limit
	Binary   string        `json:"binary,omitempty"` // remote: the program; "" is this one
	Remove   bool          `json:"remove,omitempty"` // remote: leave nothing on the other machine

	log     io.Writer // nil: the log is discarded
	verbose bool
}

var isolated = option.Kind[settings]{Package: "isolated", Name: "isolated", Defaults: defaults,
	Check: func(s *settings) error {
		return option.Refuse(s.Binary != "" || s.Remove,
			"remote.Binary and remote.Remove apply only to remote.Engine; drop them")
	}}

var remote = option.Kind[settings]{Package: "remote", Name: "remote", Defaults: defaults,
	Check: func(s *settings) error {
		return option.Refuse(s.Memory != 0, "isolated.Memory cannot limit a process on another "+
			"machine; drop the option")
	}}

func defaults() settings { return settings{Patience: 5 * time.Minute} }

// Memory is isolated.Memory.
func Memory(bytes int64) Option {
	return option.Field(option.Call("isolated.Memory", bytes), bytes,
		func(s *settings) *int64 { return &s.Memory },
		option.Refuse(bytes <= 0, "the limit must be more than 0 bytes"),
		option.Refuse(runtime.GOOS != "linux", "memory can be limited only on Linux; drop the option"))
}

// Patience is isolated.Patience.
func Patience(d time.Duration) Option {
	return option.Field(option.Call("isolated.Patience", d), d,
		func(s *settings) *time.Duration { return &s.Patience },
		option.Refuse(d < 0, "the duration must not be negative"))
}

// Log is isolated.Log.
func Log(w io.Writer, verbose bool) Option {
	return option.LeftOut("isolated.Log", "a writer", func(s *settings) error {
		if w == nil {
			return errors.New("the writer is nil; pass GinkgoWriter or os.Stderr")
		}
		s.log, s.verbose = w, verbose
		return nil
	})
}

// Binary is remote.Binary.
func Binary(path string) Option {
	return option.Field(option.Call("remote.Binary", path), path,
		func(s *settings) *string { return &s.Binary },
		option.Refuse(path == "", "the path is empty"))
}

// Remove is remote.Remove.
func Remove() Option {
	return option.Field(option.Call("remote.Remove"), true,
		func(s *settings) *bool { return &s.Remove })
}

// logs returns the log level that the options set: "", "info" or "verbose".
func (s *settings) logs() string {
	switch {
	case s.log == nil:
		return ""
	case s.verbose:
		return "verbose"
	}
	return "info"
}

// comment matches the comments in an engine's Go source that list omitted options.
var comment = pattern.New(`/\* left out: (.*?) \*/`)
