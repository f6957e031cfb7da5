package served_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestServed(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/served")
}
