package inputflags

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
)

// Code returns a Go expression that creates the inputs. The expression refers to the model by the
// variable name model. Code calls path to convert the paths of scripts and saved inputs that occur
// in the expression.
func (f *Flags) Code(path func(string) string) string {
	args := names.Each(f.load, func(file string) string { return fmt.Sprintf("%q", path(file)) })
	text := ""
	switch {
	case f.made != nil:
		text = fmt.Sprintf("process.Inputs(%q).AnyCase(model)", path(f.script))
	case len(args) > 0:
		text = "fixtures.LoadFor(model, " + strings.Join(args, ", ") + ")"
	}
	if text != "" && f.cast {
		text += ".Cast(model)"
	}
	if text != "" {
		return text
	}
	args = append([]string{"model"}, f.code...)
	for _, table := range f.tables() {
		rows := make([]string, len(table.Value))
		for i, shape := range table.Value {
			rows[i] = strings.Trim(fmt.Sprintf("%#v", []int(shape)), "[]int{}")
		}
		if len(rows) == 1 {
			args = append(args, "fixtures.Shape("+
				strings.TrimSuffix(fmt.Sprintf("%q, %s", table.Name, rows[0]), ", ")+")")
		} else {
			args = append(args, fmt.Sprintf("fixtures.Shapes(%q, tensor.Shape{%s})", table.Name,
				strings.Join(rows, "}, tensor.Shape{")))
		}
	}
	return "fixtures.Random(" + strings.Join(args, ", ") + ")"
}

// add adds an option for random inputs. call and args are its Go source.
func (f *Flags) add(o fixtures.Option, call string, args ...any) {
	f.options = append(f.options, o)
	texts := names.Each(args, func(a any) string { return fmt.Sprintf("%#v", a) })
	f.code = append(f.code, "fixtures."+call+"("+strings.Join(texts, ", ")+")")
}
