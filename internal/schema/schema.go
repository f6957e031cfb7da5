// Package schema identifies the JSON documents that modelparity writes, by kind and version.
package schema

// Version is the version of docs/report.schema.json that documents follow. It must be increased if
// a program written for the previous version would misread the new documents.
const Version = 1

// Schema identifies a document. Its fields come first in every document.
type Schema struct {
	Version int    `json:"version"` // see [Version]
	Kind    string `json:"kind"`    // "comparison", "divergence", "vote", "releases", "relations", …
}

// Of returns the Schema of a document of the given kind.
func Of(kind string) Schema { return Schema{Version: Version, Kind: kind} }

// unusable is a document that contains only an error.
type unusable struct {
	Schema
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
}

// Unusable returns a document of the given kind that contains only an error. Encode it with
// json.Marshal.
func Unusable(kind string, err error) any { return unusable{Of(kind), "error", err.Error()} }
