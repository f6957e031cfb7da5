package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// declaration contains the parts of a class declaration: the name of the base class and the text of
// the body.
type declaration struct{ base, body string }

var (
	classHead = regexp.MustCompile(`\bclass\s+` +
		`(?:\[\[[^\]]*\]\]\s*|__attribute__\s*\(\([^{};]*?\)\)\s*)*` +
		`(\w+)\s*(?:final\s*)?(?::\s*public\s+([\w:]+)\s*)?\{`)
	enumHead = regexp.MustCompile(`\benum\s+class\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)\s*(?::\s*\w+\s*)?\{`)
	declared = regexp.MustCompile(`(~?\w+)\s*\(`)
)

// declarations returns the classes declared in preprocessed headers, by name.
func declarations(text string) map[string]declaration {
	text = attributes.ReplaceAllString(text, "")
	classes := map[string]declaration{}
	for _, at := range classHead.FindAllStringSubmatchIndex(text, -1) {
		d := declaration{body: balanced(text[at[1]:])}
		if at[4] >= 0 {
			base := text[at[4]:at[5]]
			d.base = base[strings.LastIndex(base, ":")+1:]
		}
		classes[text[at[2]:at[3]]] = d
	}
	return classes
}

var attributes = regexp.MustCompile(`__attribute__\s*\(\(.*?\)\)|\[\[[^\]]*\]\]`)

// balanced returns the text up to the brace that closes the enclosing block. text begins inside
// that block.
func balanced(text string) string {
	depth := 1
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

// table lists a class's virtual methods in the order of the Itanium C++ ABI: the methods of its
// base class, then its own in the order of declaration. A destructor takes two slots, and an
// override keeps the slot of the base class.
func table(classes map[string]declaration, name string) []string {
	class := classes[name]
	var slots []string
	if _, known := classes[class.base]; known {
		slots = table(classes, class.base)
	}
	for _, statement := range statements(class.body) {
		virtual := regexp.MustCompile(`\bvirtual\b`).MatchString(statement)
		override := regexp.MustCompile(`\boverride\b`).MatchString(statement)
		found := declared.FindStringSubmatch(statement)
		if !virtual && !override || found == nil {
			continue
		}
		method := found[1]
		switch {
		case strings.HasPrefix(method, "~"):
			if !slices.Contains(slots, "~") {
				slots = append(slots, "~", "~delete")
			}
		case override && slices.Contains(slots, method):
		default:
			slots = append(slots, method)
		}
	}
	return slots
}

// statements splits a class's body into its declarations, without the bodies of inline methods.
func statements(body string) []string {
	for inner.MatchString(body) {
		body = inner.ReplaceAllString(body, ";")
	}
	return strings.Split(access.ReplaceAllString(body, ";$1"), ";")
}

var (
	inner  = regexp.MustCompile(`\{[^{}]*\}`)
	access = regexp.MustCompile(`\b(?:public|protected|private)\s*:([^:])`)
)

// enumBodies returns the bodies of the enumerations that trtabi uses, by name.
func enumBodies(text string) map[string]string {
	bodies := map[string]string{}
	for _, at := range enumHead.FindAllStringSubmatchIndex(text, -1) {
		if name := text[at[2]:at[3]]; enumerations.MatchString(name) {
			bodies[name] = balanced(text[at[1]:])
		}
	}
	return bodies
}

var oneEnumerator = regexp.MustCompile(`^\s*k(\w+)\s*(?:=\s*(-?\d+))?`)

// enumerators parses the body of an enumeration. An enumerator without a number gets the previous
// number plus one.
func enumerators(body string) []enumerator {
	var all []enumerator
	next := 0
	for _, part := range strings.Split(attributes.ReplaceAllString(body, ""), ",") {
		found := oneEnumerator.FindStringSubmatch(part)
		if found == nil {
			continue
		}
		if found[2] != "" {
			next, _ = strconv.Atoi(found[2]) // found[2] consists of digits
		}
		all = append(all, enumerator{found[1], next})
		next++
	}
	return all
}
