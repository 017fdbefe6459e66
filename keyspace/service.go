package keyspace

import "strings"

// Service is a managed service that runs a server, as far as the server gives it away.
type Service struct {
	Name string // "ElastiCache"; empty where nothing tells
	// Notifications is how notify-keyspace-events is set there, which has no CONFIG SET, or wants it done so; placeholders are in <>.
	Notifications string
	// hosts are endings of the names of its servers, and in what "os" of INFO has there.
	hosts []string
	os    string
}

// Services are those that are known by name. Memorystore gives itself away by nothing: its servers are addresses.
func Services() []Service {
	const flags = neededFlags + wishedFlags
	aws := func(command string) string {
		return command + " --parameter-name-values 'ParameterName=" + notifySetting + ",ParameterValue=" + flags + "'"
	}
	return []Service{
		{
			Name: "MemoryDB", hosts: []string{".memorydb.amazonaws.com", ".memorydb.amazonaws.com.cn"}, os: "MemoryDB",
			Notifications: aws("aws memorydb update-parameter-group --parameter-group-name <a group of your own>"),
		},
		{
			Name: "ElastiCache", hosts: []string{".cache.amazonaws.com", ".cache.amazonaws.com.cn"}, os: "ElastiCache",
			Notifications: aws("aws elasticache modify-cache-parameter-group --cache-parameter-group-name <a group of your own>"),
		},
		{
			Name: "Azure", hosts: []string{".redis.cache.windows.net", ".redisenterprise.cache.azure.net", ".redis.azure.net"},
			Notifications: "in the portal under advanced settings: " + notifySetting + " " + flags,
		},
		{Name: "Upstash", hosts: []string{".upstash.io"}, Notifications: "CONFIG SET " + notifySetting + " " + flags},
		{
			Name:          "Memorystore",
			Notifications: "gcloud redis instances update <instance> --update-redis-config '" + notifySetting + "=" + flags + "'",
		},
	}
}

// Service is the managed service that runs the server; without a name where it does not say.
func (c *Connection) Service() Service {
	host := strings.ToLower(strings.TrimSuffix(c.options.host(), "."))
	for _, s := range Services() {
		if s.os != "" && strings.Contains(c.server.OS, s.os) {
			return s
		}
		for _, ending := range s.hosts {
			if strings.HasSuffix(host, ending) || regional(host, ending) {
				return s
			}
		}
	}
	return Service{}
}

// regional knows names that have the region within: "x.memorydb.eu-west-1.amazonaws.com".
func regional(host, ending string) bool {
	service, domain, found := strings.Cut(strings.TrimPrefix(ending, "."), ".")
	rest, ends := strings.CutSuffix(host, "."+domain)
	before, region, within := cutLast(rest, ".")
	return found && ends && within && region != "" && strings.HasSuffix(before, "."+service)
}

func cutLast(s, separator string) (before, after string, found bool) {
	at := strings.LastIndex(s, separator)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}
