package served

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/regular"
)

// Option sets how requests are sent to a server. An option prints itself as the Go call that
// creates it.
type Option = option.Option[settings]

type settings struct {
	Replicas []string          `json:"replicas,omitempty"`
	Timeout  time.Duration     `json:"timeout"`
	Retries  int               `json:"retries"`
	Binary   bool              `json:"binary,omitempty"`
	WarmUp   int               `json:"warm_up,omitempty"`
	CA       string            `json:"ca,omitempty"`
	Cert     string            `json:"certificate,omitempty"`
	Key      string            `json:"key,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`

	Generation *Generation `json:"generation,omitempty"`
}

var kind = option.Kind[settings]{Package: "served", Name: "served",
	Defaults: func() settings { return settings{Timeout: time.Minute, Retries: 3} }}

// Replica adds another server on which the same model is deployed. The first iteration runs on
// every server; it is an error if outputs differ in any bit or if a server cannot be reached. The
// servers take turns running the other iterations.
func Replica(url string) Option {
	url = presentable(url)
	return option.New(option.Call("served.Replica", url), func(s *settings) error {
		if _, err := target(url, completes(url)); err != nil {
			return err
		}
		s.Replicas = append(s.Replicas, url)
		return nil
	})
}

// Timeout limits the time for one request; the default is a minute. With 0, only the context limits
// the time.
func Timeout(d time.Duration) Option {
	return option.Field(option.Call("served.Timeout", d), d,
		func(s *settings) *time.Duration { return &s.Timeout },
		option.Refuse(d < 0, "the duration must not be negative"))
}

// Retries sets how many times a request is sent again if the server has not run it. The default is
// 3 times: after 0.1, 0.2 and 0.4 seconds.
func Retries(n int) Option {
	return option.Field(option.Call("served.Retries", n), n,
		func(s *settings) *int { return &s.Retries },
		option.Refuse(n < 0 || n > 20, "the number of retries must be 0 to 20"))
}

// Binary sends tensors in binary over HTTP even if the server does not announce support for it.
// KServe's servers do not announce it.
func Binary() Option {
	return option.Field(option.Call("served.Binary"), true,
		func(s *settings) *bool { return &s.Binary })
}

