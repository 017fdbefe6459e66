package cli

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"locktop/inspector/recording"
	"locktop/keyspace"
	"locktop/ui/text"
)

// recordFlags say where what is seen is recorded.
type recordFlags struct {
	file  recordFile
	limit size
}

func (r *recordFlags) define(set *pflag.FlagSet) {
	r.limit = recording.DefaultLimit
	set.Var(&r.file, "record", "record everything that is seen into this new `FILE`, for locktop replay; compressed if it ends in .gz")
	set.Var(&r.limit, "record-limit", "end the recording at this `SIZE`, such as 1GB")
}

// recordFile is where a recording goes; empty: there is none.
type recordFile string

func (f *recordFile) String() string { return string(*f) }
func (f *recordFile) Type() string   { return "file" }

// Set refuses what would leave somebody without the recording that was asked for: the empty name of a script's variable that is not set,
// and the standard output, which has the screen or the events.
func (f *recordFile) Set(written string) error {
	switch written {
	case "":
		return errors.New("it names no file")
	case "-":
		return errors.New("the standard output is taken: name a file")
	}
	*f = recordFile(written)
	return nil
}

// size is a number of bytes on the command line.
type size int64

func (s *size) String() string { return strings.ReplaceAll(text.Bytes(int64(*s)), " ", "") }
func (s *size) Type() string   { return "size" }
func (s *size) Set(written string) error {
	digits := strings.TrimRight(strings.ToUpper(strings.ReplaceAll(written, " ", "")), "KMGTB")
	unit := strings.ToUpper(strings.ReplaceAll(written, " ", ""))[len(digits):]
	factor, known := map[string]float64{"": 1, "B": 1, "K": 1e3, "KB": 1e3, "M": 1e6, "MB": 1e6, "G": 1e9, "GB": 1e9, "T": 1e12, "TB": 1e12}[unit]
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || math.IsNaN(n) || n*factor < 1e5 || n*factor > 1e15 {
		return errors.New("give a size from 100kB on, such as 500MB or 1GB")
	}
	*s = size(n * factor)
	return nil
}

// recordingOf is how a recording of these servers is headed.
func (a *app) recordingOf(where string, look *observing) recording.Header {
	return recording.Header{Where: where, Profile: a.profileName(), Environment: a.environment(), Patterns: patternsOf(look.globs())}
}

// record begins a recording of what the session sees, if one is asked for; the end of the session ends it.
func (a *app) record(ctx context.Context, s *session, r *recordFlags, h recording.Header) (*recording.Recorder, error) {
	if r.file == "" {
		return nil, nil
	}
	h.Locktop, h.Started = version(), time.Now()
	w, err := recording.Create(string(r.file), h, int64(r.limit))
	if err != nil {
		return nil, failed("--record: %w", err)
	}
	recorder := recording.Record(context.WithoutCancel(ctx), s.locks, w)
	s.atEnd(func() error {
		err := recorder.Close(endTimeout)
		switch {
		case errors.Is(err, recording.ErrFull):
			a.say("%s ends early: it has reached its limit of %s; --record-limit raises it", r.file, r.limit.String())
			return nil
		case err != nil:
			return failed("--record %s: %w", r.file, err)
		}
		return nil
	})
	return recorder, nil
}

// patternsOf are the globs as they are shown.
func patternsOf(patterns []keyspace.Pattern) []string {
	names := make([]string, 0, len(patterns))
	for _, p := range patterns {
		names = append(names, p.String())
	}
	return names
}
