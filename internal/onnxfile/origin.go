package onnxfile

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/pattern"
)

// PyTorch's exporter writes these metadata keys for a node.
const (
	scopesKey = "pkg.torch.onnx.name_scopes" // ['', 'layer3', 'layer3.0.conv1', 'conv2d']
	stackKey  = "pkg.torch.onnx.stack_trace" // Python's stack trace; the innermost call is last
)

// These limits exceed the lengths that exporters write. Longer metadata is ignored, except that the
// end of a longer stack trace is still read.
const (
	longestScopes = 16 << 10
	longestStack  = 16 << 10
	longestOrigin = 512 // bytes of a module's path or of a file's path
)

// Origin returns the path of the module that a node was exported from, and the line of its source.
// It ignores metadata that it cannot read, since such metadata must not make a model unusable.
func Origin(n *onnxwire.Node, r *onnxwire.Reader) (module, source string) {
	r = r.Fork()
	for key, value := range r.Metadata(n) {
		switch key {
		case scopesKey:
			if value.Len() <= longestScopes {
				module = moduleOfScopes(string(r.Bytes(value)))
			}
		case stackKey:
			value.Start = max(value.Start, value.End-longestStack)
			source = sourceOfStack(string(r.Bytes(value)))
		}
	}
	if r.Err() != nil {
		return "", ""
	}
	return module, source
}

// moduleOfScopes returns the innermost module in a list of scopes. The last element of the list is
// the call itself, not a module.
func moduleOfScopes(text string) string {
	scopes := pythonTexts(text)
	if len(scopes) < 2 || !sayable(scopes[len(scopes)-2]) {
		return ""
	}
	return scopes[len(scopes)-2]
}

// pythonTexts parses a Python list of strings, "['a', \"b'c\"]", or returns nil.
func pythonTexts(text string) []string {
	list := quoted.Regexp().FindAllString(text, -1)
	if text != "["+strings.Join(list, ", ")+"]" {
		return nil
	}
	for i, text := range list {
		list[i] = text[1 : len(text)-1]
	}
	return list
}

// quoted matches a Python string without escapes. A module's path consists of Python names, which
// contain no escapes.
var quoted = pattern.New(`'[^'\\]*'|"[^"\\]*"`)

// sourceOfStack returns the innermost line of a stack trace that is not in PyTorch's own code, as
// "file:line".
func sourceOfStack(text string) string {
	innermost, author := "", ""
	for line := range strings.Lines(text) {
		at := frame(strings.TrimSpace(line))
		if at == "" {
			continue
		}
		innermost = at
		if !ofPyTorch(at) {
			author = at
		}
	}
	if author == "" {
		return innermost
	}
	return author
}

// frame converts a line of a stack trace, `File "file", line 94, in forward`, to "file:line". It
// returns "" for other lines.
func frame(line string) string {
	rest, ok := strings.CutPrefix(line, `File "`)
	file, rest, closed := strings.Cut(rest, `", line `)
	number, _, _ := strings.Cut(rest, ",")
	n, err := strconv.ParseUint(number, 10, 32)
	if !ok || !closed || err != nil || !sayable(file) {
		return ""
	}
	return file + ":" + strconv.FormatUint(n, 10)
}

// ofPyTorch reports whether a file belongs to PyTorch itself, such as nn/modules/conv.py.
func ofPyTorch(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	return strings.Contains(file, "-packages/torch/") || strings.Contains(file, "/torch/nn/modules/")
}

// sayable reports whether a string can be shown in a line of output: it is short, valid UTF-8 and
// printable.
func sayable(text string) bool {
	return text != "" && len(text) <= longestOrigin && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) })
}
