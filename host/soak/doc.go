// Package soak holds tests of engine and stores together: what a client was
// told is stored survives kills and other writers, a plain reference predicts
// what a bank shows, banks do not meet, and what was deleted is gone from the
// disk. Each has a short form that always runs; LEANMEM_SOAK=1 (./build.sh soak)
// asks for the long one. It has no code of its own.
package soak
