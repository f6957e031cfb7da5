package genai_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestGenAI(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/genai")
}
