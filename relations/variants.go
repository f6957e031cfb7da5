package relations

import (
	"cmp"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// variant is a different configuration of the engine or the model that must give the same result.
type variant struct {
	name   string // for describe
	how    string // for the report: "with 2 threads"
	engine backends.Engine
	model  fixtures.Declaration // nil for the subject's
	remedy string               // advice to append to the engine's error
}

// variants compares an engine with variants on all inputs; see [checker.variantsOn].
func (c *checker) variants(engine backends.Engine, name string, list []variant,
	describe func(differ, agree []string) string) error {
	for _, set := range c.sets {
		if err := c.variantsOn(set, engine, name, list, describe); err != nil {
			return err
		}
	}
	return nil
}

// variantsOn runs a set of inputs in an engine and in each variant, and compares the results. If
// describe is nil, it stops at the first variant that differs. Otherwise it runs all variants, and
// passes the names of those that differ and of those that agree to describe, which returns a text
// for the report. name is the engine's name in the report; if it is "", the report contains the
// engine's provenance.
func (c *checker) variantsOn(set *tensor.Set, engine backends.Engine, name string,
	list []variant, describe func(differ, agree []string) string) error {
	first, err := c.runIn(engine, set)
	if err != nil {
		return err
	}
	var breach *Breach
	var differ, agree []string
	for _, v := range list {
		run, err := referenceOf(backends.RunIn(c.ctx, v.engine, cmp.Or(v.model, c.subject.Model),
			fixtures.Of(set)))
		if err != nil {
			return fmt.Errorf("%s: %w%s", v.how, err, v.remedy)
		}
		d, err := c.judge.sets(run.outputs, first)
		if err != nil {
			return err
		}
		if d == nil {
			agree = append(agree, v.name)
			continue
		}
		differ = append(differ, v.name)
		if breach == nil {
			breach = d
			breach.How = v.how + ", compared with " + cmp.Or(name, first.run.Provenance.String())
			if v.model == nil {
				c.locate(breach, v.engine, engine, set)
			}
		}
		if describe == nil {
			break
		}
	}
	if breach == nil {
		return nil
	}
	if describe != nil {
		breach.Blame = describe(differ, agree)
	}
	return c.breaks(breach)
}
