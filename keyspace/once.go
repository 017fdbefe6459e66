package keyspace

import "time"

// retriesOnce is how many connections of the pool may turn out to be dead, and one new one.
const retriesOnce = readersAtOnce + 1

// retryOnce begins the one look of [ObserveOptions.Once] anew, where it failed by what another connection may mend at once;
// false: it is not to be mended. Half a look cannot go on, since the server may have been started again meanwhile.
func (f *feed) retryOnce(err error) bool {
	if isTimeout(err) || isAnswer(err) || isRefusal(err) || f.retries == retriesOnce {
		return false
	}
	f.retries++
	f.startOver("a connection was lost")
	return true
}

// giveUp makes the error the feed's last word. Nobody watches a look that is made once, so that there is no sense in waiting
// for the server to come back.
func (f *feed) giveUp(err error) {
	f.status.Connected, f.status.StaleSince, f.status.TimedOut = false, time.Now(), isTimeout(err)
	f.status.Err = lostError(f.connection.options, err).Error()
	f.pass = nil
	f.say()
}
