package keyspace

// Companions say which keys and channels belong together. The methods must be pure and quick, and may be called from
// several goroutines.
type Companions interface {
	// Of names what belongs to the key of a record, which was read without it.
	Of(Record) Company
	// Owners names the keys to which a key or a channel of this name may belong: they are read again when something
	// happens to it. It is called for every hint, and is to return nil at once for most.
	Owners(name string) []string
	// Channels are globs of the channels whose subscribers matter.
	Channels() []string
	// Announcements are globs of the channels on which clients say that they released a key. The
	// server sends every message on them, so they match as little as possible.
	Announcements() []string
	// Announced returns the keys that such a message may be about. It is called for each message.
	Announced(channel, message string) []string
}

// Company is what belongs to one key.
type Company struct {
	// Keys may be there or not. Of those that are in Present as well only the type is kept, for their content does not matter.
	Keys, Present []string
	// Channels are those on which clients listen that wait for the key, and Commands those in which they may be blocked, in
	// lower case ("blpop").
	Channels, Commands []string
	// Open says that clients may listen on other channels as well, which are only told by being listened to: those of
	// [Companions.Channels] to which [Companions.Owners] gives this key.
	Open bool
}

// empty reports whether nothing belongs to the key.
func (c Company) empty() bool { return !c.Open && len(c.Keys)+len(c.Channels)+len(c.Commands) == 0 }
