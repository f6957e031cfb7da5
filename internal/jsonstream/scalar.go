package jsonstream

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxString bounds the strings that are held in memory: names, messages, a legacy archive is not
// among them.
const maxString = 1 << 20

// String reads a string of at most 1 MiB, which is an error where it is not UTF-8.
func (d *Decoder) String() (string, error) {
	text, err := d.Text()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var piece [128]byte // most strings are keys and names
	for {
		n, err := text.Read(piece[:])
		b.Write(piece[:n])
		switch {
		case err == io.EOF && !utf8.ValidString(b.String()):
			// JSON is UTF-8. Kept as it is, a name would be another one once it is written again.
			return b.String(), d.Errorf("the string %.64q is not valid UTF-8", b.String())
		case err == io.EOF:
			return b.String(), nil
		case err != nil:
			return b.String(), err
		case b.Len() > maxString:
			return b.String(), d.Errorf("a string of more than %d bytes", maxString)
		}
	}
}

// Float reads a number. NaN, Infinity and -Infinity are numbers; one beyond a float64's range is
// an infinity.
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
	// strconv takes more than JSON does: hexadecimal, underscores, "inf". The grammar goes first.
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
	if err := d.want(Bool); err != nil {
		return false, err
	}
	text, err := d.word()
	if err == nil && text != "true" && text != "false" {
		err = d.Errorf("%q is not a value", text)
	}
	return text == "true", err
}

// Null reads null.
func (d *Decoder) Null() error {
	if err := d.want(Null); err != nil {
		return err
	}
	text, err := d.word()
	if err == nil && text != "null" {
		err = d.Errorf("%q is not a value", text)
	}
	return err
}

// word reads the letters, digits and signs that follow. No number needs more than a few dozen;
// Python writes integers with all their digits, hence the room.
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
	return "", d.Errorf("a number or word of more than %d characters", most)
}
