package doctor

import (
	"strings"

	"github.com/modelparity/modelparity/internal/enginelock"
)

// Locked returns a line about the lock file that selects the engines' versions.
func Locked() string {
	lock, path, err := enginelock.Here()
	switch {
	case err != nil:
		return "lock: " + err.Error()
	case path == "":
		return "lock: none, because this is not a module or " + enginelock.Variable + " is off"
	case len(lock.Engines) == 0 && enginelock.Own(path):
		return "lock: none; this checkout of modelparity uses its own catalogue of engines"
	case len(lock.Engines) == 0:
		return "lock: none at " + path + "; modelparity setup creates it"
	}
	var names []string
	for _, e := range lock.Engines {
		names = append(names, e.Name+" "+e.Version)
	}
	return "lock: " + path + " lists " + strings.Join(names, ", ")
}
