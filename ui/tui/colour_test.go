package tui

import (
	"math"
	"strconv"
	"strings"
)

// colour is an sRGB colour, each part from 0 to 1.
type colour [3]float64

func hex(rgb int) colour {
	return colour{float64(rgb>>16&0xff) / 255, float64(rgb>>8&0xff) / 255, float64(rgb&0xff) / 255}
}

// palette16 is what a terminal makes of the 16 ANSI colours.
type palette16 struct {
	name   string
	colour [16]int
	// ground and ink are those of a dark terminal, the others of a light one.
	ground, ink, lightGround, lightInk int
}

// palettes are those of terminals that many people have as they came:
// xterm's from XTerm-col.ad, VGA's from the Linux console (drivers/tty/vt/vt.c, default_red and so on), and Campbell, the
// one of Windows, from the ColorTool repository (schemes/campbell.ini).
var palettes = []palette16{
	{"xterm", [16]int{
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	}, 0x000000, 0xe5e5e5, 0xffffff, 0x000000},
	{"VGA", [16]int{
		0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
		0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
	}, 0x000000, 0xaaaaaa, 0xffffff, 0x000000},
	{"Campbell", [16]int{
		0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc,
		0x767676, 0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
	}, 0x0c0c0c, 0xcccccc, 0xffffff, 0x0c0c0c},
}

// of is a colour of the palette, or of the 256 that all terminals share: a cube of 6x6x6, and 24 greys.
func (p palette16) of(n int) colour {
	levels := [6]int{0, 95, 135, 175, 215, 255}
	switch {
	case n < 16:
		return hex(p.colour[n])
	case n < 232:
		n -= 16
		return hex(levels[n/36]<<16 | levels[n/6%6]<<8 | levels[n%6])
	default:
		grey := 8 + 10*(n-232)
		return hex(grey<<16 | grey<<8 | grey)
	}
}

// drawn is what a terminal draws for an SGR sequence. That bold is brighter in some of them is not counted on. Faint is
// halfway to the ground: Windows Terminal and iTerm2 do it so, others stay nearer to the colour.
func (p palette16) drawn(sgr string, light bool) (ink, ground colour) {
	ink, ground = hex(p.ink), hex(p.ground)
	if light {
		ink, ground = hex(p.lightInk), hex(p.lightGround)
	}
	under := ground
	faint, reverse := false, false
	fields := strings.Split(strings.TrimSuffix(strings.TrimPrefix(sgr, "\x1b["), "m"), ";")
	for i := 0; i < len(fields) && sgr != ""; i++ {
		n, err := strconv.Atoi(fields[i])
		switch {
		case err != nil:
			panic("no number in " + strconv.Quote(sgr))
		case n == 1 || n == 4:
		case n == 2:
			faint = true
		case n == 7:
			reverse = true
		case n >= 30 && n <= 37:
			ink = p.of(n - 30)
		case n >= 90 && n <= 97:
			ink = p.of(n - 90 + 8)
		case n == 38 && fields[i+1] == "5":
			of, err := strconv.Atoi(fields[i+2])
			if err != nil {
				panic(err)
			}
			ink = p.of(of)
			i += 2
		default:
			panic("a style that the test does not know: " + strconv.Quote(sgr))
		}
	}
	if faint {
		for i := range ink {
			ink[i] = (ink[i] + under[i]) / 2
		}
	}
	if reverse {
		ink, ground = ground, ink
	}
	return ink, ground
}

func linear(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func companded(c float64) float64 {
	c = min(max(c, 0), 1)
	if c <= 0.0031308 {
		return 12.92 * c
	}
	return 1.055*math.Pow(c, 1/2.4) - 0.055
}

func luminance(c colour) float64 {
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast is WCAG's, from 1 to 21.
func contrast(a, b colour) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// sight is how somebody sees, as a matrix on linear RGB. Those of colour-blind people are of Machado, Oliveira and
// Fernandes (2009), "A Physiologically-based Model for Simulation of Color Vision Deficiency", at severity 1.0.
type sight [9]float64

var (
	common       = sight{1, 0, 0, 0, 1, 0, 0, 0, 1}
	protanopia   = sight{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}
	deuteranopia = sight{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}
	tritanopia   = sight{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}
)

func (s sight) of(c colour) colour {
	r, g, b := linear(c[0]), linear(c[1]), linear(c[2])
	var seen colour
	for i := range seen {
		seen[i] = companded(s[3*i]*r + s[3*i+1]*g + s[3*i+2]*b)
	}
	return seen
}

// lab is a colour in CIELAB under D65.
func lab(c colour) (l, a, b float64) {
	red, green, blue := linear(c[0]), linear(c[1]), linear(c[2])
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*red + 0.3575761*green + 0.1804375*blue) / 0.95047)
	y := f(0.2126729*red + 0.7151522*green + 0.0721750*blue)
	z := f((0.0193339*red + 0.1191920*green + 0.9503041*blue) / 1.08883)
	return 116*y - 16, 500 * (x - y), 200 * (y - z)
}

// difference is CIEDE2000: 1 can just be seen side by side, and from some 10 on two colours are told apart at a glance.
func difference(p, q colour) float64 {
	const degree = math.Pi / 180
	l1, a1, b1 := lab(p)
	l2, a2, b2 := lab(q)
	high := func(c float64) float64 { return math.Sqrt(math.Pow(c, 7) / (math.Pow(c, 7) + math.Pow(25, 7))) }
	stretch := 1 + (1-high((math.Hypot(a1, b1)+math.Hypot(a2, b2))/2))/2
	a1, a2 = a1*stretch, a2*stretch
	c1, c2 := math.Hypot(a1, b1), math.Hypot(a2, b2)
	hue := func(a, b float64) float64 {
		h := math.Atan2(b, a) / degree
		if h < 0 {
			h += 360
		}
		return h
	}
	h1, h2 := hue(a1, b1), hue(a2, b2)
	turn, between := h2-h1, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		turn, between = 0, h1+h2
	case turn > 180:
		turn -= 360
		between -= math.Copysign(180, between-180)
	case turn < -180:
		turn += 360
		between -= math.Copysign(180, between-180)
	}
	lightness, chroma := (l1+l2)/2, (c1+c2)/2
	t := 1 - 0.17*math.Cos((between-30)*degree) + 0.24*math.Cos(2*between*degree) +
		0.32*math.Cos((3*between+6)*degree) - 0.20*math.Cos((4*between-63)*degree)
	byLightness := (l2 - l1) / (1 + 0.015*(lightness-50)*(lightness-50)/math.Sqrt(20+(lightness-50)*(lightness-50)))
	byChroma := (c2 - c1) / (1 + 0.045*chroma)
	byHue := 2 * math.Sqrt(c1*c2) * math.Sin(turn/2*degree) / (1 + 0.015*chroma*t)
	nearBlue := (between - 275) / 25
	rotation := -2 * high(chroma) * math.Sin(60*degree*math.Exp(-nearBlue*nearBlue))
	return math.Sqrt(byLightness*byLightness + byChroma*byChroma + byHue*byHue + rotation*byChroma*byHue)
}
