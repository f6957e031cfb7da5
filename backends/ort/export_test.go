package ort

import "github.com/modelparity/modelparity/loaders"

// Beyond describes what an optimised graph computes in less than float32 although the model does
// not.
func Beyond(optimised, model *loaders.Model) ([]string, error) {
	own, err := countLowering(model)
	if err != nil {
		return nil, err
	}
	l, err := countLowering(optimised)
	return describeLowering(l, own), err
}
