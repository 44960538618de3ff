//go:build unix

package servertest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Server is a running server. It ends with the test.
type Server struct {
	Dir   string
	start func() *exec.Cmd
	ready func() error
	cmd   *exec.Cmd
	done  chan struct{}
}

// find gives the path of a binary, or skips the test; LEANMEM_REQUIRE=1 makes
// that a failure.
func find(t testing.TB, name string, patterns ...string) string {
	t.Helper()
	for _, p := range patterns {
		if found, _ := filepath.Glob(p); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if os.Getenv("LEANMEM_REQUIRE") == "1" {
		t.Fatalf("%s is not installed, and LEANMEM_REQUIRE=1", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// Postgres starts a server on a new directory and returns it with a connection
// string. PostgreSQL refuses to run as root, so it then runs as another user.
func Postgres(t testing.TB, settings ...string) (*Server, string) {
	t.Helper()
	postgres := find(t, "postgres", "/usr/lib/postgresql/*/bin/postgres")
	initdb := find(t, "initdb", "/usr/lib/postgresql/*/bin/initdb")
	dir := directory(t)
	as := credential(t, dir)
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.SysProcAttr = dir, as
		return cmd
	}
	data := filepath.Join(dir, "data")
	out, err := run(initdb, "-D", data, "-U", "leanmem", "--auth=trust", "--no-locale", "-E", "UTF8", "--no-sync").CombinedOutput()
	if err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	args := []string{"-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "shared_buffers=16MB", "-c", "max_connections=50"}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	s := &Server{Dir: dir, start: func() *exec.Cmd { return run(postgres, args...) }}
	s.ready = dial("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	s.Start(t)
	return s, fmt.Sprintf("host=%s user=leanmem dbname=postgres", dir)
}

// Pooler starts PgBouncer in transaction mode before a server: of its three
// connections, each transaction takes whichever is free.
func Pooler(t testing.TB, postgres *Server) (dsn string) {
	t.Helper()
	binary := find(t, "pgbouncer", "/usr/sbin/pgbouncer")
	dir := directory(t)
	settings := fmt.Sprintf("[databases]\npostgres = host=%s dbname=postgres user=leanmem\n[pgbouncer]\nunix_socket_dir = %s\n"+
		"listen_addr =\nlisten_port = 6432\npool_mode = transaction\nauth_type = any\ndefault_pool_size = 3\nmax_client_conn = 100\n", postgres.Dir, dir)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	as := credential(t, dir)
	s := &Server{Dir: dir, ready: dial("unix", filepath.Join(dir, ".s.PGSQL.6432")), start: func() *exec.Cmd {
		cmd := exec.Command(binary, file)
		cmd.Dir, cmd.SysProcAttr = dir, as
		return cmd
	}}
	s.Start(t)
	return fmt.Sprintf("host=%s port=6432 user=leanmem dbname=postgres", dir)
}

// Redis starts a server on a new directory and returns it with its address.
func Redis(t testing.TB, args ...string) (*Server, string) {
	t.Helper()
	binary := find(t, "redis-server")
	dir := directory(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	args = append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir, "--save", ""}, args...)
	s := &Server{Dir: dir, start: func() *exec.Cmd { return exec.Command(binary, args...) }, ready: dial("tcp", addr)}
	s.Start(t)
	return s, addr
}

func directory(t testing.TB) string {
	dir, err := os.MkdirTemp("", "leanmem-server")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func credential(t testing.TB, dir string) *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	t.Fatal("there is no user to run PostgreSQL as")
	return nil
}

func dial(network, addr string) func() error {
	return func() error {
		c, err := net.DialTimeout(network, addr, time.Second)
		if err == nil {
			c.Close()
		}
		return err
	}
}

// Start starts the server, again after Kill, and waits until it listens.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(s.Dir, "server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := s.start()
	cmd.Stdout, cmd.Stderr = log, log
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		cmd.Wait()
		close(done)
	}()
	s.cmd, s.done = cmd, done
	t.Cleanup(func() { s.Kill() })
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	for s.ready() != nil {
		select {
		case <-ctx.Done():
			out, _ := os.ReadFile(filepath.Join(s.Dir, "server.log"))
			t.Fatalf("the server does not listen:\n%s", out)
		case <-done:
			out, _ := os.ReadFile(filepath.Join(s.Dir, "server.log"))
			t.Fatalf("the server ended:\n%s", out)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Kill kills the server and its children at once, as a failing machine would,
// and waits until they are gone. It is stopped first: a child that it makes
// meanwhile would survive, and keep the next server from starting.
func (s *Server) Kill() {
	pid := s.cmd.Process.Pid
	syscall.Kill(pid, syscall.SIGSTOP)
	await(func() bool {
		state, _ := stat(fmt.Sprintf("/proc/%d/stat", pid))
		return state == "T" || state == "Z" || state == ""
	})
	family := append(children(pid), pid)
	for _, p := range family {
		syscall.Kill(p, syscall.SIGKILL)
	}
	<-s.done
	for _, p := range family { // reaped by whoever inherits them
		await(func() bool { return syscall.Kill(p, 0) != nil || zombie(p) })
	}
}

// await waits until something is so, but no longer than a second.
func await(so func() bool) {
	for range 500 {
		if so() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func children(of int) (out []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		if _, parent := stat(path); parent == of {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			out = append(out, pid)
		}
	}
	return out
}

func zombie(pid int) bool {
	state, _ := stat(fmt.Sprintf("/proc/%d/stat", pid))
	return state == "Z" || state == ""
}

// stat reads a process's state and parent, which follow its name in brackets.
func stat(path string) (state string, parent int) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", 0
	}
	rest := string(b[bytes.LastIndexByte(b, ')')+1:])
	fmt.Sscan(rest, &state, &parent)
	return state, parent
}

// RedisCluster makes a server that was started for a cluster its only node.
func RedisCluster(t testing.TB, addr string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(30 * time.Second))
	ask := func(command, want string) bool {
		fmt.Fprintf(c, "%s\r\n", command)
		b := make([]byte, 64<<10)
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(b[:n], []byte(want))
	}
	if !ask("CLUSTER ADDSLOTSRANGE 0 16383", "OK") {
		t.Fatal("the cluster takes no slots")
	}
	for !ask("CLUSTER INFO", "cluster_state:ok") {
		time.Sleep(20 * time.Millisecond)
	}
}
