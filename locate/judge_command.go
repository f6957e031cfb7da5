package locate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// JudgeCommand is a command that judges candidates by its exit status: 0 is good, and other
// statuses are the failure, except for those that say that the command could not judge: 2, by which
// modelparity, Polygraphy and many other tools report misuse, and 126 and 127, by which a shell
// reports a command that it cannot run. Such a status ends the search with the command's own words,
// because a file that is missing is not the failure that is looked for.
//
// It must not be copied after its first use.
type JudgeCommand struct {
	// Args is the command and its arguments. {} in an argument is replaced by the candidate's file,
	// {inputs} by the file with its inputs. A command that names neither finds the candidate in File.
	Args []string
	// File is where each candidate is written: polygraphy_debug.onnx in the working folder, if it is
	// "". Its inputs are written beside it, to <File>.inputs.json.
	File string
	// FailCodes are the exit statuses that are the failure; all others are good then, except for
	// those that say that the command could not judge. None: as described above.
	FailCodes []int
	// IgnoreFailCodes are exit statuses that are always good.
	IgnoreFailCodes []int
	// FailRegexes limit the failure to candidates for which the command prints what one of them
	// matches. Without FailCodes, what is printed decides alone, after status 0 too.
	FailRegexes []string
	// Artifacts are files that the command leaves. After each candidate they are moved to the folder
	// good or bad in ArtifactsDir ("polygraphy_artifacts" where that is ""), under their names with
	// the number of the candidate and the exit status: out_N3_ec1.json. A file that is there already
	// is never replaced, which is an error.
	Artifacts    []string
	ArtifactsDir string
	// Output is where what the command prints goes; standard error where it is nil.
	Output io.Writer
	// Quiet keeps what the command prints to itself; fail regexes see it all the same.
	Quiet bool
	// Info is a file that tells the command which candidate it judges, while it does: {"iteration": 3}
	// for the fourth. "" is none.
	Info string

	judged  int
	regexes []*regexp.Regexp
}

// defaultFile is Polygraphy's name for the candidate.
const defaultFile = "polygraphy_debug.onnx"

// Made is where what a command judges is written that is not a candidate of a reduction: an engine
// that was built, or a model. It is File, or Polygraphy's default.
func (k *JudgeCommand) Made(engine bool) string {
	if k.File == "" && engine {
		return "polygraphy_debug.engine"
	}
	return k.Candidate()
}

// Candidate is where each candidate is written: File, or its default.
func (k *JudgeCommand) Candidate() string {
	if k.File == "" {
		return defaultFile
	}
	return k.File
}

// Validate is an error where the command cannot be run: it is empty, or a regular expression is
// wrong.
func (k *JudgeCommand) Validate() error {
	if len(k.Args) == 0 {
		return errors.New("locate: the judge command is empty")
	}
	k.regexes = nil
	var wrong []error
	for _, text := range k.FailRegexes {
		r, err := regexp.Compile(text)
		if err != nil {
			err = fmt.Errorf("locate: fail regex %q: %w", text, err)
		}
		wrong = append(wrong, err)
		k.regexes = append(k.regexes, r)
	}
	return errors.Join(wrong...)
}

// Fails runs the command on a candidate. A command that cannot be started, or that ctx ended, is an
// error and no verdict.
func (k *JudgeCommand) Fails(ctx context.Context, c *Candidate) (bool, error) {
	if err := c.save(k.Candidate()); err != nil {
		return false, err
	}
	return k.Judge(ctx, k.Candidate())
}

// Judge is Fails for a candidate that is written already.
func (k *JudgeCommand) Judge(ctx context.Context, file string) (bool, error) {
	if err := k.Validate(); err != nil {
		return false, &ending{err}
	}
	replace := strings.NewReplacer("{inputs}", inputsFile(file), "{}", file)
	args := make([]string, len(k.Args))
	for i, arg := range k.Args {
		args[i] = replace.Replace(arg)
	}
	out := k.Output
	switch {
	case k.Quiet:
		out = io.Discard
	case out == nil:
		out = os.Stderr
	}
	if k.Info != "" {
		info := fmt.Appendf(nil, "{\"iteration\": %d}\n", k.judged)
		if err := wholefile.WriteBytes(k.Info, info); err != nil {
			return false, &ending{fmt.Errorf("locate: %w", err)}
		}
		defer os.Remove(k.Info)
	}
	printed := &printed{to: out}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Stdout, command.Stderr = printed, printed
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && !errors.As(err, &exit):
		return false, &ending{fmt.Errorf("locate: judge command: %w", err)}
	}
	status := command.ProcessState.ExitCode() // -1 for a signal
	failed, err := k.verdict(status, printed)
	if err != nil {
		return false, &ending{err}
	}
	k.judged++
	return failed, k.sort(failed, status)
}

// verdict judges by an exit status and what was printed.
func (k *JudgeCommand) verdict(status int, out *printed) (failed bool, err error) {
	matches := len(k.regexes) == 0 || slices.ContainsFunc(k.regexes,
		func(r *regexp.Regexp) bool { return r.Match(out.all.Bytes()) })
	switch {
	case slices.Contains(k.IgnoreFailCodes, status):
		return false, nil
	case slices.Contains(k.FailCodes, status):
		return matches, nil
	case len(k.FailCodes) == 0 && len(k.regexes) > 0 && matches:
		return true, nil
	case status == 2 || status == 126 || status == 127:
		return false, fmt.Errorf("locate: the judge command %s could not judge: exit status %d%s; count "+
			"the status as a failure (fail code) or as good (ignored fail code) if that is what it means",
			strings.Join(k.Args, " "), status, out.words())
	}
	return len(k.FailCodes) == 0 && len(k.regexes) == 0 && status != 0, nil
}

// printed passes on what a command prints, and keeps the beginning of it.
type printed struct {
	to  io.Writer
	all bytes.Buffer
}

// mostPrinted is how much is kept for regular expressions.
const mostPrinted = 16 << 20

func (p *printed) Write(data []byte) (int, error) {
	p.all.Write(data[:min(len(data), mostPrinted-p.all.Len())])
	_, _ = p.to.Write(data) // a reader that has gone does not change the verdict
	return len(data), nil
}

// words is the end of the output, for an error.
func (p *printed) words() string {
	const lines, most = 5, 1000
	text := strings.TrimSpace(p.all.String())
	if text == "" {
		return ", and it printed nothing"
	}
	all := strings.Split(text, "\n")
	text = strings.Join(all[max(0, len(all)-lines):], "\n")
	return ": " + text[max(0, len(text)-most):]
}
