package keyspace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Databases counts the keys of every database that has any, by INFO keyspace.
func (c *Connection) Databases(ctx context.Context) (map[int]int64, error) {
	info, err := c.reader.Info(ctx, "keyspace").Result()
	if err != nil {
		return nil, wrap("info keyspace", err)
	}
	counts := make(map[int]int64)
	for name, value := range InfoFields(info) {
		number, isDB := strings.CutPrefix(name, "db")
		if !isDB {
			continue
		}
		keys, _, _ := strings.Cut(strings.TrimPrefix(value, "keys="), ",")
		db, errDB := strconv.Atoi(number)
		n, errKeys := strconv.ParseInt(keys, 10, 64)
		if err := errors.Join(errDB, errKeys); err != nil {
			return nil, wrap("info keyspace: "+value, err)
		}
		counts[db] = n
	}
	return counts, nil
}

// countDatabases notes where the server's keys are, for whoever finds nothing in the database that is looked at. A cluster has
// one database for all that is known; a single look does without.
func (f *feed) countDatabases(ctx context.Context) error {
	if f.connection.server.Mode == "cluster" || f.options.Once {
		return nil
	}
	counts, err := f.connection.Databases(ctx)
	if err != nil {
		f.status.Databases = nil
		return unlessAnswered(err) // denied or absent
	}
	databases := make([]Database, 0, len(counts))
	for db, keys := range counts {
		if keys > 0 {
			databases = append(databases, Database{db, keys})
		}
	}
	slices.SortFunc(databases, func(a, b Database) int { return cmp.Compare(a.DB, b.DB) })
	f.status.Databases = databases // a new slice each time: a Status that was handed out keeps its own
	return nil
}
