package shards

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// shardOf returns the shard of a unit, counted from 0. A unit is a spec or an Ordered container,
// whose specs must run in the same shard. The shard depends only on the unit's name and on the
// number of shards, so all shards agree on it.
func shardOf(unit string, total int) int {
	sum := sha256.Sum256([]byte(unit))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(total))
}

// numbered appends a number to a name that has occurred before, so that specs with equal texts can
// run in different shards. seen counts the names.
func numbered(name string, seen map[string]int) string {
	seen[name]++
	if n := seen[name]; n > 1 {
		return fmt.Sprintf("%s #%d", name, n)
	}
	return name
}
