// Package servertest starts database servers for tests, where their binaries
// are found, and kills and restarts them as tests like. It works where processes
// are killed by signals.
package servertest
