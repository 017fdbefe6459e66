package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/demo"
)

// showing is what "demo" is told.
type showing struct {
	server  connecting
	url     string
	look    observing
	draw    screen
	kind    string
	options demo.Options
	span    time.Duration
	list    bool
	serve   bool
	output  string // of --list and --serve
}

// newDemo opens the dashboard over workers that contend.
func (a *app) newDemo() *cobra.Command {
	var d showing
	cmd := &cobra.Command{
		Use:   "demo [SCENARIO] [flags]",
		Short: "the dashboard over workers that contend for real locks, with no Redis needed",
		Long: `Demo starts a Redis of its own, or an embedded server where none is installed, sets real workers to contend for locks on
it, and opens the dashboard over them. Everything stops and is removed at the end.

With --url it runs on a server that is there already, under the reserved prefix ` + demo.Prefix + `, and cleans up after itself.
Only a demo that is killed (kill -9) leaves its keys there, some of them without a TTL; this shows them:
  redis-cli --scan --pattern '` + demo.Prefix + `*'`,
		Example: `  locktop demo                             contention
  locktop demo --list                      the scenarios
  locktop demo crash --seed 7 --speed 2    the same dice each time, twice as fast
  locktop demo token --variant bare-del    one of its ways of locking only
  locktop demo storm --workers 2000 --locks 5000
  locktop demo pause --serve --for 20s     no dashboard: print the URL, for another locktop or redis-cli, and the verdict`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("one scenario at a time, not %d", len(args))
			}
			if len(args) == 1 && scenarioNamed(args[0]) < 0 {
				return usage("there is no scenario %q: there are %s", args[0], strings.Join(scenarios(), ", "))
			}
			return nil
		},
		ValidArgs: scenarios(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				d.options.Scenario = args[0]
			}
			return a.demo(cmd, &d)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&d.list, "list", false, "list the scenarios, or describe the one that is named")
	flags.BoolVar(&d.serve, "serve", false, "no dashboard: print the server's URL, and at the end the verdict")
	flags.VarP(newChoice(&d.output, "text", "text", "json"), "output", "o", "of --list and --serve")
	chosen(cmd, "output", "text", "json")
	flags.StringVar(&d.options.Variant, "variant", "", "play only this `NAME` of the scenario's variants")
	flags.IntVar(&d.options.Workers, "workers", 0, "`NUMBER` of workers of the scenario storm")
	flags.IntVar(&d.options.Locks, "locks", 0, "`NUMBER` of locks of the scenario storm")
	addSpan(cmd, &d.span)
	flags.Uint64Var(&d.options.Seed, "seed", 0, "`NUMBER` that settles the dice; 0: from the clock")
	flags.Float64Var(&d.options.Speed, "speed", 1, "`FACTOR`; 2 is twice as fast as real time")
	flags.Var(newChoice(&d.kind, "auto", "auto", "embedded", "redis"), "server", "a redis-server on PATH, or the embedded one")
	chosen(cmd, "server", "auto", "embedded", "redis")
	addGroup(cmd, groupServer, func(set *pflag.FlagSet) {
		set.StringVarP(&d.url, "url", "u", "", "`URL` of a server to run on, under the prefix "+demo.Prefix)
		d.server.addSecrets(set)
	})
	d.look.add(cmd)
	d.draw.add(cmd)
	addGroup(cmd, groupProfile, addConfigFile)
	return cmd
}

// scenarios are their names.
func scenarios() []string {
	var names []string
	for _, s := range demo.Scenarios() {
		names = append(names, s.Name)
	}
	return names
}

// scenarioNamed is where a scenario is in the list, or -1.
func scenarioNamed(name string) int { return slices.Index(scenarios(), name) }

// demo runs a scenario.
func (a *app) demo(cmd *cobra.Command, d *showing) error {
	if cmd.Flags().Changed("output") && !d.list && !d.serve {
		return usage("--output belongs to --list or --serve: the dashboard has a look of its own")
	}
	if d.list {
		return a.listScenarios(d)
	}
	if err := errors.Join(d.look.check(), d.draw.check(), checkSpan(d.span), d.checkScenario(cmd)); err != nil {
		return err
	}
	if speed := d.options.Speed; math.IsNaN(speed) || speed <= 0 || speed > 100 {
		return usage("--speed %v: give more than 0 and at most 100", d.options.Speed)
	}
	if err := a.demoTarget(cmd, d); err != nil {
		return err
	}
	ctx, cancel := limit(cmd.Context(), d.span)
	defer cancel()
	running, err := startDemo(ctx, d.options)
	if err != nil {
		return failed("starting the demo: %w", err)
	}
	if d.serve {
		err = a.serve(ctx, d, running)
	} else {
		d.look.thresholds = running.Thresholds()
		err = a.dashboard(ctx, running.Place(), &d.look, &d.draw, face{where: running.ServerName(), play: play{running}})
	}
	closed := running.Close()
	if err != nil {
		return errors.Join(err, closed)
	}
	return errors.Join(closed, a.sayVerdict(d, running)) // what the workers did stands, also where what they left stays
}

// checkScenario looks whether the scenario has what is asked of it.
func (d *showing) checkScenario(cmd *cobra.Command) error {
	scenario := demo.Scenarios()[max(scenarioNamed(d.options.Scenario), 0)]
	for flag, asked := range map[string]int{"workers": d.options.Workers, "locks": d.options.Locks} {
		switch {
		case !cmd.Flags().Changed(flag):
		case scenario.Name != demo.Storm:
			return usage("--%s is for the scenario %s: %s has its own", flag, demo.Storm, scenario.Name)
		case asked < 1:
			return usage("--%s %d: give at least 1", flag, asked)
		}
	}
	if d.options.Variant == "" {
		return nil
	}
	var names []string
	for _, v := range scenario.Variants {
		names = append(names, v.Name)
	}
	if !slices.Contains(names, d.options.Variant) {
		return usage("%s has no variant %q: there are %s", scenario.Name, d.options.Variant, strings.Join(names, ", "))
	}
	return nil
}

// startDemo starts a demo that outlives the context: its server is to be there until the session on it has ended. Only
// the start itself ends with the context.
func startDemo(ctx context.Context, o demo.Options) (*demo.Demo, error) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, cancel)
	running, err := demo.Start(lasting, o)
	if err != nil {
		cancel()
		return nil, err
	}
	detach()
	return running, nil // cancel is not called: Close ends all that the context is used for
}

// demoTarget makes the options of the server that --url names.
func (a *app) demoTarget(cmd *cobra.Command, d *showing) error {
	d.options.Server = demo.Server(d.kind)
	if d.url == "" && cmd.Flags().Changed("url") { // an unset variable in a script must not become another server
		return usage("--url is empty: name a server, or leave the flag out for a server of its own")
	}
	if d.url == "" {
		for _, flag := range []string{"user", "pass", "askpass", "tls", "cacert", "cert", "key", "sni", "insecure"} {
			if a.onLine(cmd, flag) {
				return usage("--%s belongs to a server of yours: add --url", flag)
			}
		}
		return nil
	}
	if d.kind != string(demo.ServerAuto) {
		return usage("--url and --server both name the server: give one of them")
	}
	d.server.urls = []string{d.url}
	o, err := a.options(cmd, &d.server)
	if err != nil {
		return err
	}
	d.options.Target = &o
	d.look.reserved = demo.Prefix + "*"
	return nil
}

// serve runs the scenario without a dashboard.
func (a *app) serve(ctx context.Context, d *showing, running *demo.Demo) error {
	if err := a.sayReady(d, running); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
