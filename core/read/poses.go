package read

import (
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/mem"
)

// poses reports a line within a turn that reads like a line of the evidence: of
// somebody who speaks in the bank or of a role, a day, or a section's header.
// Others keep their own line, indented.
func (ix *index) poses(line string) bool {
	if i := strings.IndexAny(line, ":："); i >= 0 {
		name := strings.TrimSpace(line[:i])
		if containsFold(ix.speakers, name) {
			return true
		}
		switch mem.Role(strings.ToLower(name)) {
		case mem.RoleUser, mem.RoleAssistant, mem.RoleTool, mem.RoleSystem, "human":
			return true
		}
		return false
	}
	switch line {
	case profilesHeader, eventsHeader, recordsHeader, unsureLine:
		return true
	}
	_, err := time.Parse("2 January 2006", line)
	return err == nil
}
