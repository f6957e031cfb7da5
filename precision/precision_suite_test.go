package precision_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPrecision(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "precision")
}
