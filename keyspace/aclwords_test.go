package keyspace

import (
	"strings"
	"testing"
)

func TestObserverRulesBefore7AndQuoting(t *testing.T) {
	c := &Connection{options: Options{DB: 2}, server: Server{Software: "redis", Version: "6.2.14"}}
	rules := c.ObserverACL([]Pattern{{Glob: `a "b*`}})
	if !strings.Contains(rules, ` "~a \"b*" "&__keyspace@2__:a \"b*" `) {
		t.Errorf("got %s", rules)
	}
}
