// Package flagtest passes command-line flags to the packages that parse them.
package flagtest

import "strings"

// Set splits a command line at its spaces, and calls set for each flag with the words that follow
// the flag. It stops at the first error.
func Set(set func(flag string, words ...string) error, line string) error {
	var flag []string
	fields := strings.Fields(line)
	for i, field := range fields {
		flag = append(flag, field)
		if last := i == len(fields)-1; last || strings.HasPrefix(fields[i+1], "--") {
			if err := set(flag[0], flag[1:]...); err != nil {
				return err
			}
			flag = nil
		}
	}
	return nil
}
