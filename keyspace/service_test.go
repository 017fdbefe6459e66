package keyspace

import (
	"strings"
	"testing"
)

func TestService(t *testing.T) {
	for addr, want := range map[string]string{
		"prod.abc123.0001.euw1.cache.amazonaws.com:6379":               "ElastiCache",
		"clustercfg.prod.abc.use1.cache.amazonaws.com.:6379":           "ElastiCache",
		"prod-abc.serverless.use1.cache.amazonaws.com.cn:6379":         "ElastiCache",
		"clustercfg.prod.abc123.memorydb.eu-west-1.amazonaws.com:6379": "MemoryDB",
		"PROD.redis.cache.windows.net:6380":                            "Azure",
		"prod.westeurope.redisenterprise.cache.azure.net:10000":        "Azure",
		"prod.westeurope.redis.azure.net:10000":                        "Azure",
		"eu1-prod-1234.upstash.io:6379":                                "Upstash",
		"10.0.0.3:6379":                                                "",
		"cache.amazonaws.com.example:6379":                             "",
		"xcache.amazonaws.com:6379":                                    "",
	} {
		c := &Connection{options: Options{Addr: addr}}
		if got := c.Service(); got.Name != want || (want != "") != strings.Contains(got.Notifications, "Kg$hzxe") {
			t.Errorf("%s: %+v, want %q", addr, got, want)
		}
	}
	c := &Connection{options: Options{Addr: "10.0.0.3:6379"}, server: parseServer("# Server\r\nredis_version:7.1.0\r\nos:Amazon ElastiCache\r\n")}
	if got := c.Service().Name; got != "ElastiCache" {
		t.Errorf("by INFO: %q", got)
	}
}
