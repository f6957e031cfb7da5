package reportfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// specsKey is the member of a suite that holds its specs.
const specsKey = "SpecReports"

// member is a member of an object as it stands in a file.
type member struct {
	key   string
	value json.RawMessage
}

// settle fills the suite from its members.
func (s *Suite) settle() error {
	var text bytes.Buffer
	s.write(&text, nil)
	specs := s.Specs
	if err := json.Unmarshal(text.Bytes(), s); err != nil {
		return fmt.Errorf("not a report of Ginkgo: %w", err)
	}
	s.Specs = specs
	return nil
}

// With is the suite with other specs, and with other values in some of its members.
func (s Suite) With(specs []Spec, values map[string]any) (Suite, error) {
	changed := s
	changed.head = nil
	for _, m := range s.head {
		if value, other := values[m.key]; other {
			text, err := json.Marshal(value)
			if err != nil {
				return s, err
			}
			m.value = text
		}
		changed.head = append(changed.head, m)
	}
	changed.Specs = specs
	return changed, changed.settle()
}

// Write writes suites as Ginkgo does, with every member that their files had.
func Write(w io.Writer, suites []Suite) error {
	var text bytes.Buffer
	text.WriteString("[\n")
	for i, s := range suites {
		if i > 0 {
			text.WriteString(",\n")
		}
		s.write(&text, s.Specs)
		if _, err := text.WriteTo(w); err != nil {
			return err
		}
	}
	text.WriteString("\n]\n")
	_, err := text.WriteTo(w)
	return err
}

// write writes the suite with these specs.
func (s *Suite) write(to *bytes.Buffer, specs []Spec) {
	to.WriteByte('{')
	for _, m := range s.head {
		key, _ := json.Marshal(m.key) // a string
		to.Write(key)
		to.WriteByte(':')
		to.Write(m.value)
		to.WriteString(",\n")
	}
	fmt.Fprintf(to, "%q:[", specsKey)
	for i, spec := range specs {
		if i > 0 {
			to.WriteByte(',')
		}
		to.WriteByte('\n')
		to.Write(spec.raw)
	}
	to.WriteString("]}")
}
