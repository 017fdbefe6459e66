package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"locktop/keyspace/redistest"
)

// The server of a demo that dies takes the keys with it that are to be removed, but not what the workers did.
func TestDemoTellsWhatWasWithoutItsServer(t *testing.T) {
	s := redistest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, said := io.Pipe()
	ended := make(chan int)
	var errs bytes.Buffer
	go func() {
		code := Main(ctx, []string{"demo", "--serve", "--url", "unix://" + s.Socket, "--for", "2s", "--speed", "20"}, strings.NewReader(""), said, &errs)
		_ = said.Close()
		ended <- code
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "ready: ") {
	}
	s.Kill()
	var verdict strings.Builder
	for lines.Scan() {
		verdict.WriteString(lines.Text() + "\n")
	}
	if code := <-ended; code != exitError || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "remove the demo's keys") {
		t.Errorf("code %d, said %q", code, errs.String())
	}
	if !strings.Contains(verdict.String(), "✔ sound, long-enough\n") {
		t.Errorf("no verdict: %q", verdict.String())
	}
}

// A server that is lost while its keys are looked at: list says so, and ends.
func TestListEndsWithTheServer(t *testing.T) {
	for _, test := range []struct {
		name    string
		trouble func(*redistest.Server)
		flags   []string
	}{
		{"it dies", (*redistest.Server).Kill, nil},
		{"it hangs", (*redistest.Server).Pause, nil},
		{"it dies, and list was to look for long", (*redistest.Server).Kill, []string{"--for", "1h"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t)
			s.Do("EVAL", "for i=1,100000 do redis.call('SET', 'lock:'..i, i) end", 0)
			link := redistest.NewLink(t, s)
			link.Delay(20 * time.Millisecond) // so that it takes seconds
			host, port, err := net.SplitHostPort(link.Addr)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ended := make(chan int)
			var out, errs bytes.Buffer
			go func() {
				ended <- Main(ctx, append([]string{"list", "-h", host, "-p", port}, test.flags...), strings.NewReader(""), &out, &errs)
			}()
			redistest.Eventually(t, 30*time.Second, func() (bool, string) {
				stats := s.Do("INFO", "commandstats").(string)
				return strings.Contains(stats, "cmdstat_strlen"), stats // the pass is under way
			})
			test.trouble(s)
			code, said := <-ended, errs.String()
			if code != exitError || strings.Count(said, "\n") != 1 || !strings.Contains(said, "nothing answers") || !strings.Contains(said, link.Addr) {
				t.Errorf("code %d, said %q", code, said)
			}
			if out.Len() > 0 {
				t.Errorf("printed %q", out.String())
			}
		})
	}
}
