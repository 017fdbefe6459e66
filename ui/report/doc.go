// Package report says what is known of locks in forms that leave the program: JSON, and incident reports in Markdown. Both faces use
// it. Whatever comes from Redis is hostile here as well: JSON has no character that moves a terminal, and no key breaks out of the
// place that it has in a Markdown page.
package report
