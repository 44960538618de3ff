//go:build unix

package servertest

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// Lossy stands between a store and its server, and can lose an answer.
type Lossy struct {
	Addr string       // where it listens
	left atomic.Int64 // answers up to the one that is lost

	// Meanwhile, if set, runs when an answer is lost, before anybody can know.
	Meanwhile func()
}

// Lose has the server's answer lost that follows so many others: the request
// took place, the connection ends, and nobody knows.
func (l *Lossy) Lose(after int) { l.left.Store(int64(after) + 1) }

// Lost reports whether that has happened. If not, it will not.
func (l *Lossy) Lost() bool { return l.left.Swap(0) <= 0 }

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
		if err != nil {
			return
		}
		if l.left.Add(-1) == 0 {
			if l.Meanwhile != nil {
				l.Meanwhile()
			}
			return
		}
		if _, err := client.Write(b[:n]); err != nil {
			return
		}
	}
}
