package blobstore_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/blobstore"
)

const token = "s3cret-token"

// blob is a blob in a file.
func blob(t *testing.T, text string) (blobstore.ID, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blob")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	return blobstore.ID{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(text))}, path
}

// store is the store at where, with a cache of its own.
func store(t *testing.T, where, token string) *blobstore.Store {
	t.Helper()
	t.Setenv(blobstore.Variable, where)
	t.Setenv(blobstore.TokenVariable, token)
	t.Setenv(blobstore.CacheVariable, t.TempDir())
	s, err := blobstore.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// served is a server that keeps blobs, as Bazel's caches do, for those who have the token.
func served(t *testing.T) (*httptest.Server, *sync.Map) {
	t.Helper()
	blobs := new(sync.Map)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodPut {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			blobs.Store(r.URL.Path, body)
			w.WriteHeader(http.StatusCreated)
			return
		}
		body, ok := blobs.Load(r.URL.Path)
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(body.([]byte))))
	}))
	t.Cleanup(s.Close)
	return s, blobs
}

func TestBlobsTravelBetweenMachines(t *testing.T) {
	s, _ := served(t)
	for name, where := range map[string]string{"folder": t.TempDir(), "server": s.URL + "/team"} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			id, path := blob(t, "outputs")
			one := store(t, where, token)
			g.Expect(one.Put(t.Context(), id, path)).To(Succeed())
			g.Expect(one.Put(t.Context(), id, path)).To(Succeed(), "again")
			other := store(t, where, token)
			at, err := other.Get(t.Context(), id)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(content(t, at)).To(Equal("outputs"))
			g.Expect(other.Has(id)).To(BeTrue())

			t.Setenv(blobstore.Variable, "")
			offline, err := blobstore.FromEnvironment()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(offline.Get(t.Context(), id)).To(Equal(at), "from the cache")
			blobs, bytes := offline.Sizes()
			g.Expect([]int64{int64(blobs), bytes}).To(Equal([]int64{1, 7}))
			unknown, _ := blob(t, "never put")
			_, err = offline.Get(t.Context(), unknown)
			g.Expect(err).To(MatchError(blobstore.ErrNone))
			_, err = other.Get(t.Context(), unknown)
			g.Expect(err).To(MatchError(blobstore.ErrLacks))
			g.Expect(err.Error()).To(ContainSubstring(where))
		})
	}
}

func TestACopyThatWasDamagedIsFetchedAgain(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	id, path := blob(t, "outputs")
	s := store(t, folder, "")
	g.Expect(s.Put(t.Context(), id, path)).To(Succeed())
	g.Expect(os.WriteFile(s.Path(id), []byte("outpuTs"), 0o600)).To(Succeed())
	g.Expect(s.Has(id)).To(BeFalse())
	at, err := s.Get(t.Context(), id)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(content(t, at)).To(Equal("outputs"))

	lies := filepath.Join(folder, "cas", id.SHA256[:2], id.SHA256)
	g.Expect(os.WriteFile(lies, []byte("outpuTs"), 0o600)).To(Succeed())
	_, err = store(t, folder, "").Get(t.Context(), id)
	g.Expect(err).To(MatchError(ContainSubstring("gave wrong bytes for the blob")))
	g.Expect(s.Put(t.Context(), id, path)).To(Succeed(), "puts the right bytes there")
	g.Expect(content(t, lies)).To(Equal("outputs"))
}

func TestWhatAServerMayAnswer(t *testing.T) {
	id, path := blob(t, "outputs")
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		token  string
		want   string
	}{
		"wrong bytes": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "outpuTs") }, "",
			"gave wrong bytes for the blob " + id.SHA256},
		"another length": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "out") }, "",
			"has 3 bytes under the blob"},
		"a body that breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "7")
			io.WriteString(w, "out")
		}, "", "unexpected EOF"},
		"less, in chunks": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "out")
			w.(http.Flusher).Flush()
		}, "", "gave 3 bytes of the blob"},
		"more, in chunks": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "outputs and more")
			w.(http.Flusher).Flush()
		}, "", "gave more bytes than the blob has: 7"},
		"no token was given": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "",
			"it wants a token, and MODELPARITY_STORE_TOKEN is not set"},
		"the wrong one": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, token,
			"does not take the token in MODELPARITY_STORE_TOKEN"},
		"it is broken": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, token,
			"answers 500 Internal Server Error"},
		"it sends in circles": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"/", http.StatusFound)
		}, token, "redirects in circles"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := httptest.NewServer(row.answer)
			defer server.Close()
			s := store(t, server.URL, row.token)
			_, err := s.Get(t.Context(), id)
			g.Expect(err).To(MatchError(ContainSubstring(row.want)))
			g.Expect(err.Error()).To(HavePrefix("the store " + server.URL))
			g.Expect(err.Error()).NotTo(ContainSubstring(token))
			g.Expect(s.Has(id)).To(BeFalse())
			left, _ := filepath.Glob(filepath.Join(s.Cache(), "cas", "*", "*"))
			hidden, _ := filepath.Glob(filepath.Join(s.Cache(), "cas", "*", ".*"))
			g.Expect(append(left, hidden...)).To(BeEmpty())
			if strings.Contains(row.want, "answers") {
				g.Expect(s.Put(t.Context(), id, path)).To(MatchError(ContainSubstring(row.want)))
			}
		})
	}
}

