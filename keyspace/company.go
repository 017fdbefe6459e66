package keyspace

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"
)

// maxCompanions is how many keys are read beside one.
const maxCompanions = 64

// companyOf is what belongs to one record; its keys begin at a place in what was read of all.
type companyOf struct {
	Company
	of        *Record
	at        int
	listening map[string]int64
}

// readTogether reads one batch, and then what belongs to its keys.
func (c *Connection) readTogether(ctx context.Context, companions Companions, keys []string) ([]Record, error) {
	records, err := c.readBatch(ctx, keys)
	if err != nil || companions == nil {
		return records, err
	}
	var (
		beside    []string // of all records, one after the other
		companies []companyOf
	)
	for i := range records {
		if !records[i].Exists() {
			continue
		}
		company := companions.Of(records[i])
		company.Keys = company.Keys[:min(len(company.Keys), maxCompanions)]
		if records[i].open = company.Open; !company.empty() {
			companies = append(companies, companyOf{Company: company, of: &records[i], at: len(beside)})
			beside = append(beside, company.Keys...)
		}
	}
	if len(companies) == 0 {
		return records, nil
	}
	var read []Record
	readBeside := c.readBatch
	if c.beside != nil {
		readBeside = c.beside
	}
	for batch := range slices.Chunk(beside, readBatch) {
		more, err := readBeside(ctx, batch)
		if err != nil {
			return nil, err
		}
		read = append(read, more...)
	}
	if err := c.readChannels(ctx, companies); err != nil {
		return nil, err
	}
	var open []string
	for _, company := range companies {
		if company.Open {
			open = append(open, company.of.Key)
		}
	}
	var subscribers map[string]int64
	if len(open) > 0 {
		if err := c.listChannels(ctx, companions, listenEvery); err != nil {
			return nil, err
		}
		if subscribers, err = c.openChannels(ctx, open); err != nil {
			return nil, err
		}
	}
	for _, company := range companies {
		if err := c.attach(ctx, company, read[company.at:company.at+len(company.Keys)], subscribers); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// attach puts together what belongs to a record. Subscribers are those of open channels.
func (c *Connection) attach(ctx context.Context, company companyOf, keys []Record, subscribers map[string]int64) error {
	r := company.of
	for _, k := range keys {
		if k.Type == TypeNone || k.Type == typeElsewhere {
			continue
		}
		if slices.Contains(company.Present, k.Key) { // only that it is there, and what it is
			k.Value, k.Truncated = Value{}, true
		}
		r.Companions = append(r.Companions, k)
	}
	for _, channel := range company.Channels {
		if n, known := company.listening[channel]; known {
			r.Companions = append(r.Companions, Record{Ref: c.ref(channel), Type: TypeChannel, Size: n, ReadAt: r.ReadAt})
		}
	}
	if company.Open {
		plain, sharded := c.listing.of(r.Key)
		for _, name := range slices.Concat(plain, sharded) {
			n := subscribers[name]
			if n > 0 && !slices.ContainsFunc(r.Companions, func(c Record) bool { return c.Key == name }) {
				r.Companions = append(r.Companions, Record{Ref: c.ref(name), Type: TypeChannel, Size: n, ReadAt: r.ReadAt})
			}
		}
	}
	if len(company.Commands) == 0 {
		return nil
	}
	counts, known, err := c.blockedClients(ctx)
	if err != nil || !known {
		return err
	}
	for _, command := range company.Commands {
		r.Companions = append(r.Companions, Record{Ref: c.ref(command), Type: TypeClients, Size: counts[command], ReadAt: r.ReadAt})
	}
	return nil
}

func (c *Connection) ref(key string) Ref { return Ref{Node: c.Node(), DB: c.options.DB, Key: key} }

// readChannels asks who listens on the channels of some records: plain subscribers, and those of sharded channels. What the
// server does not know, or denies, is not asked again.
func (c *Connection) readChannels(ctx context.Context, companies []companyOf) error {
	if c.noNumSub.Load() {
		return nil
	}
	type question struct {
		company        *companyOf
		plain, sharded *redis.MapStringIntCmd
	}
	var asked []question
	pipe := c.reader.Pipeline()
	for i := range companies {
		company := &companies[i]
		if len(company.Channels) == 0 {
			continue
		}
		q := question{company: company, plain: pipe.PubSubNumSub(ctx, company.Channels...)}
		if !c.noShardNumSub.Load() {
			q.sharded = pipe.PubSubShardNumSub(ctx, company.Channels...)
		}
		asked = append(asked, q)
	}
	if len(asked) == 0 {
		return nil
	}
	if err := exec(ctx, pipe); err != nil {
		return err
	}
	for _, q := range asked {
		if q.plain.Err() != nil {
			c.noNumSub.Store(true)
			return nil
		}
		q.company.listening = q.plain.Val()
		if q.sharded == nil {
			continue
		}
		if q.sharded.Err() != nil {
			c.noShardNumSub.Store(true)
			continue
		}
		for channel, n := range q.sharded.Val() {
			q.company.listening[channel] += n
		}
	}
	return nil
}
