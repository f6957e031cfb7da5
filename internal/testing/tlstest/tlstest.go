// Package tlstest makes the certificates of a server and its client for a test.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files holds the paths of PEM files: the authority's certificate, and the client's certificate and
// key.
type Files struct{ CA, Certificate, Key string }

// New returns the configuration of a loopback server that requires a client certificate, and the
// files of a client that the server accepts.
func New(t testing.TB) (*tls.Config, Files) {
	t.Helper()
	folder := t.TempDir()
	authority := certificate(t, nil, &x509.Certificate{IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign})
	server := certificate(t, &authority, &x509.Certificate{IPAddresses: []net.IP{{127, 0, 0, 1}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	client := certificate(t, &authority, &x509.Certificate{
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	pool := x509.NewCertPool()
	pool.AddCert(authority.Leaf)
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}),
			0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, err := x509.MarshalPKCS8PrivateKey(client.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{server},
			ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool},
		Files{CA: write("ca.pem", "CERTIFICATE", authority.Certificate[0]),
			Certificate: write("client.pem", "CERTIFICATE", client.Certificate[0]),
			Key:         write("client.key", "PRIVATE KEY", key)}
}

// certificate returns a certificate made from the template of. It is signed by the authority by, or
// self-signed if by is nil.
func certificate(t testing.TB, by *tls.Certificate, of *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of.SerialNumber, of.Subject = big.NewInt(1), pkix.Name{CommonName: "modelparity test"}
	of.NotBefore, of.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := of, any(key)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, of, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
