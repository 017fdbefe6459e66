package settings

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// flag reads what a flag is set to.
func (r *reader) flag(p *Profile, e entry, flag Flag) {
	list, isList := e.value.([]any)
	switch {
	case e.sub != nil:
		r.add(e.line, "%s takes %s, not a table", e.name, flag.takes(e.name))
		return
	case isList && !flag.List:
		r.add(e.line, "%s takes one value, not a list; write %s", e.name, flag.takes(e.name))
		return
	case isList && len(list) == 0:
		r.add(e.line, "%s is an empty list; leave it out for the default, or give it a value", e.name)
		return
	case !isList:
		list = []any{e.value}
	}
	var values []string
	for i, v := range list {
		value, ok := flag.Kind.value(v)
		if !ok {
			r.add(e.lineOf(i), "%s takes %s, not %s", e.name, flag.takes(e.name), flag.shown(v))
			return
		}
		values = append(values, value)
	}
	for i, value := range values { // one by one, so that it is told which it is
		var err error
		switch {
		case flag.Place && value == "":
			r.add(e.lineOf(i), "%s is empty; leave it out, or give it a value", e.name)
			return
		case e.name == "url":
			err = checkURL(value)
		case e.name == "port":
			if n, wrong := strconv.Atoi(value); wrong != nil || n < 1 || n > 65535 {
				err = errors.New("ports are 1 to 65535")
			}
		case e.name == "db":
			if n, wrong := strconv.Atoi(value); wrong != nil || n < 0 {
				err = errors.New("databases are numbered from 0")
			}
		case flag.Place && strings.HasPrefix(value, "~"):
			err = errors.New("~ is your shell's; write the whole path")
		case flag.Check != nil:
			err = flag.Check([]string{value})
		}
		switch {
		case err != nil && flag.Place:
			r.add(e.lineOf(i), "%s: %v", e.name, err)
			return
		case err != nil:
			r.add(e.lineOf(i), "%s: %s is no value for it: %v", e.name, strconv.Quote(value), err)
			return
		}
	}
	p.Values = append(p.Values, Value{e.name, values, e.line})
}

// value is a value of the kind as it stands on a command line.
func (k Kind) value(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, k == Text || k == TextOrSwitch || k == Span
	case bool:
		return strconv.FormatBool(v), k == Switch || k == TextOrSwitch
	case int64:
		return strconv.FormatInt(v, 10), k == Whole || k == Number
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), k == Number
	default:
		return "", false
	}
}

// takes says what a value must be, with an example.
func (f Flag) takes(name string) string {
	example := map[Kind]string{
		Text: `a text, such as %s = "..."`, TextOrSwitch: "true, false or a text, such as %s = true", Switch: "true or false, such as %s = true",
		Whole: "a whole number, such as %s = 10", Number: "a number, such as %s = 0.5", Span: `a time, such as %s = "30s"`,
	}[f.Kind]
	return fmt.Sprintf(example, name)
}

// shown is a value in a mistake: not of where a server is, since a secret may have been put in the wrong place.
func (f Flag) shown(v any) string {
	switch v := v.(type) {
	case string:
		if f.Place {
			return "a text"
		}
		return strconv.Quote(v)
	case bool, int64, float64:
		if f.Place {
			return "this"
		}
		return fmt.Sprint(v)
	case time.Time:
		return "a date"
	case []any:
		return "a list"
	default:
		return "a table"
	}
}

// checkURL refuses one that cannot be read, or has a password in it. It is not repeated.
func checkURL(raw string) error {
	o, err := keyspace.ParseURL(raw)
	if err != nil {
		return err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return keyspace.ErrURL
	}
	if _, has := u.User.Password(); o.Password != "" || has {
		return fmt.Errorf("there is a password in it, and a file is no place for one; " +
			"write user = \"NAME\" besides, and set REDISCLI_AUTH, or give --askpass, or write password-command = [\"PROGRAM\", \"ARGUMENT\"]")
	}
	return nil
}

