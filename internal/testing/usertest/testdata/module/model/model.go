// Package model replaces a model and its engine: it returns the numbers in a text file.
package model

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Run returns the numbers in the file as the output "logits".
func Run(ctx context.Context, file string) (*backends.Run, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var values []float32
	for _, word := range strings.Fields(string(text)) {
		v, err := strconv.ParseFloat(word, 32)
		if err != nil {
			return nil, err
		}
		values = append(values, float32(v))
	}
	nothing, err := tensor.NewSet()
	if err != nil {
		return nil, err
	}
	return fake.New(fake.Output("logits", tensor.Of(values...))).Run(ctx, fixtures.Of(nothing))
}
