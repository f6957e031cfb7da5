package relations_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/skips"
)

func TestRelations(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "relations")
}

var (
	_ = skips.Announce("trt is missing", "a GPU")
	_ = skips.Announce("MODELPARITY_FIELD names no models", "make relations")
)
