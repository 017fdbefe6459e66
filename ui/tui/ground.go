package tui

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/cancelreader"
	"golang.org/x/term"

	"locktop/ui/tui/unasked"
)

func init() { unasked.Restore() } // Bubble Tea is initialised now

// groundPatience is how long the terminal may take to say what its ground is. Those that know answer within a few
// milliseconds; the others never do.
const groundPatience = 100 * time.Millisecond

// askGround asks for the colour of the ground (OSC 11).
const askGround = "\x1b]11;?\x1b\\"

// groundAnswer is what terminals answer: 1 to 4 hexadecimal digits for each of red, green and blue.
var groundAnswer = regexp.MustCompile(`\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})`)

// darkGround says whether the terminal's ground is dark; so it is where nothing tells. It may block for as long as groundPatience.
func darkGround(in, out *os.File) bool {
	if fields := strings.Split(os.Getenv("COLORFGBG"), ";"); len(fields) > 1 {
		n, err := strconv.Atoi(fields[len(fields)-1])
		return err != nil || n != 7 && n < 9 // of the 16 colours: white, and the bright ones but grey
	}
	name := os.Getenv("TERM")
	if runtime.GOOS == "windows" || name == "" || strings.HasPrefix(name, "dumb") || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") ||
		!term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return true // it is not known to answer
	}
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return true
	}
	defer term.Restore(int(in.Fd()), state) //nolint:errcheck // it was just as well set
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		return true
	}
	defer reader.Close()
	if _, err := out.WriteString(askGround); err != nil {
		return true
	}
	defer time.AfterFunc(groundPatience, func() { reader.Cancel() }).Stop()
	var answer []byte
	for buffer := make([]byte, 256); len(answer) < 4096; {
		n, err := reader.Read(buffer)
		if answer = append(answer, buffer[:n]...); err != nil {
			return true
		}
		if dark, known := isDark(answer); known {
			return dark
		}
	}
	return true
}

// isDark says whether the colour that a terminal answered is nearer to black than to white.
func isDark(answer []byte) (dark, known bool) {
	found := groundAnswer.FindSubmatchIndex(answer)
	if found == nil || found[1] == len(answer) { // its last digits may be still to come
		return false, false
	}
	least, most := 1.0, 0.0
	for i := 2; i < len(found); i += 2 {
		digits := string(answer[found[i]:found[i+1]])
		n, err := strconv.ParseUint(digits, 16, 16)
		if err != nil {
			return false, false
		}
		share := float64(n) / float64(uint64(1)<<(4*len(digits))-1)
		least, most = min(least, share), max(most, share)
	}
	return (least+most)/2 < 0.5, true
}

// lateAnswer drops the terminal's answer where it comes after groundPatience, as over a slow line. Bubble Tea takes it for keys:
// alt and "]", then "11;rgb:1e1e/1e1e/1e1e" in one piece or in several, and then ctrl-g or alt and "\".
type lateAnswer struct{ within bool }

// drop says whether a message is a part of an answer.
func (l *lateAnswer) drop(msg tea.Msg) bool {
	key, is := msg.(tea.KeyMsg)
	if !is {
		return false
	}
	typed := string(key.Runes)
	switch {
	case key.Type == tea.KeyRunes && key.Alt && typed == "]":
		l.within = true
		return true
	case !l.within:
		return false
	case key.Type == tea.KeyCtrlG, key.Alt && typed == `\`:
		l.within = false
		return true
	case key.Type == tea.KeyRunes && !key.Alt && strings.Trim(typed, "0123456789abcdefABCDEFrg;:/") == "":
		return true
	}
	l.within = false
	return false
}
