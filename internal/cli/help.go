package cli

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/terminal"
)

// helpColumns is the width that help texts are broken to.
const helpColumns = 96

// overview prints the commands.
func overview(to io.Writer) {
	fmt.Fprint(to, `modelparity decides whether two runs of a model are the same model.

`)
	for _, c := range commands() {
		fmt.Fprintf(to, "  modelparity %-9s %s\n", c.name, c.summary)
	}
	fmt.Fprint(to, `
modelparity help COMMAND says more. Exit status: 0 equal, 1 differs, 2 could not compare.
`)
}

//go:embed help
var helpFolder embed.FS

// helpText is a file of the folder help.
func helpText(name string) string {
	text, err := helpFolder.ReadFile("help/" + strings.ReplaceAll(name, " ", "-") + ".txt")
	if err != nil {
		panic(err) // the program was built without it, which a test rules out
	}
	return string(text)
}

// flagTexts is what help/flags.txt says of each flag: its name on a line, then the text, indented.
// "COMMAND --flag" is what a flag means in one command only.
var flagTexts = sync.OnceValue(func() map[string]string {
	texts, name := map[string]string{}, ""
	for line := range strings.Lines(helpText("flags")) {
		if text, indented := strings.CutPrefix(line, "    "); indented {
			texts[name] = strings.TrimSpace(texts[name] + " " + strings.TrimSpace(text))
		} else {
			name = strings.TrimSpace(line)
		}
	}
	return texts
})

// flagText is what the help of a command says of a flag. A flag that is made of data, such as the
// list of engines, names its text and has the placeholders in it filled.
func flagText(command, name string, fill []string) string {
	text, own := flagTexts()[command+" "+name]
	if !own {
		text = flagTexts()[name]
	}
	fill = append(fill, "{functions}", strings.Join(compareflags.Functions(), ", "))
	return strings.NewReplacer(fill...).Replace(text)
}

// everything is the topic of all flags, and brief is up to how many flags need no topics.
const (
	everything = "all"
	brief      = 30
)

// help prints how a command is used. Several sections are of flags that take values. Of a command
// with many flags each section is a topic, named by topic; without one they are listed.
func help[R any](to io.Writer, command, topic string, sections ...section[R]) error {
	flags := 0
	for _, s := range sections {
		flags += len(s.flags)
	}
	switch {
	case topic == "" && flags > brief:
		fmt.Fprint(to, helpText(command))
		topics(to, command, sections)
		return nil
	case topic == "" || topic == everything:
		fmt.Fprint(to, helpText(command))
		if len(sections) > 1 {
			fmt.Fprint(to, "\n", helpText("values"))
		}
	default:
		i := slices.IndexFunc(sections, func(s section[R]) bool { return s.topic() == topic })
		if i < 0 {
			return fmt.Errorf("unknown topic %q of the help; modelparity %s --help lists them", topic,
				command)
		}
		sections = sections[i : i+1]
	}
	for _, s := range sections {
		fmt.Fprintf(to, "\n%s\n", s.title)
		for _, f := range s.flags {
			fmt.Fprintf(to, "  %s\n", f.Usage())
			for _, line := range terminal.Wrapped(
				flagText(command, cmp.Or(f.Text, f.Name), f.Fill), helpColumns-8) {
				fmt.Fprintf(to, "        %s\n", line)
			}
		}
	}
	return nil
}

// topic is the word that the help of a section is asked by.
func (s section[R]) topic() string {
	word, _, _ := strings.Cut(strings.ToLower(s.title), " ")
	return strings.Replace(word, "tensorrt", "trt", 1)
}

// topics lists the topics of a command's help, each with the flags that fit its line.
func topics[R any](to io.Writer, command string, sections []section[R]) {
	fmt.Fprintf(to, "\nFlags by topic; modelparity %s --help TOPIC explains them, --help %s every "+
		"one:\n", command, everything)
	for _, s := range sections {
		line := fmt.Sprintf("  %-11s", s.topic())
		for _, f := range s.flags {
			if more := " …"; len(line)+len(f.Name)+len(more) >= helpColumns {
				line += more
				break
			}
			line += " " + f.Name
		}
		fmt.Fprintln(to, line)
	}
}
