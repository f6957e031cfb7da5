package blobstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/regular"
)

// stalled is how long a server may give and take nothing. A blob may take as long as it needs.
const stalled = 30 * time.Second

// server is a store behind HTTP.
type server struct {
	base    *url.URL
	token   string
	client  *http.Client
	patient time.Duration // see stalled
}

// newServer refuses what would show a secret: a URL with one in it is printed and logged, and a
// token on the open network is no secret any more.
func newServer(text, token string) (*server, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("not a URL") // whose error would repeat it
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("want a URL without user, query and fragment; a token goes into %s",
			TokenVariable)
	case base.Hostname() == "":
		return nil, errors.New("want a URL with a host")
	case strings.ContainsAny(token, "\r\n"):
		return nil, fmt.Errorf("the token in %s has a line break in it", TokenVariable)
	case token != "" && base.Scheme != "https" && !loopback(base.Hostname()):
		return nil, fmt.Errorf("the token in %s would cross the network unencrypted: want https",
			TokenVariable)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	s := &server{base: base, token: token, patient: stalled}
	s.client = &http.Client{Transport: transport, CheckRedirect: s.follow}
	return s, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *server) String() string { return "the store " + s.base.String() }

// follow lets a server send us elsewhere, as to where its blobs really lie, and takes the token
// away where that is another host, port or scheme.
func (s *server) follow(r *http.Request, before []*http.Request) error {
	if len(before) >= 5 {
		return errors.New("redirects in circles")
	}
	if r.URL.Scheme != "https" && r.URL.Scheme != s.base.Scheme {
		return fmt.Errorf("redirects to %s, which is not encrypted", r.URL.Scheme)
	}
	if r.URL.Host != s.base.Host || r.URL.Scheme != s.base.Scheme {
		r.Header.Del("Authorization")
	} else {
		s.authorize(r)
	}
	return nil
}

func (s *server) authorize(r *http.Request) {
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
}

// ask sends a request whose answer must begin, and go on, before patience ends. Whoever gets an
// answer closes it.
func (s *server) ask(ctx context.Context, method string, id ID,
	body func() (io.ReadCloser, error)) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	watch := &watchdog{timer: time.AfterFunc(s.patient, func() {
		cancel(fmt.Errorf("gave and took nothing for %v", s.patient))
	}), patient: s.patient}
	r, err := http.NewRequestWithContext(ctx, method, s.base.JoinPath("cas", id.SHA256).String(), nil)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	s.authorize(r)
	if body != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			from, err := body()
			return watched{from, watch}, err
		}
		if r.Body, err = r.GetBody(); err != nil {
			cancel(nil)
			return nil, err
		}
		r.ContentLength = id.Bytes
	}
	answer, err := s.client.Do(r)
	if err != nil {
		watch.timer.Stop()
		cause := context.Cause(ctx)
		cancel(nil)
		return nil, plainly(cause, err)
	}
	watch.pet()
	answer.Body = answered{watched{answer.Body, watch}, ctx, cancel}
	return answer, nil
}

// plainly is the reason that a request was given up, without its URL, which a redirect may have
// given a signature.
func plainly(cause, err error) error {
	if cause != nil {
		return cause
	}
	if asked := new(url.Error); errors.As(err, &asked) {
		return fmt.Errorf("cannot be reached: %w", asked.Err)
	}
	return err
}

// refused is what an answer without a blob means.
func (s *server) refused(answer *http.Response, id ID) error {
	switch answer.StatusCode {
	case http.StatusNotFound:
		return fmt.Errorf("%w %s", ErrLacks, id.SHA256)
	case http.StatusUnauthorized, http.StatusForbidden:
		if s.token == "" {
			return fmt.Errorf("answers %s: it wants a token, and %s is not set", answer.Status,
				TokenVariable)
		}
		return fmt.Errorf("answers %s: it does not take the token in %s", answer.Status, TokenVariable)
	}
	return fmt.Errorf("answers %s", answer.Status)
}

func (s *server) get(ctx context.Context, id ID, to io.Writer) error {
	answer, err := s.ask(ctx, http.MethodGet, id, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // what was read is checked by its sum
	if answer.StatusCode != http.StatusOK {
		return s.refused(answer, id)
	}
	if answer.ContentLength >= 0 && answer.ContentLength != id.Bytes {
		return fmt.Errorf("has %d bytes under the blob %s, which has %d", answer.ContentLength,
			id.SHA256, id.Bytes)
	}
	_, err = io.Copy(to, answer.Body)
	return err
}

func (s *server) put(ctx context.Context, id ID, path string) error {
	there, err := s.ask(ctx, http.MethodHead, id, nil)
	if err != nil {
		return err
	}
	there.Body.Close() //nolint:errcheck // it has none
	if there.StatusCode == http.StatusOK && there.ContentLength == id.Bytes {
		return nil
	}
	answer, err := s.ask(ctx, http.MethodPut, id, func() (io.ReadCloser, error) {
		return regular.Open(path)
	})
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // its status is all that counts
	if answer.StatusCode/100 != 2 {
		if answer.StatusCode == http.StatusNotFound {
			return fmt.Errorf("answers %s: nothing can be put there", answer.Status)
		}
		return s.refused(answer, id)
	}
	return nil
}
