// Package completion generates shell scripts that complete the words and flags of a command.
package completion

import (
	"fmt"
	"slices"
	"strings"
)

// Command is a command of one or two words, with its flags.
type Command struct {
	Name    string // "run", "debug reduce"
	Summary string
	Flags   []Flag
}

// Flag is a flag of a command, with all its spellings.
type Flag struct {
	Names []string // "--verbose", "-v"
	Takes bool     // whether the flag takes a value
}

// Shells are the shells that [Script] supports.
var Shells = []string{"bash", "zsh", "fish"}

// Script returns the completion script of a program for a shell. It returns an error if the shell
// is unknown.
func Script(shell, program string, commands []Command) (string, error) {
	switch shell {
	case "bash":
		return bash(program, commands), nil
	case "zsh":
		return "#compdef " + program + "\nautoload -U +X bashcompinit && bashcompinit\n" +
			bash(program, commands), nil
	case "fish":
		return fish(program, commands), nil
	}
	return "", fmt.Errorf("unknown shell %q; use %s", shell, strings.Join(Shells, ", "))
}

// words returns the first words of the commands, and the second words that may follow each first
// word.
func words(commands []Command) (first []string, second map[string][]string) {
	second = map[string][]string{}
	for _, c := range commands {
		one, two, has := strings.Cut(c.Name, " ")
		if !slices.Contains(first, one) {
			first = append(first, one)
		}
		if has {
			second[one] = append(second[one], two)
		}
	}
	return first, second
}

// bash generates a function that completes commands, flags (after a dash) and file names. The
// function also works in zsh.
func bash(program string, commands []Command) string {
	first, second := words(commands)
	name := "_" + strings.NewReplacer("-", "_", ".", "_").Replace(program)
	var b strings.Builder
	fmt.Fprintf(&b, "%s() {\n", name)
	b.WriteString("  local cur=\"${COMP_WORDS[COMP_CWORD]}\" all=\"\"\n")
	b.WriteString("  COMPREPLY=()\n")
	b.WriteString("  if [ \"$COMP_CWORD\" -eq 1 ]; then\n")
	fmt.Fprintf(&b, "    COMPREPLY=($(compgen -W %s -- \"$cur\"))\n    return\n  fi\n",
		quoted(strings.Join(first, " ")))
	b.WriteString("  case \"${COMP_WORDS[1]}\" in\n")
	for _, one := range first {
		if len(second[one]) > 0 {
			fmt.Fprintf(&b, "  %s)\n    if [ \"$COMP_CWORD\" -eq 2 ]; then\n      COMPREPLY=($(compgen -W "+
				"%s -- \"$cur\"))\n      return\n    fi\n    ;;\n", one,
				quoted(strings.Join(second[one], " ")))
		}
	}
	b.WriteString("  esac\n  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n")
	for _, c := range commands {
		pattern := quoted(c.Name)
		if !strings.Contains(c.Name, " ") {
			pattern = quoted(c.Name+" ") + "*"
		}
		var flags []string
		for _, f := range c.Flags {
			flags = append(flags, f.Names...)
		}
		fmt.Fprintf(&b, "  %s) all=%s ;;\n", pattern, quoted(strings.Join(flags, " ")))
	}
	b.WriteString("  esac\n  case \"$cur\" in\n")
	b.WriteString("  -*) COMPREPLY=($(compgen -W \"$all\" -- \"$cur\")) ;;\n")
	b.WriteString("  *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n  esac\n}\n")
	fmt.Fprintf(&b, "complete -o filenames -F %s %s\n", name, program)
	return b.String()
}

// fish generates one line for each word and each flag.
func fish(program string, commands []Command) string {
	first, second := words(commands)
	var b strings.Builder
	line := func(condition, rest string) {
		fmt.Fprintf(&b, "complete -c %s -n %s %s\n", program, quoted(condition), rest)
	}
	summary := map[string]string{}
	for _, c := range commands {
		summary[c.Name] = c.Summary
	}
	for _, one := range first {
		line("__fish_use_subcommand", "-f -a "+one+" -d "+quoted(summary[one]))
		for _, two := range second[one] {
			line("__fish_seen_subcommand_from "+one+"; and test (count (commandline -opc)) -eq 2",
				"-f -a "+two+" -d "+quoted(summary[one+" "+two]))
		}
	}
	for _, c := range commands {
		condition := "__fish_seen_subcommand_from " + strings.ReplaceAll(c.Name, " ",
			"; and __fish_seen_subcommand_from ")
		for _, f := range c.Flags {
			var spelled []string
			for _, n := range f.Names {
				if long, ok := strings.CutPrefix(n, "--"); ok {
					spelled = append(spelled, "-l "+long)
				} else {
					spelled = append(spelled, "-s "+strings.TrimPrefix(n, "-"))
				}
			}
			if f.Takes {
				spelled = append(spelled, "-r")
			}
			line(condition, strings.Join(spelled, " "))
		}
	}
	return b.String()
}

// quoted quotes text so that the shell reads it as a single word.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
