package locate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// JudgeCommand is a command that judges candidates by its exit status: 0 means that the candidate
// passes, any other status that it fails. Three statuses are exceptions and mean that the command
// could not judge the candidate: 2 (misuse, in modelparity, Polygraphy and many other tools), 126
// and 127 (a shell cannot run the command). The search then ends with an error that quotes the
// command's output, so that a missing file, for example, is not mistaken for the failure that you
// search for.
//
// A JudgeCommand must not be copied after its first use.
type JudgeCommand struct {
	// Args is the command with its arguments. In an argument, {} stands for the candidate's file, and
	// {inputs} for the file with the candidate's inputs. If no argument contains {} or {inputs}, the
	// command must read File.
	Args []string
	// File is the path to which each candidate is written; the default is polygraphy_debug.onnx in
	// the working folder. The inputs are written to <File>.inputs.json.
	File string
	// Keep leaves the last candidate's files; otherwise they are removed.
	Keep bool
	// FailCodes, if set, lists the exit statuses that mean failure. All other statuses then mean a
	// pass, except 2, 126 and 127, which still mean that the command could not judge. After 2,
	// [Reduce] goes on as if the part passed, as Polygraphy does; the whole model must be judged.
	// Without FailCodes, the statuses mean what JudgeCommand describes.
	FailCodes []int
	// IgnoreFailCodes lists exit statuses that always mean a pass.
	IgnoreFailCodes []int
	// FailRegexes, if set, restrict failures to candidates for which one of the regular expressions
	// matches the command's output. Without FailCodes, only the output decides: a match is a failure
	// even if the status is 0.
	FailRegexes []string
	// Artifacts lists files that the command writes. After each candidate they are moved to the folder
	// good or bad in ArtifactsDir (default "polygraphy_artifacts"). Their names get the candidate's
	// number and the exit status, as in out_N3_ec1.json. It is an error if such a file already exists.
	Artifacts    []string
	ArtifactsDir string
	// Output receives the command's output; the default is standard error.
	Output io.Writer
	// Quiet hides the command's output from the user. FailRegexes are still matched against it.
	Quiet bool
	// Info is a file in which the running command finds the number of the candidate, counted from 0:
	// {"iteration": 3} for the fourth. If Info is empty, no such file is written.
	Info string

	judged  int
	regexes []*regexp.Regexp
}

// defaultFile is the name that Polygraphy gives to the file with a candidate.
const defaultFile = "polygraphy_debug.onnx"

// Candidate returns the path of the file to which each candidate is written: File, or the default
// if File is empty.
func (k *JudgeCommand) Candidate() string { return cmp.Or(k.File, defaultFile) }

// Validate returns an error if the command is empty or a regular expression is invalid.
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

// Fails runs the command on a candidate and reports whether the candidate fails. It returns an
// error if the command cannot start, cannot judge the candidate, or is stopped by ctx.
func (k *JudgeCommand) Fails(ctx context.Context, c *Candidate) (bool, error) {
	file := k.Candidate()
	if !k.Keep {
		defer func() {
			for _, name := range []string{file, file + ".data", inputsFile(file)} {
				_ = wholefile.Remove(name) // a file that stays does not change the verdict
			}
		}()
	}
	if err := c.save(file); err != nil {
		return false, err
	}
	return k.Judge(ctx, file)
}

// Judge is like Fails, but for a candidate that has already been written to file, with its inputs
// in <file>.inputs.json. If the command contains neither {} nor {inputs}, the model is first copied
// to the path File, where the command expects it, and the inputs next to it. If there is no file of
// inputs, nothing is copied.
func (k *JudgeCommand) Judge(ctx context.Context, file string) (bool, error) {
	if err := k.Validate(); err != nil {
		return false, &ending{err}
	}
	replace := strings.NewReplacer("{inputs}", inputsFile(file), "{}", file)
	args := names.Each(k.Args, replace.Replace)
	_, without := os.Stat(inputsFile(file)) // a file without inputs is not a candidate
	if without == nil && file != k.Candidate() && slices.Equal(args, k.Args) {
		sets, err := backends.Subject{Inputs: fixtures.Load(inputsFile(file))}.Draw()
		if err != nil {
			return false, &ending{fmt.Errorf("locate: %w", err)}
		}
		return k.Fails(ctx, &Candidate{Model: loaders.ONNX(file), Inputs: sets})
	}
	out := cmp.Or[io.Writer](k.Output, os.Stderr)
	if k.Quiet {
		out = io.Discard
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
	command.WaitDelay = 100 * time.Millisecond // what it started may keep its output open
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && !errors.As(err, &exit):
		return false, &ending{fmt.Errorf("locate: judge command: %w", err)}
	}
	status := command.ProcessState.ExitCode() // -1 if a signal ended it
	failed, err := k.verdict(status, printed)
	switch {
	case err != nil && status == 2 && len(k.FailCodes) > 0:
		return false, err
	case err != nil:
		return false, &ending{err}
	}
	k.judged++
	return failed, k.sort(failed, status)
}

// verdict derives the verdict from the exit status and the output. It returns an error if the
// command could not judge.
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
		return false, fmt.Errorf("locate: the judge command %s could not judge: exit status %d%s; if "+
			"this status is a verdict, list it in FailCodes or IgnoreFailCodes",
			strings.Join(k.Args, " "), status, out.words())
	}
	return len(k.FailCodes) == 0 && len(k.regexes) == 0 && status != 0, nil
}

// printed forwards a command's output and keeps the beginning of the output.
type printed struct {
	to  io.Writer
	all bytes.Buffer
}

// mostPrinted is the number of bytes of output that are kept. The regular expressions see only
// these.
const mostPrinted = 16 << 20

func (p *printed) Write(data []byte) (int, error) {
	p.all.Write(data[:min(len(data), mostPrinted-p.all.Len())])
	_, _ = p.to.Write(data) // a closed reader does not change the verdict
	return len(data), nil
}

// words returns the last lines of the output, for an error message.
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
