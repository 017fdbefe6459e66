package demo
import ("testing";"time";"fmt")
func TestProbeRedlock(t *testing.T) {
	for _, variant := range []string{"restart","clock","delayed-restart","node-dies"} {
	t.Run(variant, func(t *testing.T){
	t.Parallel()
	d := begin(t, Options{Scenario: "redlock", Variant: variant, Server: ServerEmbedded, Seed: 7, Speed: testSpeed})
	i := inspect(t, d)
	began := time.Now()
	seen := map[string]bool{}
	for time.Since(began) < 15*time.Second {
		for _, l := range i.Latest().Locks { for _, f := range l.Findings {
			k := l.Key+" "+string(f.Code)+" "+string(f.Severity)
			if !seen[k] { seen[k]=true; fmt.Println(variant, time.Since(began).Round(time.Millisecond), k, f.Text) }
		}}
		time.Sleep(5*time.Millisecond)
	}
	ev,_ := i.EventsSince(0)
	for _, e := range ev { if e.Kind=="lost" || e.Kind=="deleted" { fmt.Println(variant, "EVENT", e.Kind, e.Key, e.Text) } }
	fmt.Println(d.Verdict().Text)
	})}
}
