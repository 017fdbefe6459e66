package actions

import (
	"testing"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// dialled are the servers as the product knows them.
func dialled(t *testing.T, place keyspace.Place) *keyspace.Servers {
	t.Helper()
	servers, err := keyspace.Dial(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	return servers
}

// TestActsOnThePromoted acts after fail-overs: what sentinels name, and what a demoted master of a cluster says.
func TestActsOnThePromoted(t *testing.T) {
	t.Parallel()
	release := Request{Verb: VerbRelease}
	t.Run("sentinel", func(t *testing.T) {
		set := redistest.StartSentinel(t)
		servers := dialled(t, keyspace.Place{Sentinel: set.Name, Servers: []keyspace.Options{{Addr: set.Sentinels[0].Addr}, {Addr: set.Sentinels[1].Addr}}})
		o := NewOperator(servers, Options{Look: servers.Read})
		r := seededAt(t, set.Master().Client(), inspector.SchemeRedisson, "lock", release)
		if out := o.Do(t.Context(), r); out.Result != ResultReleased {
			t.Errorf("%s (%v)", out.Sentence(r), out.Err)
		}
		promoted := set.Failover()
		r = seededAt(t, promoted.Client(), inspector.SchemeRedisson, "lock", release)
		if out := o.Do(t.Context(), r); out.Result != ResultReleased || promoted.Do("EXISTS", "lock") != int64(0) {
			t.Errorf("after the fail-over: %s (%v)", out.Sentence(r), out.Err)
		}
	})
	t.Run("cluster", func(t *testing.T) {
		c := redistest.StartCluster(t, 3, 1)
		servers := dialled(t, keyspace.Place{Servers: []keyspace.Options{{Addr: c.Nodes[0].Addr}}})
		o := NewOperator(servers, Options{Look: servers.Read})
		key := c.KeyOf(c.Nodes[0], "lock")
		r := seededAt(t, c.Nodes[0].Client(), inspector.SchemeRedisson, key, release)
		if out := o.Do(t.Context(), r); out.Result != ResultReleased {
			t.Errorf("%s (%v)", out.Sentence(r), out.Err)
		}
		promoted := c.ReplicasOf(c.Nodes[0])[0]
		c.Failover(promoted)
		r = seededAt(t, promoted.Client(), inspector.SchemeRedisson, key, release)
		if out := o.Do(t.Context(), r); out.Result != ResultReleased || promoted.Do("EXISTS", key) != int64(0) {
			t.Errorf("after the fail-over: %s (%v)", out.Sentence(r), out.Err)
		}
	})
}
