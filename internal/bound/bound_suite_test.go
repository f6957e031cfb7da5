package bound_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestBound(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "bounds of rounding")
}
