package polygraphy_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPolygraphy(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "polygraphy")
}
