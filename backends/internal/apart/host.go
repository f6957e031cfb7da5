package apart

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/child"
	"github.com/modelparity/modelparity/internal/regular"
)

// host describes the machine on which a remote engine runs.
type host struct {
	engine  Engine
	command []string // starts a program there
	folder  string   // shell code that sets $d to the folder for the program and the models
	machine string   // "jetson linux/arm64", once the program there has said so
	log     io.Writer
}

// reach starts the engine's process on the other machine. It copies the program there first, unless
// an earlier copy still exists.
func (e Engine) reach(ctx context.Context, engineKind string, s *settings) (*process, error) {
	words := strings.Fields(e.command)
	if len(words) == 0 {
		return nil, errors.New("remote: the command is empty; pass one that runs a program on the " +
			"other machine, such as ssh jetson")
	}
	if strings.ContainsAny(e.command, `'"\`) {
		return nil, fmt.Errorf("remote: %s: the command is split at spaces, and quotes are not "+
			"supported; use a script or ssh's configuration instead", e.command)
	}
	f := &host{engine: e, command: append(words, "sh"), log: s.log,
		folder: `umask 077; d=${XDG_CACHE_HOME:-${HOME:?}/.cache}/modelparity/remote`}
	end := ""
	if s.Remove {
		f.folder = `umask 077; d=${TMPDIR:-/tmp}/modelparity-` + rand.Text()
		end = `trap 'rm -rf "$d"' EXIT; `
	}
	program, err := s.program()
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	p, err := f.shell()
	if err != nil {
		return nil, err
	}
	doing := "connecting"
	answer, err := p.ask(ctx, s.Patience, f.folder+`; `+end+`mkdir -p "$d" || exit 1; p=$d/program-`+
		program.sum+`; [ -x "$p" ] && touch "$p" && h=yes; `+
		`echo "modelparity $(uname -s) $(uname -m) ${h:-no}"`, nil)
	if err == nil {
		var system, machine, has string
		_, _ = fmt.Sscan(answer, &system, &machine, &has) // what is missing fits no program
		switch there := platform(system, machine); {
		case there != program.platform:
			err = program.unfit(e.command, there)
		case has != "yes":
			doing = "copying the program"
			err = f.copy(ctx, s.Patience, program)
		}
	}
	if err == nil {
		doing = "starting the program"
		// The shell outlives the program, to remove what the program leaves.
		if _, wrong := io.WriteString(p.line.conn, `exec 3<&0 4>&1 0</dev/null 1>&2; `+variable+`=`+
			quoted(engineKind)+` `+folderVariable+`="$d" GOTRACEBACK=single "$p" '-test.run=^$' & `+
			`c=$!; trap '' PIPE; wait $c; s=$?; kill -s KILL -- -$c 2>/dev/null; `+
			`echo "`+endedWith+`$s" >&2; exit $s`+"\n"); wrong != nil {
			err = errEnded
		}
	}
	if err == nil {
		go p.listen()
		var m *message
		if m, err = p.await(ctx, s.Patience); err == nil && m.Does != hello {
			err = fmt.Errorf("remote: %s comes from a different version of modelparity: its first "+
				"message is %q", program.name, m.Does)
		} else if err == nil {
			f.machine = m.Of
			return p, nil
		}
	}
	return nil, p.unreached(ctx, err, doing)
}

// endedWith is the text that the shell on the other machine prints when the program ends, followed
// by the program's exit status. If the text is missing, the connection ended before the program
// did.
const endedWith = "modelparity: the engine's process ended with status "

// unreached cleans up after an engine's process that failed to start on the other machine, and
// returns the error for the caller. If the connection ended, that error is a [Crash] with the
// process's output.
func (p *process) unreached(ctx context.Context, err error, doing string) error {
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("%v: while %s: %w", p.host.engine, doing, context.Cause(ctx))
	case errors.Is(err, errEnded):
		return p.ended(p.host.engine.of, doing)
	}
	p.drop()
	return err
}

// shell starts a shell on the other machine.
func (f *host) shell() (*process, error) {
	p, err := begin(child.Program{Args: f.command, Standard: true, Log: f.log})
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	p.host = f
	return p, nil
}

// ask sends one line to the shell, then the data, and returns the shell's answer. The shell may
// read ahead, so the caller sends nothing more until the answer has arrived.
func (p *process) ask(ctx context.Context, patience time.Duration, line string, data io.Reader) (
	string, error) {
	defer context.AfterFunc(ctx, func() { p.kill("") })()
	if patience > 0 {
		defer time.AfterFunc(patience, func() {
			p.kill(fmt.Sprintf("no answer in %v (isolated.Patience sets how long to wait)", patience))
		}).Stop()
	}
	if _, err := io.WriteString(p.line.conn, line+"\n"); err != nil {
		return "", errEnded
	}
	if data != nil {
		if _, err := p.answer(); err != nil { // it is ready
			return "", err
		}
		if _, err := io.Copy(p.line.conn, data); err != nil {
			return "", errEnded
		}
		_ = p.In.Close() // the other side notices
	}
	return p.answer()
}

// answer returns the rest of the next line that begins with "modelparity ". It skips other lines,
// such as a greeting from the shell's startup files. It reads single bytes, so that it does not
// consume a message that follows the line.
func (p *process) answer() (string, error) {
	var said, line []byte
	for one := make([]byte, 1); len(said) < 64<<10; {
		if _, err := io.ReadFull(p.line.conn, one); err != nil {
			return "", errEnded
		}
		said, line = append(said, one[0]), append(line, one[0])
		if one[0] != '\n' {
			continue
		}
		if text, ok := strings.CutPrefix(string(line), "modelparity "); ok {
			return strings.TrimSpace(text), nil
		}
		line = nil
	}
	p.kill(fmt.Sprintf("the command must start a shell; no shell answered. First output: %.40q", said))
	return "", errEnded
}

// copy copies the program to the other machine. It uses a separate connection, because closing the
// connection marks the end of the data.
func (f *host) copy(ctx context.Context, patience time.Duration, of program) error {
	data, err := regular.Open(of.path)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	defer data.Close()
	p, err := f.shell()
	if err != nil {
		return err
	}
	// The command also removes files that have not been used for 30 days.
	_, err = p.ask(ctx, patience, f.folder+`; t=$d/new-$$; `+
		`find "$d"/* -prune -mtime +30 -exec rm -rf {} + 2>/dev/null; echo modelparity ready; `+
		`cat >"$t" && [ $(wc -c <"$t") -eq `+strconv.FormatInt(of.size, 10)+` ] && chmod 700 "$t" && `+
		`mv -f "$t" "$d/program-`+of.sum+`" && echo modelparity copied || rm -f "$t"`, data)
	if err != nil {
		return p.unreached(ctx, err, "copying the program")
	}
	p.drop()
	return nil
}

// crash describes how the process on the other machine, or the connection to it, ended.
func (f *host) crash(of backends.Engine, doing, killed string, p *process) *Crash {
	name := of.String() + " on " + f.machine
	if f.machine == "" {
		name = of.String() + " over " + f.engine.command
	}
	printed := p.Printed()
	if at := strings.LastIndex(printed, endedWith); at >= 0 {
		status, _ := strconv.Atoi(strings.TrimSpace(printed[at+len(endedWith):]))
		return crashOf(name, doing, killed, exited(status), printed[:at])
	}
	cause := f.engine.command + " did not exit"
	if ended := p.State(); ended != nil {
		cause = f.engine.command + " ended: " + ended.String()
	}
	c := crashOf(name, doing, killed, cause, printed)
	c.Lost = killed == ""
	return c
}

// sign records the other machine in the provenance of a run. It does nothing if f is nil, which
// means that the run was made on this machine.
func (f *host) sign(p *backends.Provenance) {
	if f == nil {
		return
	}
	if p.Options == nil {
		p.Options = map[string]string{}
	}
	p.Options["machine"] = f.machine
}

// program is an executable file for the other machine.
type program struct {
	path, name, sum, platform string
	size                      int64
}

// program returns the program to run on the other machine: the file that the option Binary names,
// or otherwise this program.
func (s *settings) program() (program, error) {
	if s.Binary == "" {
		return ownProgram()
	}
	info, err := buildinfo.ReadFile(s.Binary)
	if err != nil {
		return program{}, fmt.Errorf("remote.Binary: %w", err)
	}
	of := map[string]string{}
	for _, setting := range info.Settings {
		of[setting.Key] = setting.Value
	}
	return summed(program{path: s.Binary, name: s.Binary, platform: of["GOOS"] + "/" + of["GOARCH"]})
}

// ownProgram returns the program that is running. Its checksum is computed only once.
var ownProgram = sync.OnceValues(func() (program, error) {
	path, err := self()
	if err != nil {
		return program{}, err
	}
	return summed(program{path: path, name: "this program",
		platform: runtime.GOOS + "/" + runtime.GOARCH})
})

func summed(p program) (program, error) {
	file, err := regular.Open(p.path)
	if err != nil {
		return p, err
	}
	defer file.Close()
	sum := sha256.New()
	p.size, err = io.Copy(sum, file)
	p.sum = hex.EncodeToString(sum.Sum(nil))
	return p, err
}

// unfit returns the error for a program that the other machine cannot run.
func (p program) unfit(command, there string) error {
	system, architecture, _ := strings.Cut(there, "/")
	return fmt.Errorf("remote: %s is %s, but %s is for %s; build the test binary for that "+
		"platform (GOOS=%s GOARCH=%s go test -c -o path) and pass "+
		"remote.Binary(path)", command, there, p.name,
		p.platform, system, architecture)
}

// platform converts the output of uname -s and uname -m to Go's names: "linux/arm64".
func platform(system, machine string) string {
	switch machine {
	case "x86_64":
		machine = "amd64"
	case "aarch64":
		machine = "arm64"
	case "i386", "i686":
		machine = "386"
	case "armv6l", "armv7l":
		machine = "arm"
	}
	return strings.ToLower(system) + "/" + machine
}

// quoted quotes a word for a POSIX shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
