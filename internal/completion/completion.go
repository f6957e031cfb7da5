// Package completion generates shell scripts that complete the words and flags of a command.
package completion

import (
	"fmt"
	"slices"
	"strings"
)

// Command is a command of one or two words, with its flags in all spellings.
type Command struct {
	Name  string   // "run", "debug reduce"
	Flags []string // "--verbose", "-v"
}

// Shells are the shells that [Script] supports.
var Shells = []string{"bash", "zsh"}

// Script returns the completion script of a program for a shell. It returns an error if the shell
// is unknown.
func Script(shell, program string, commands []Command) (string, error) {
	switch shell {
	case "bash":
		return bash(program, commands), nil
	case "zsh":
		return "#compdef " + program + "\nautoload -U +X bashcompinit && bashcompinit\n" +
			bash(program, commands), nil
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

// bash returns a shell function that completes commands, flags (after a dash) and file names. The
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
		fmt.Fprintf(&b, "  %s) all=%s ;;\n", pattern, quoted(strings.Join(c.Flags, " ")))
	}
	b.WriteString("  esac\n  case \"$cur\" in\n")
	b.WriteString("  -*) COMPREPLY=($(compgen -W \"$all\" -- \"$cur\")) ;;\n")
	b.WriteString("  *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n  esac\n}\n")
	fmt.Fprintf(&b, "complete -o filenames -F %s %s\n", name, program)
	return b.String()
}

// quoted quotes text so that the shell reads it as a single word.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
