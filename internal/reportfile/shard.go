package reportfile

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Share says which shard of the specs a process ran. It is the value of the entry [Shard], which
// occurs once in the report of a sharded suite. Index counts from 0.
type Share struct {
	Index int `json:"index"`
	Total int `json:"total"`
	// Package is the suite's import path, if known.
	Package string `json:"package,omitempty"`
	// Weights is the SHA-256 of the report with the run times by which the specs were distributed
	// among the shards, or "".
	Weights string `json:"weights,omitempty"`
	// From names the environment variables that selected the shard.
	From string `json:"from,omitempty"`
}

// Name returns a text such as "shard 3 of 8", counted from 1.
func (s Share) Name() string { return fmt.Sprintf("shard %d of %d", s.Index+1, s.Total) }

// String returns the text for consoles.
func (s Share) String() string {
	text := s.Name() + ", by " + s.From
	if s.Weights != "" {
		text += ", weights " + s.Weights[:12]
	}
	return text
}

// Label returns the label of every spec that this shard runs, such as "shard:3-of-8".
func (s Share) Label() string { return fmt.Sprintf("shard:%d-of-%d", s.Index+1, s.Total) }

// Elsewhere returns the skip reason that other shards report for this shard's specs. It begins with
// [skippedFor].
func (s Share) Elsewhere() string { return skippedFor + s.Name() + " runs it" }

// skippedFor is the start of the skip reason of specs that another shard runs.
const skippedFor = "not in this shard: "

// Elsewhere reports whether the spec was skipped because another shard runs it.
func (s Spec) Elsewhere() bool { return IsElsewhere(s.Reason()) }

// IsElsewhere reports whether a skip reason says that another shard runs the spec.
func IsElsewhere(reason string) bool { return strings.HasPrefix(reason, skippedFor) }

// Shard returns the shard that a label of the spec names.
func (s Spec) Shard() (share Share, ok bool) {
	for _, label := range s.LeafNodeLabels {
		if _, err := fmt.Sscanf(label, "shard:%d-of-%d", &share.Index, &share.Total); err == nil {
			share.Index--
			return share, share.Label() == label
		}
	}
	return Share{}, false
}

// Share returns the shard that this run of the suite was given. ok is false if the run was not
// sharded.
func (s Suite) Share() (share Share, ok bool, err error) {
	for _, node := range s.Specs {
		if entries := node.Entries(Shard); len(entries) > 0 {
			share, err = shareOf(entries[0].Value)
			return share, err == nil, err
		}
	}
	return Share{Total: 1}, false, nil
}

func shareOf(entry []byte) (share Share, err error) {
	if err := json.Unmarshal(entry, &share); err != nil {
		return share, fmt.Errorf("the entry %q: %w", Shard, err)
	}
	if share.Total < 1 || share.Index < 0 || share.Index >= share.Total {
		return share, fmt.Errorf("the entry %q: invalid shard %d of %d", Shard, share.Index, share.Total)
	}
	if w := share.Weights; w != "" && len(w) != 64 {
		return share, fmt.Errorf("the entry %q: %.64q is not a SHA-256", Shard, w)
	}
	return share, nil
}