// WarmUp runs the first inputs n times before the measured iterations, so that a warm server is
// measured; the default is 0.
func WarmUp(n int) Option {
	return option.Field(option.Call("served.WarmUp", n), n,
		func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of runs must be 0 or more"))
}

// CA trusts the certificates in a PEM file instead of the system's certificates.
func CA(file string) Option {
	return option.Field(option.Call("served.CA", file), file,
		func(s *settings) *string { return &s.CA })
}

// ClientCertificate authenticates the client with a certificate and its key, from two PEM files.
func ClientCertificate(certificate, key string) Option {
	return option.New(option.Call("served.ClientCertificate", certificate, key),
		func(s *settings) error {
			s.Cert, s.Key = certificate, key
			return nil
		})
}

// Header sends a header, such as Authorization, with every request. Its value is read from an
// environment variable and appears in no message and no provenance. The header is sent only to the
// URL's own scheme, host and port; http and grpc do not encrypt it.
func Header(name, variable string) Option {
	named := headerName.MatchString(name) && variableName.MatchString(variable)
	if !named { // the argument may itself be the secret
		name, variable = hidden, hidden
	}
	return option.New(option.Call("served.Header", name, variable), func(s *settings) error {
		if !named {
			return errors.New("expected the names of a header and of an environment variable, such as " +
				`"Authorization", "TOKEN"`)
		}
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[name] = variable
		return nil
	})
}

var (
	headerName   = regexp.MustCompile(`^[\w!#$%&'*+.^|~-]+$`)
	variableName = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	schemeOf     = regexp.MustCompile(`^\w+://`)
)

// hidden is shown in messages instead of possible secrets.
const hidden = "xxxxx"

// presentable hides the password and the query of a URL. A query may contain a token. Opening the
// model rejects a URL with a password or a query, but the URL may be printed or saved before that.
func presentable(text string) string {
	u, err := url.Parse(text)
	if at := strings.LastIndex(text, "@"); at >= 0 && (err != nil || u.User != nil || u.Host == "") {
		text = schemeOf.FindString(text) + hidden + text[at:]
	}
	if at := strings.IndexAny(text, "?#"); at >= 0 {
		text = text[:at+1] + hidden
	}
	return text
}

// target parses the URL of a model or, if generates is true, of a completions endpoint.
func target(text string, generates bool) (oip.Target, error) {
	wrong := func(why string) (oip.Target, error) {
		if generates {
			return oip.Target{}, fmt.Errorf("served: %s; expected http://host:8000/v1/completions", why)
		}
		return oip.Target{}, fmt.Errorf("served: %s; expected http://host:8000/v2/models/NAME, "+
			"optionally followed by /versions/VERSION", why)
	}
	u, err := url.Parse(text)
	if err != nil {
		return wrong("the URL cannot be parsed") // the parser's error may contain a password
	}
	switch u.Scheme {
	case "http", "https", "grpc", "grpcs":
	default:
		return wrong(fmt.Sprintf("unknown scheme %q: want http, https, grpc or grpcs", u.Scheme))
	}
	if u.User != nil {
		return wrong("a URL must not contain a password; use served.Header")
	}
	if u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return wrong(fmt.Sprintf("%q is not the URL of a model", text))
	}
	if generates {
		prefix, found := strings.CutSuffix(u.Path, "/completions")
		if !found || strings.HasPrefix(u.Scheme, "grpc") {
			return wrong(fmt.Sprintf("%q is not the URL of an HTTP completions endpoint", text))
		}
		return oip.Target{Scheme: u.Scheme, Host: u.Host, Prefix: prefix, Model: "completions"}, nil
	}
	prefix, rest, found := strings.Cut(u.Path, "/v2/models/")
	name, version, versioned := strings.Cut(rest, "/versions/")
	if !found || name == "" || strings.Contains(name, "/") ||
		versioned && (version == "" || strings.Contains(version, "/")) {
		return wrong(fmt.Sprintf("%q is not the URL of a model", text))
	}
	return oip.Target{Scheme: u.Scheme, Host: u.Host, Prefix: prefix, Model: name,
		Version: version}, nil
}

// addresses returns the addresses of the first server and its replicas, and the values of the
// options.
func (d deployment) addresses() ([]oip.Target, *settings, error) {
	s, err := d.list.Settings()
	if err != nil {
		return nil, nil, err
	}
	if s.Generation != nil && !d.generates {
		return nil, nil, errors.New("served: served.Generate applies only to served.Completions")
	}
	var all []oip.Target
	for _, url := range append([]string{d.url}, s.Replicas...) {
		t, err := target(url, d.generates)
		if err != nil {
			return nil, nil, err
		}
		t.URL = url
		if d.generates {
			t.Generation = s.asked()
		}
		all = append(all, t)
	}
	return all, s, nil
}

// targets returns the servers' addresses with the headers to send, and the values of the options.
func (d deployment) targets() ([]oip.Target, *settings, error) {
	all, s, err := d.addresses()
	if err != nil {
		return nil, nil, err
	}
	header := http.Header{}
	for name, variable := range s.Headers {
		value, set := os.LookupEnv(variable)
		if !set {
			return nil, nil, fmt.Errorf("served: header %s takes its value from %s, which is not set",
				name, variable)
		}
		header.Set(name, value)
	}
	secure, err := s.tls()
	if err != nil {
		return nil, nil, fmt.Errorf("served: %w", err)
	}
	for i := range all {
		t := &all[i]
		t.Header, t.Binary = header, s.Binary
		if t.Scheme == "https" || t.Scheme == "grpcs" {
			t.TLS = secure
		}
	}
	return all, s, nil
}

// tls returns the TLS configuration of the connections.
func (s *settings) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		pem, err := regular.Read(s.CA)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s contains no PEM certificate", s.CA)
		}
	}
	if s.Cert != "" || s.Key != "" {
		cert, err := regular.Read(s.Cert)
		if err != nil {
			return nil, err
		}
		key, err := regular.Read(s.Key)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
