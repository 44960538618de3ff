package redis

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/core/effect"
)

// ParseURL reads the address of a store as one line:
//
//	redis://USER:PASSWORD@HOST:PORT/DB?prefix=NAME
//
// rediss:// uses TLS. cluster=on says that the server is of a cluster,
// sentinel=NAME that it is a sentinel of that master, and addr=HOST:PORT, as
// often as needed, names further nodes or sentinels. Errors do not quote the
// URL, which may hold a password.
func ParseURL(raw string) (o Options, err error) {
	bad := func(what string) (Options, error) {
		return Options{}, effect.Errorf(effect.InvalidArgument, "Redis URL: %s", what)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" {
		return bad("it cannot be read; write redis://USER:PASSWORD@HOST:PORT/DB?prefix=NAME")
	}
	port := u.Port()
	if port == "" {
		port = "6379"
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	o.Addrs, o.TLS = []string{host + ":" + port}, u.Scheme == "rediss"
	o.Username = u.User.Username()
	o.Password, _ = u.User.Password()
	if db := strings.Trim(u.Path, "/"); db != "" {
		if o.DB, err = strconv.Atoi(db); err != nil || o.DB < 0 {
			return bad("behind the host stands the number of a database")
		}
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return bad("what follows the question mark cannot be read")
	}
	for name, values := range q { // each sets a field of its own
		switch name {
		case "prefix":
			o.Prefix = values[0]
		case "sentinel":
			o.MasterName = values[0]
		case "addr":
			o.Addrs = append(o.Addrs, values...)
		case "cluster":
			o.Cluster = values[0] == "on"
		default:
			return bad("it may say prefix, cluster, sentinel and addr")
		}
	}
	return o, nil
}
