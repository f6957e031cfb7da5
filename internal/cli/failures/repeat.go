package failures

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/modelparity/modelparity/locate"
)

// Until is the condition for [Repeat] to stop: a number of repetitions, or the first repetition
// with a certain verdict. The zero value is invalid.
type Until struct {
	Times       int
	Fails, Good bool
}

// ParseUntil parses Polygraphy's notation: good, bad, or a number of repetitions.
func ParseUntil(text string) (Until, error) {
	switch text {
	case "good":
		return Until{Good: true}, nil
	case "bad":
		return Until{Fails: true}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostRepetitions {
		return Until{}, fmt.Errorf("%q: want good, bad, or a number of repetitions from 1 to %d",
			text, mostRepetitions)
	}
	return Until{Times: n}, nil
}

// mostRepetitions is the number of repetitions after which [Repeat] stops even if no verdict
// matches its condition, as in Polygraphy.
const mostRepetitions = 100_000

// Repeated counts the verdicts of the repetitions.
type Repeated struct{ Passed, Failed int }

// Text returns the counts as one line.
func (r Repeated) Text() string {
	n := r.Passed + r.Failed
	return fmt.Sprintf("%d of %d repetitions passed, %.4g %%\n", r.Passed, n,
		100*float64(r.Passed)/float64(max(n, 1)))
}

// Repeat runs the judging command again and again, to find intermittent failures. Before each
// repetition it calls produce to create the file again, for example to rebuild an engine. produce
// and progress may be nil. After each repetition, the files listed in the command's Artifacts are
// moved to a folder for its verdict. If the command cannot judge the file or produce fails, Repeat
// stops and returns the error with the counts so far.
func Repeat(ctx context.Context, judge *locate.JudgeCommand, file string, until Until,
	produce func(context.Context) error, progress func(line string)) (done Repeated, err error) {
	if until == (Until{}) {
		return done, errors.New("no stop condition; add --until good, --until bad or --until N")
	}
	if err := judge.Validate(); err != nil {
		return done, err
	}
	for i := range mostRepetitions {
		start := time.Now()
		if err := ctx.Err(); err != nil {
			return done, context.Cause(ctx)
		}
		if produce != nil {
			if err := produce(ctx); err != nil {
				return done, fmt.Errorf("repetition %d: %w", i, err)
			}
		}
		failed, err := judge.Judge(ctx, file)
		if err != nil {
			return done, fmt.Errorf("repetition %d: %w", i, err)
		}
		verdict := "passed"
		if failed {
			verdict = "FAILED"
			done.Failed++
		} else {
			done.Passed++
		}
		if progress != nil {
			progress(fmt.Sprintf("repetition %d %s, %v", i, verdict,
				time.Since(start).Round(time.Millisecond)))
		}
		if until.Fails && failed || until.Good && !failed || i+1 == until.Times {
			return done, nil
		}
	}
	return done, fmt.Errorf("gave up after %d repetitions, none of which had the verdict that "+
		"--until names", mostRepetitions)
}
