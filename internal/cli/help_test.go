package cli

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// shown is every text that the help of the command looks up, by what it is filed under.
func shown(t *testing.T, command string, flags []flag) []string {
	t.Helper()
	var keys []string
	for _, f := range flags {
		if f.Apply == nil {
			continue // it has an answer
		}
		name := cmp.Or(f.Text, f.Name)
		if text := flagText(command, name, f.Fill); text == "" || strings.ContainsAny(text, "{}") {
			t.Errorf("%s: %s has the help %q", command, f.Name, text)
		}
		if _, own := flagTexts()[command+" "+name]; own {
			name = command + " " + name
		}
		keys = append(keys, name)
	}
	return keys
}

func TestEveryFlagHasAHelpTextAndEveryTextAFlag(t *testing.T) {
	used := map[string]bool{}
	for command, flags := range requests {
		for _, key := range shown(t, command, flags()) {
			used[key] = true
		}
	}
	for _, key := range shown(t, "setup", new(setupRequest).flags()) {
		used[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(flagTexts())) {
		if !used[key] {
			t.Errorf("help/flags.txt has a text for %q, which no command has", key)
		}
	}
}

// TestEveryNameInTheHelpTextsIsUnique keeps the texts of two commands from being joined.
func TestEveryNameInTheHelpTextsIsUnique(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(helpText("flags")) {
		if !strings.HasPrefix(line, " ") && seen[line] {
			t.Errorf("help/flags.txt has two texts for %q; put the command before one of them", line)
		}
		seen[line] = true
	}
	_, decodes, _ := modelparity(t, "decode", "--help", "decoding")
	if !strings.Contains(decodes, "A hidden state") || strings.Contains(decodes, "Save measurements") {
		t.Errorf("decode explains --state so:\n%s", decodes)
	}
}

// TestTheHelpOfACommandFitsAScreen looks at what is printed first; topics say the rest.
func TestTheHelpOfACommandFitsAScreen(t *testing.T) {
	for command := range requests {
		status, stdout, _ := modelparity(t, append(strings.Fields(command), "--help")...)
		n := strings.Count(stdout, "\n")
		if status != equal || n > 40 && strings.Contains(stdout, "by topic") {
			t.Errorf("%s --help has %d lines, status %d", command, n, status)
		}
	}
	_, all, _ := modelparity(t, "run", "--help", "all")
	_, builder, _ := modelparity(t, "run", "--help", "trt")
	if !strings.Contains(builder, "\n  --fp16\n") || strings.Contains(builder, "--atol") ||
		!strings.Contains(all, strings.TrimSpace(builder)) {
		t.Errorf("run --help trt begins with %.100q", builder)
	}
	if status, _, stderr := modelparity(t, "run", "--help", "weather"); status != unusable ||
		!strings.Contains(stderr, `unknown help topic "weather"`) {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestTopicsOfTheHelpAreUnique(t *testing.T) {
	for _, command := range slices.Sorted(maps.Keys(requests)) {
		_, stdout, _ := modelparity(t, append(strings.Fields(command), "--help")...)
		_, list, listed := strings.Cut(stdout, "Flags by topic;")
		seen := map[string]bool{everything: true}
		for line := range strings.Lines(list) {
			topic, isTopic := strings.CutPrefix(line, "  ")
			if topic = strings.Fields(topic + " -")[0]; !isTopic {
				continue
			}
			if seen[topic] {
				t.Errorf("%s has two topics called %s", command, topic)
			}
			seen[topic] = true
			status, _, stderr := modelparity(t, append(strings.Fields(command), "--help", topic)...)
			if status != equal {
				t.Errorf("%s --help %s: %s", command, topic, stderr)
			}
		}
		if listed && len(seen) < 3 {
			t.Errorf("%s lists the topics %v", command, seen)
		}
	}
}

// TestPageOfCommands holds docs/commands.md to what the commands say of themselves and of flags.
func TestPageOfCommands(t *testing.T) {
	const file = "../../docs/commands.md"
	var text, table strings.Builder
	text.WriteString("# Commands\n\nEach command as its help begins, and every flag once. " +
		"Written by\n`go test ./internal/cli -run TestPageOfCommands -update.page`.\n")
	commands := map[string][]string{} // by the row of a flag
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		fmt.Fprintf(&text, "\n## %s\n\n```text\n%s```\n", name, helpText(name))
		for _, f := range requests[name]() {
			if f.Apply == nil {
				continue
			}
			does := flagText(name, cmp.Or(f.Text, f.Name), f.Fill)
			cell := strings.NewReplacer("|", `\|`, "<", "&lt;").Replace
			row := "`" + cell(f.Usage()) + "` | " + cell(does)
			commands[row] = append(commands[row], name)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(commands)) {
		fmt.Fprintf(&table, "| %s | %s |\n", row, strings.Join(commands[row], ", "))
	}
	text.WriteString("\n## Flags\n\n| flag | what it does | commands |\n| --- | --- | --- |\n" +
		table.String())
	if *updatePage {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != text.String() {
		t.Errorf("%s is not what the commands say now, %v; "+
			"go test ./internal/cli -run TestPageOfCommands -update.page writes it", file, err)
	}
}

func TestEveryFlagIsInTheHelpOfItsCommand(t *testing.T) {
	for command, flags := range requests {
		_, stdout, _ := modelparity(t, append(strings.Fields(command), "--help", "all")...)
		if !strings.HasPrefix(stdout, "Usage: modelparity "+command+" ") {
			t.Errorf("%s --help begins with %.40q", command, stdout)
		}
		for _, f := range flags() {
			if f.Apply != nil && !strings.Contains(stdout, "\n  "+f.Usage()+"\n") {
				t.Errorf("%s --help leaves out %s", command, f.Name)
			}
		}
	}
}
