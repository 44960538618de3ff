package prompt

import "encoding/json"

// Reply schemas. They are strict: every key is required and no other allowed,
// as servers that enforce schemas want it.
var (
	scheduleFusedSchema = json.RawMessage(`{"type":"object","properties":{"segments":{"type":"array","items":{"type":"object","properties":{` +
		`"seg":{"type":"integer"},"y":{"type":"string","enum":["ignore","profile","ended","event","record"]},` +
		`"src":{"type":"array","items":{"type":"integer"}},"who":{"type":"string"},"key":{"type":"string"},"value":{"type":"string"},"when":{"type":"string"}},` +
		`"required":["seg","y","src","who","key","value","when"],"additionalProperties":false}}},"required":["segments"],"additionalProperties":false}`)

	scheduleSchema = json.RawMessage(`{"type":"object","properties":{"y":{"type":"string","enum":["ignore","profile","event","record"]},` +
		`"src":{"type":"array","items":{"type":"integer"}},"facts":{"type":"array","items":{"type":"object","properties":{` +
		`"who":{"type":"string"},"key":{"type":"string"},"value":{"type":"string"},"ended":{"type":"boolean"}},` +
		`"required":["who","key","value","ended"],"additionalProperties":false}}},"required":["y","src","facts"],"additionalProperties":false}`)

	eventSchema = json.RawMessage(`{"type":"object","properties":{"who":{"type":"string"},"key":{"type":"string"},"value":{"type":"string"},` +
		`"when":{"type":"string"}},"required":["who","key","value","when"],"additionalProperties":false}`)

	gistSchema = json.RawMessage(`{"type":"object","properties":{"value":{"type":"string"}},"required":["value"],"additionalProperties":false}`)

	evolveSchema = json.RawMessage(`{"type":"object","properties":{"updates":{"type":"array","items":{"type":"object","properties":{` +
		`"seg":{"type":"integer"},"y":{"type":"string","enum":["evidence","revise","extend","new"]},"target":{"type":"integer"}},` +
		`"required":["seg","y","target"],"additionalProperties":false}}},"required":["updates"],"additionalProperties":false}`)

	planSchema = json.RawMessage(`{"type":"object","properties":{"entities":{"type":"array","items":{"type":"string"}},` +
		`"attributes":{"type":"array","items":{"type":"string"}},"times":{"type":"array","items":{"type":"object","properties":{` +
		`"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"],"additionalProperties":false}},` +
		`"relations":{"type":"array","items":{"type":"string"}},"scope":{"type":"string","enum":["fact","list","count","comparison","judgement"]},` +
		`"temporal":{"type":"boolean"},"fidelity":{"type":"boolean"},"assistant":{"type":"boolean"},` +
		`"weights":{"type":"object","properties":{"profile":{"type":"number"},"event":{"type":"number"},"record":{"type":"number"}},` +
		`"required":["profile","event","record"],"additionalProperties":false},` +
		`"depth":{"type":"object","properties":{"profile":{"type":"integer"},"event":{"type":"integer"},"record":{"type":"integer"}},` +
		`"required":["profile","event","record"],"additionalProperties":false}},` +
		`"required":["entities","attributes","times","relations","scope","temporal","fidelity","assistant","weights","depth"],"additionalProperties":false}`)

	answerSchema = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"},"cites":{"type":"array","items":{"type":"string"}},` +
		`"known":{"type":"boolean"}},"required":["answer","cites","known"],"additionalProperties":false}`)
)
