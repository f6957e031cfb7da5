package openvino

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestErrorsWithoutWordsHaveAStatus(t *testing.T) {
	g := NewWithT(t)
	g.Expect((&Error{Status: -14}).Error()).To(Equal("OpenVINO's status -14"))
	g.Expect((&Error{Status: -1, Message: "no"}).Error()).To(Equal("no"))
}
