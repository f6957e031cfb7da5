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

// helpColumns is the width to which help texts are wrapped.
const helpColumns = 96

// overview prints a list of all commands.
func overview(to io.Writer) {
	fmt.Fprint(to, `modelparity decides whether two runs of a model agree.

`)
	for _, c := range commands() {
		fmt.Fprintf(to, "  modelparity %-9s %s\n", c.name, c.summary)
	}
	fmt.Fprint(to, `
modelparity help COMMAND explains a command. Exit status: 0 equal, 1 differs, 2 could not compare.
`)
}

//go:embed help
var helpFolder embed.FS

// helpText returns the named text from the embedded folder help.
func helpText(name string) string {
	text, err := helpFolder.ReadFile("help/" + strings.ReplaceAll(name, " ", "-") + ".txt")
	if err != nil {
		panic(err) // the file is missing; TestPageOfCommands fails too
	}
	return string(text)
}

// flagTexts parses help/flags.txt, which has a line with each flag's name followed by an indented
// text. A name of the form "COMMAND --flag" sets the text for one command only.
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

// flagText returns the help text of a command's flag. Flags that are generated from data, such as
// the engines' flags, share a text with placeholders; fill holds the replacements.
func flagText(command, name string, fill []string) string {
	text, own := flagTexts()[command+" "+name]
	if !own {
		text = flagTexts()[name]
	}
	fill = append(fill, "{functions}", strings.Join(compareflags.Functions(), ", "))
	return strings.NewReplacer(fill...).Replace(text)
}

const (
	// everything is the help topic that stands for all flags of a command. Commands with at most 30
	// flags have no topics.
	everything = "all"
	brief      = 30
)

// help prints a command's usage and flags. If the command has many flags, each section is a topic:
// help prints only the section that topic names or, if topic is empty, a list of the topics.
func help(to io.Writer, command, topic string, sections ...section) error {
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
		i := slices.IndexFunc(sections, func(s section) bool { return s.topic() == topic })
		if i < 0 {
			return fmt.Errorf("unknown help topic %q; modelparity %s --help lists the topics", topic,
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

// topic returns the word that users type to get the help of this section.
func (s section) topic() string {
	word, _, _ := strings.Cut(strings.ToLower(s.title), " ")
	return strings.Replace(word, "tensorrt", "trt", 1)
}

// topics prints one line for each of a command's help topics, with as many of its flags as fit on
// that line.
func topics(to io.Writer, command string, sections []section) {
	fmt.Fprintf(to, "\nFlags by topic; modelparity %s --help TOPIC explains a topic, --help %s "+
		"all flags:\n", command, everything)
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
