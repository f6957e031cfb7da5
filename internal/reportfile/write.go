package reportfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// specsKey is the key of a suite's specs in its JSON object.
const specsKey = "SpecReports"

// member is a member of a JSON object, with the original text of its value.
type member struct {
	key   string
	value json.RawMessage
}

// settle decodes the members of the suite's JSON object into the fields of s.
func (s *Suite) settle() error {
	var text bytes.Buffer
	s.write(&text, nil)
	specs := s.Specs
	if err := json.Unmarshal(text.Bytes(), s); err != nil {
		return fmt.Errorf("not a Ginkgo report: %w", err)
	}
	s.Specs = specs
	return nil
}

// With returns the suite with the given specs instead of its own. The members in values replace the
// suite's members with the same keys.
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

// Write writes suites as JSON in Ginkgo's format. It keeps all members of their JSON objects,
// even members that this package does not know.
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

func (s *Suite) write(to *bytes.Buffer, specs []Spec) {
	to.WriteByte('{')
	for _, m := range s.head {
		key, _ := json.Marshal(m.key) // marshaling a string cannot fail
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
