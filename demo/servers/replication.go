package servers

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// stepInterval is how often the two of a pair are asked whether they are in step.
const stepInterval = 2 * time.Millisecond

// awaitStep waits until the replica is in step with the master.
func (p *Pair) awaitStep(ctx context.Context) error {
	master, replica := orderly(p.master.options), orderly(p.replica.options)
	defer master.Close()
	defer replica.Close()
	for {
		missing, err := outOfStep(ctx, master, replica)
		if err == nil && missing == "" {
			return nil
		}
		if !wait(ctx, stepInterval) {
			if err != nil {
				missing = err.Error()
			}
			return fmt.Errorf("the replica is not in step: %s: %w", missing, ctx.Err())
		}
	}
}

// outOfStep says what is missing until the replica has all that the master has by now, and until the master counts on it;
// "": nothing.
func outOfStep(ctx context.Context, master, replica *redis.Client) (missing string, err error) {
	given, err := replicationOf(ctx, master)
	if err != nil {
		return "", err
	}
	got, err := replicationOf(ctx, replica)
	if err != nil {
		return "", err
	}
	switch {
	case got["master_link_status"] != "up":
		return "its link is " + got["master_link_status"], nil
	case got["master_replid"] != given["master_replid"]:
		return "it follows another history", nil
	case !strings.Contains(given["slave0"], "state=online"):
		return "the master does not count on it", nil
	case number(got["slave_repl_offset"]) < number(given["master_repl_offset"]):
		return "it has " + got["slave_repl_offset"] + " of " + given["master_repl_offset"], nil
	}
	return "", nil
}

// replicationOf are the fields of INFO replication.
func replicationOf(ctx context.Context, client *redis.Client) (map[string]string, error) {
	said, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for line := range strings.Lines(said) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields, nil
}

// number is an offset of the replication; -1 where there is none.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
