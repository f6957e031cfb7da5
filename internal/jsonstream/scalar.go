package jsonstream

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxString is the maximum length of a string that is kept in memory, such as a name or a message.
const maxString = 1 << 20

// String reads a string of at most 1 MiB, which must be valid UTF-8.
func (d *Decoder) String() (string, error) {
	text, err := d.Text()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var piece [128]byte // large enough for most keys and names
	for {
		n, err := text.Read(piece[:])
		b.Write(piece[:n])
		switch {
		case err == io.EOF && !utf8.ValidString(b.String()):
			// JSON is UTF-8. If invalid bytes were accepted, rewriting the file could change a name.
			return b.String(), d.Errorf("the string %.64q is not valid UTF-8", b.String())
		case err == io.EOF:
			return b.String(), nil
		case err != nil:
			return b.String(), err
		case b.Len() > maxString:
			return b.String(), d.Errorf("the string has more than %d bytes", maxString)
		}
	}
}

// Float reads a number, NaN, Infinity or -Infinity. A number beyond the range of float64 becomes an
// infinity.
func (d *Decoder) Float() (float64, error) {
	if err := d.want(Number); err != nil {
		return 0, err
	}
	text, err := d.word()
	if err != nil {
		return 0, err
	}
	switch text {
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		return math.Inf(1), nil
	case "-Infinity":
		return math.Inf(-1), nil
	}
	// Check the grammar first: strconv also accepts hexadecimal numbers, underscores and "inf".
	if !json.Valid([]byte(text)) {
		return 0, d.Errorf("%q is not a number", text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, d.Errorf("%q is not a number", text)
	}
	return f, nil
}

// Bool reads true or false.
func (d *Decoder) Bool() (bool, error) {
	text, err := d.literal(Bool, "true", "false")
	return text == "true", err
}

// Null reads null.
func (d *Decoder) Null() error {
	_, err := d.literal(Null, "null")
	return err
}

// literal reads one of the given words.
func (d *Decoder) literal(kind Kind, words ...string) (string, error) {
	if err := d.want(kind); err != nil {
		return "", err
	}
	text, err := d.word()
	if err == nil && !slices.Contains(words, text) {
		err = d.Errorf("%q is not a value", text)
	}
	return text, err
}

// word reads letters, digits, signs and dots up to the next character of another kind. Most words
// are short, but Python writes large integers in full; the limit is 4,096 characters.
func (d *Decoder) word() (string, error) {
	const most = 4096
	var b strings.Builder
	for b.Len() < most {
		if !d.need(1) {
			if d.err == io.EOF {
				return b.String(), nil
			}
			return "", d.failure()
		}
		c := d.buf[d.start]
		if c != '+' && c != '-' && c != '.' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return b.String(), nil
		}
		b.WriteByte(c)
		d.start++
	}
	return "", d.Errorf("the number or word has more than %d characters", most)
}
