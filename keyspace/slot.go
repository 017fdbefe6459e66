package keyspace

import "strings"

// Slots is the number of hash slots of a cluster.
const Slots = 1 << 14

// Slot is the hash slot to which a cluster assigns a key or a sharded channel: by what stands between the first "{" and the
// first "}" after it, if anything does, and else by all of it. The client library has the same, and keeps it to itself.
func Slot(key string) int {
	if _, after, opened := strings.Cut(key, "{"); opened {
		if tag, _, closed := strings.Cut(after, "}"); closed && tag != "" {
			key = tag
		}
	}
	return int(crc16(key)) % Slots
}

// crc16 is the checksum CRC-16/XMODEM, bit by bit: keys are short, and a table of 256 numbers would say less.
func crc16(text string) uint16 {
	const polynomial, highest = 0x1021, 1 << 15
	var sum uint16
	for i := range len(text) {
		sum ^= uint16(text[i]) << 8
		for range 8 {
			carry := sum&highest != 0
			sum <<= 1
			if carry {
				sum ^= polynomial
			}
		}
	}
	return sum
}
