package apart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/pattern"
)

// Crash is the error for an engine whose process ended unexpectedly.
type Crash struct {
	Engine string // the engine in readable form: "tract FP16"
	Doing  string // "running iteration 2 of net.onnx"
	Cause  string // "SIGFPE (floating-point exception)", "out of memory: …", "it hung: …"
	Words  string // the last lines that the process printed; "" if none
	Lost   bool   // the connection to another machine ended, not only the engine's process
}

func (c *Crash) Error() string {
	text := fmt.Sprintf("%s crashed while %s: %s", c.Engine, c.Doing, c.Cause)
	if c.Lost {
		text = fmt.Sprintf("%s was lost while %s: %s", c.Engine, c.Doing, c.Cause)
	} else {
		text += " (only the engine's process ended)"
	}
	if c.Words != "" {
		text += "\nits last output:\n  " + strings.ReplaceAll(c.Words, "\n", "\n  ")
	}
	return text
}

// mostLines is the largest number of lines that a [Crash] shows from the end of the process's
// output.
const mostLines = 20

// Patterns that match the first lines of the Go runtime's crash reports.
var (
	signalLine = pattern.New(`^(?:\[signal )?(SIG[A-Z0-9]+): ([^\]]*?)(?: code=.*)?\]?$`)
	fatalLine  = pattern.New(`^(fatal error|panic|runtime): (.*)$`)
)

// stackLine matches a line of a Rust stack trace. Such lines are dropped, because otherwise a Crash
// would show little else.
var stackLine = pattern.New(`^(\s+(\d+: |at \S+$)|stack backtrace:$|note: .*RUST_BACKTRACE)`)

// crashOf builds a [Crash] from the output of a process that has ended.
func crashOf(engine, doing, killed, status, printed string) *Crash {
	c := &Crash{Engine: engine, Doing: doing, Cause: status}
	lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	report := len(lines) // index of the line where Go's report begins
	for i, line := range lines {
		found := signalLine.Regexp().FindStringSubmatch(line)
		if found != nil {
			c.Cause = fmt.Sprintf("%s (%s)", found[1], found[2])
			report = min(report, i)
			break
		}
		if found = fatalLine.Regexp().FindStringSubmatch(line); found != nil && report == len(lines) {
			c.Cause = found[0]
			if found[1] == "fatal error" {
				c.Cause = found[2]
			}
			report = i
		}
		if strings.HasPrefix(line, "goroutine ") {
			break
		}
	}
	if killed != "" {
		c.Cause = killed
	}
	words := slices.DeleteFunc(lines[:report], func(line string) bool {
		return strings.TrimSpace(line) == "" || stackLine.Regexp().MatchString(line)
	})
	c.Words = strings.TrimSpace(strings.Join(words[max(0, len(words)-mostLines):], "\n"))
	return c
}
