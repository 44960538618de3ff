package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/leanmem/leanmem/core/effect"
)

// passing reports whether an error may be gone when the request is sent again.
func passing(err error) bool {
	if e := (*effect.Error)(nil); errors.As(err, &e) {
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "08", "57": // connection, shutdown and start
			return pg.Code != "57014" // cancelled
		}
		switch pg.Code {
		case "40001", "40P01", "53300", "25006": // serialisation, deadlock, connections, a standby during failover
			return true
		}
		return false
	}
	return true // no answer at all
}

func isUnique(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

// storeError gives an error its code. Details of the server's errors, which may
// quote rows, are left out.
func storeError(doing string, err error) error {
	if e := (*effect.Error)(nil); errors.As(err, &e) {
		return err
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return effect.Retryf(effect.StoreFailed, "%s: %v", doing, err)
	}
	message := "PostgreSQL says: " + pg.Message + " (SQLSTATE " + pg.Code + ")"
	switch {
	case pg.Code == "53100" || pg.Code == "53200":
		return effect.Errorf(effect.StoreFull, "%s: %s", doing, message)
	case strings.HasPrefix(pg.Code, "XX"):
		return effect.Errorf(effect.StoreCorrupt, "%s: %s", doing, message)
	case passing(err):
		return effect.Retryf(effect.StoreFailed, "%s: %s", doing, message)
	}
	return effect.Errorf(effect.StoreFailed, "%s: %s", doing, message)
}
