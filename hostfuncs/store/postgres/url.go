package postgres

import (
	"net/url"
	"strconv"

	"github.com/leanmem/leanmem/core/effect"
)

// ParseURL reads the address of a store as one line: a connection URL that may
// also say schema=NAME, migrate=off, protocol=simple (for poolers that know
// nothing else) and connections=N. It gives what Open takes. Errors do not quote
// the URL, which may hold a password.
func ParseURL(raw string) (dsn string, o Options, err error) {
	bad := func(what string) (string, Options, error) {
		return "", Options{}, effect.Errorf(effect.InvalidArgument, "PostgreSQL URL: %s", what)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return bad("it cannot be read; write postgres://USER@HOST/DATABASE?schema=NAME")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return bad("what follows the question mark cannot be read")
	}
	o.Schema = q.Get("schema")
	switch q.Get("migrate") {
	case "", "on":
	case "off":
		o.NoMigrate = true
	default:
		return bad("migrate is on or off")
	}
	switch q.Get("protocol") {
	case "", "extended":
	case "simple":
		o.SimpleProtocol = true
	default:
		return bad("protocol is extended or simple")
	}
	if n := q.Get("connections"); n != "" {
		if o.MaxConns, err = strconv.Atoi(n); err != nil || o.MaxConns < 1 {
			return bad("connections is a number of at least 1")
		}
	}
	for _, own := range []string{"schema", "migrate", "protocol", "connections"} {
		q.Del(own)
	}
	u.RawQuery = q.Encode()
	return u.String(), o, nil
}
