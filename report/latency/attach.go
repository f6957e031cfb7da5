package latency

import (
	"encoding/json"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega/gmeasure"
)

// Entry is the name of the report entry that [Attach] adds.
const Entry = "modelparity: latency"

// Attach adds the measurement to the report of the running spec: a line on consoles, where the spec
// fails or under -v, and its statistics in JSON and JUnit reports.
func Attach(m *Measurement) {
	ginkgo.AddReportEntry(Entry, m, ginkgo.CurrentSpecReport().LeafNodeLocation,
		ginkgo.ReportEntryVisibilityFailureOrVerbose)
}

// MarshalJSON writes who was measured, the statistics in nanoseconds, and what is known of memory
// in bytes.
func (m *Measurement) MarshalJSON() ([]byte, error) {
	s := m.Stats()
	return json.Marshal(struct {
		Engine string `json:"engine"`
		Model  string `json:"model"`
		WarmUp int    `json:"warm_up"`
		N      int    `json:"iterations"`
		Min    int64  `json:"min"`
		Median int64  `json:"median"`
		Mean   int64  `json:"mean"`
		StdDev int64  `json:"standard_deviation"`
		Max    int64  `json:"max"`

		Resident     *int64 `json:"resident_bytes,omitempty"`
		DeviceMemory *int64 `json:"device_memory_bytes,omitempty"`
	}{m.Engine, m.Model, m.WarmUp, s.N, int64(s.DurationFor(gmeasure.StatMin)),
		int64(s.DurationFor(gmeasure.StatMedian)), int64(s.DurationFor(gmeasure.StatMean)),
		int64(s.DurationFor(gmeasure.StatStdDev)), int64(s.DurationFor(gmeasure.StatMax)),
		known(m.Resident), known(m.DeviceMemory)})
}

// known is nil for what could not be had.
func known(bytes int64) *int64 {
	if bytes < 0 {
		return nil
	}
	return &bytes
}
