package surgeon_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestSurgeon(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "surgeon")
}