func TestOtherHostsAreNotGivenTheToken(t *testing.T) {
	g := NewWithT(t)
	id, path := blob(t, "outputs")
	var given sync.Map
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given.Store(r.Method, r.Header.Get("Authorization"))
		if r.Method == http.MethodGet {
			io.WriteString(w, "outputs")
		}
		io.Copy(io.Discard, r.Body)
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Expect(r.Header.Get("Authorization")).To(Equal("Bearer " + token))
		if r.Method == http.MethodHead {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	s := store(t, server.URL, token)
	at, err := s.Get(t.Context(), id)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(content(t, at)).To(Equal("outputs"))
	g.Expect(s.Put(t.Context(), id, path)).To(Succeed())
	for _, method := range []string{http.MethodGet, http.MethodPut} {
		header, asked := given.Load(method)
		g.Expect(asked).To(BeTrue(), method)
		g.Expect(header).To(BeEmpty(), method)
	}
}

func TestASlowServerIsGivenUp(t *testing.T) {
	g := NewWithT(t)
	id, path := blob(t, "outputs")
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "7")
		io.WriteString(w, "out")
		w.(http.Flusher).Flush()
		<-release
	}))
	defer server.Close()
	defer close(release)
	s := store(t, server.URL, "")
	s.Patient(50 * time.Millisecond)
	_, err := s.Get(t.Context(), id)
	g.Expect(err).To(MatchError(ContainSubstring("gave and took nothing for 50ms")))

	s.Patient(time.Hour)
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("the spec has ended")) })
	_, err = s.Get(ctx, id)
	g.Expect(err).To(MatchError(ContainSubstring("the spec has ended")))
	_ = path
}

func TestANetworkThatIsNotThere(t *testing.T) {
	g := NewWithT(t)
	id, path := blob(t, "outputs")
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	s := store(t, server.URL, token)
	_, err := s.Get(t.Context(), id)
	g.Expect(err).To(MatchError(ContainSubstring("cannot be reached")))
	g.Expect(s.Put(t.Context(), id, path)).To(MatchError(ContainSubstring("cannot be reached")))
	g.Expect(s.Has(id)).To(BeTrue(), "the cache has it for the next time")
}

func TestMachinesThatWriteTheSameBlobAtOnce(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	id, path := blob(t, strings.Repeat("outputs", 50_000))
	s := store(t, folder, "")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := s.Put(t.Context(), id, path); err != nil {
				t.Error(err)
			}
			if _, err := s.Get(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	all, err := filepath.Glob(filepath.Join(folder, "cas", "*", "*"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all).To(HaveLen(1))
}

func TestWhatAStoreMayBe(t *testing.T) {
	for where, row := range map[string][2]string{
		"https://user:pass@host/x":  {"", "want a URL without user, query and fragment"},
		"https://host/x?sig=secret": {"", "want a URL without user, query and fragment"},
		"https:///x":                {"", "want a URL with a host"},
		"s3://bucket/x":             {"", "want a folder, or a URL of http or https"},
		"http://example.com/x":      {token, "would cross the network unencrypted"},
		"https://example.com/x":     {"a\nb", "has a line break in it"},
		"blobs/of/ours":             {"", "blobs/of/ours is not an absolute path"},
		"http://exa mple.com":       {"", "not a URL"},
	} {
		t.Run(where, func(t *testing.T) {
			g := NewWithT(t)
			t.Setenv(blobstore.Variable, where)
			t.Setenv(blobstore.TokenVariable, row[0])
			_, err := blobstore.FromEnvironment()
			g.Expect(err).To(MatchError(ContainSubstring(row[1])))
			for _, secret := range []string{"pass", "secret", token} {
				g.Expect(err.Error()).NotTo(ContainSubstring(secret))
			}
		})
	}
}

func TestNamesThatAreNotSumsAreRefused(t *testing.T) {
	g := NewWithT(t)
	s := store(t, t.TempDir(), "")
	for _, name := range []string{"", "../../x", strings.Repeat("A", 64), strings.Repeat("/", 64)} {
		_, err := s.Get(t.Context(), blobstore.ID{SHA256: name})
		g.Expect(err).To(MatchError(ContainSubstring("is not a SHA-256")), name)
		g.Expect(s.Keep(blobstore.ID{SHA256: name}, "x")).To(MatchError(ContainSubstring("SHA-256")))
		g.Expect(s.Has(blobstore.ID{SHA256: name})).To(BeFalse())
	}
}
