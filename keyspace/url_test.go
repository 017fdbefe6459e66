package keyspace_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

func TestParseURL(t *testing.T) {
	for raw, want := range map[string]keyspace.Options{
		"redis://":                               {Network: "tcp", Addr: "127.0.0.1:6379"},
		"redis://host":                           {Network: "tcp", Addr: "host:6379"},
		"redis://:pw@host:7000/3":                {Network: "tcp", Addr: "host:7000", Password: "pw", DB: 3},
		"redis://pw@host":                        {Network: "tcp", Addr: "host:6379", Password: "pw"},
		"redis://me:p%40w%2F@host/":              {Network: "tcp", Addr: "host:6379", Username: "me", Password: "p@w/"},
		"redis://[::1]:7000?db=2":                {Network: "tcp", Addr: "[::1]:7000", DB: 2},
		"valkey://host?client_name=x":            {Network: "tcp", Addr: "host:6379", ClientName: "x"},
		"redis://h?dial_timeout=2&pool_size=9":   {Network: "tcp", Addr: "h:6379", DialTimeout: 2 * time.Second},
		"redis://h?read_timeout=250ms":           {Network: "tcp", Addr: "h:6379", CommandTimeout: 250 * time.Millisecond},
		"unix:///run/redis.sock":                 {Network: "unix", Addr: "/run/redis.sock"},
		"unix://me:pw@/run/redis.sock?db=4":      {Network: "unix", Addr: "/run/redis.sock", Username: "me", Password: "pw", DB: 4},
		"redis+unix:///run/redis.sock":           {Network: "unix", Addr: "/run/redis.sock"},
		"redis://host:6379?protocol=3&db=&db=12": {Network: "tcp", Addr: "host:6379", DB: 12},
	} {
		got, err := keyspace.ParseURL(raw)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", raw, got, err, want)
		}
	}
	o, err := keyspace.ParseURL("rediss://cache.example:6380?skip_verify=true")
	if err != nil || o.TLS == nil || o.TLS.ServerName != "cache.example" || !o.TLS.InsecureSkipVerify {
		t.Errorf("rediss: %+v, %v", o, err)
	}
}

func TestParseURLErrorsSayWhatIsWrong(t *testing.T) {
	for raw, says := range map[string]string{
		"":                            "scheme",
		"localhost:6379":              "scheme",
		"http://host":                 "scheme",
		"redis://host:99999":          "port",
		"redis://host/x":              "database",
		"redis://host?db=-1":          "database",
		"unix://":                     "socket",
		"redis://host?color=red":      "parameter",
		"redis://host?skip_verify=1":  "parameter",
		"redis://host?dial_timeout=x": "dial_timeout",
		"redis://u:p%zz@host":         "percent-encoded",
		"redis://hush#x@host":         "%23",
		"redis://:12#x@host":          "%23",
		"redis://hush?@host:1":        "%3F",
		"redis://hush?x@host":         "%3F",
		"redis://:12/x@host":          "%2F",
		"unix://hush/x@/run/r.sock":   "%2F",
	} {
		_, err := keyspace.ParseURL(raw)
		if !errors.Is(err, keyspace.ErrURL) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want a word on %s", raw, err, says)
		}
	}
}

// FuzzParseURL looks for a panic, and for an error that quotes a password, escaped as it should be or not.
func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"redis://%s@host", "redis://u:%s@host:1/2", "rediss://:%s@h?db=1", "unix://u:%s@/p", "redis://u:%s/x@h", "%s", "%s://h"} {
		f.Add(seed, "/:9")
	}
	for _, found := range []string{"uniX:/0%s@"} {
		f.Add(found, "0")
	}
	f.Fuzz(func(t *testing.T, raw, tail string) {
		const marker = "zqxjkv"
		for _, word := range []string{marker + tail, url.QueryEscape(marker + tail)} {
			o, err := keyspace.ParseURL(strings.ReplaceAll(raw, "%s", word))
			if err != nil && strings.Contains(err.Error(), marker) {
				t.Errorf("the error quotes the password: %v", err)
			}
			if strings.Count(raw, "%s") == 1 && strings.Contains(raw, "%s@") && strings.Contains(o.Addr, marker) {
				t.Errorf("a piece of the password is taken for the server: %q", o.Addr)
			}
		}
	})
}
