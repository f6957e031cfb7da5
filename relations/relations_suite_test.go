package relations_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestRelations(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "relations")
}