// place looks at what a profile says of its server as a whole.
func (r *reader) place(p *Profile) {
	first := ""
	for _, name := range []string{"url", "socket", "host", "port"} {
		switch v := p.Of(name); {
		case v == nil || first == "host" && name == "port":
		case first != "":
			r.add(v.Line, "%s and %s both name the server; keep one of them", first, name)
		default:
			first = name
		}
	}
	secure := p.Of("tls") != nil && p.Of("tls").List[0] == "true"
	if u := p.Of("url"); u != nil {
		secure = secure || slices.ContainsFunc(u.List, func(raw string) bool {
			o, err := keyspace.ParseURL(raw)
			return err == nil && o.TLS != nil
		})
	}
	for _, name := range []string{"cacert", "cert", "key", "sni", "insecure"} {
		if v := p.Of(name); v != nil && !secure {
			r.add(v.Line, "%s is about TLS, which is off; write tls = true, or a url that begins with rediss://", name)
		}
	}
	if v := p.Of("sentinel-user"); v != nil && p.Of("sentinel") == nil {
		r.add(v.Line, `sentinel-user is for sentinels, and there are none; write sentinel = "MASTER" too`)
	}
	if p.PasswordCommand != nil && !p.HasPlace() {
		r.add(p.lines[namePassword], `password-command says the password of a server, and the profile names none; write url = "redis://HOST" too`)
	}
}

// HasPlace says whether a profile names a server of its own.
func (p *Profile) HasPlace() bool {
	return slices.ContainsFunc(ServerFlags(), func(name string) bool { return p.Of(name) != nil })
}

// ServerFlags are the flags of which each names a server.
func ServerFlags() []string { return []string{"url", "socket", "host", "port", "sentinel"} }

// limits are the thresholds by their names; each sets its own.
var limits = map[string]func(t *inspector.Thresholds) *time.Duration{
	"long-lease":      func(t *inspector.Thresholds) *time.Duration { return &t.LongLease },
	"renewed-forever": func(t *inspector.Thresholds) *time.Duration { return &t.RenewedForever },
	"lost-for":        func(t *inspector.Thresholds) *time.Duration { return &t.LostFor },
	"settles":         func(t *inspector.Thresholds) *time.Duration { return &t.Settles },
}

// aboutToLapse is the one that is a part of a lease.
const aboutToLapse = "about-to-lapse"

// thresholds reads the limits at which a lock becomes a finding.
func (r *reader) thresholds(p *Profile, e entry) {
	if e.sub == nil {
		r.add(e.line, `thresholds is a table of limits; write [thresholds], or [profile.NAME.thresholds], and below it long-lease = "2h"`)
		return
	}
	names := slices.Sorted(maps.Keys(limits))
	names = append([]string{aboutToLapse}, names...)
	for _, limit := range e.sub.entries {
		field, is := limits[limit.name]
		switch {
		case limit.name == aboutToLapse:
			part, ok := limit.value.(float64)
			if !ok || !(part > 0 && part < 1) {
				r.add(limit.line, "thresholds: %s is a part of the lease, more than 0 and less than 1; write %s = 0.2", limit.name, limit.name)
				continue
			}
			p.Thresholds.AboutToLapse = part
		case !is:
			r.add(limit.line, "thresholds: there is no limit %s", offered(limit.name, names))
		default:
			word, _ := limit.value.(string)
			span, err := time.ParseDuration(word)
			if err != nil || span <= 0 {
				said := ""
				if word != "" {
					said = fmt.Sprintf(" %q is none;", text.Escape(word))
				}
				r.add(limit.line, `thresholds: %s takes a time that is longer than nothing;%s write %s = "30s", or with ms, m or h`, limit.name, said, limit.name)
				continue
			}
			*field(&p.Thresholds) = span
		}
	}
}

// merged are the limits of a profile, and where it has none those of all.
func merged(all, own inspector.Thresholds) inspector.Thresholds {
	for _, field := range limits {
		if *field(&own) == 0 {
			*field(&own) = *field(&all)
		}
	}
	if own.AboutToLapse == 0 {
		own.AboutToLapse = all.AboutToLapse
	}
	return own
}
