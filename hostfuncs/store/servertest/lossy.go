//go:build unix

package servertest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Lossy stands between a store and its server, and can lose an answer.
type Lossy struct {
	Addr string // where it listens

	mu        sync.Mutex // held while meanwhile runs, so that Lost follows it
	left      int        // answers up to the one that is lost
	meanwhile func()
}

// Lose has the server's answer lost that follows so many others: the request
// took place, the connection ends, and nobody knows. meanwhile runs between the
// two.
func (l *Lossy) Lose(after int, meanwhile func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.meanwhile = after+1, meanwhile
}

// Lost reports whether that has happened. If not, it will not.
func (l *Lossy) Lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.left <= 0
	l.left = 0
	return lost
}

// loses reports whether the answer that has come is the one.
func (l *Lossy) loses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left--
	if l.left != 0 {
		return false
	}
	l.meanwhile()
	return true
}

// NewLossy passes connections on to a server until the test ends.
func NewLossy(t testing.TB, network, addr string) *Lossy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	l := &Lossy{Addr: listener.Addr().String()}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, addr)
			if err != nil {
				client.Close()
				continue
			}
			go l.pass(client, server)
		}
	}()
	return l
}

func (l *Lossy) pass(client, server net.Conn) {
	defer client.Close()
	go func() {
		defer server.Close()
		io.Copy(server, client)
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := server.Read(b)
		if err != nil || l.loses() {
			return
		}
		if _, err := client.Write(b[:n]); err != nil {
			return
		}
	}
}
