// Command plugin is leanmem as an Extism plugin for WASI. One source makes two
// artefacts, for a host refuses a plugin whose imports it cannot supply:
//
//	leanmem.wasm       (no tag)      one export a verb; effects are host functions
//	                                 imported from extism:host/user, which block
//	leanmem-step.wasm  (-tags step)  the exports begin, resume and cancel; effects
//	                                 are returned and their results handed in;
//	                                 direct.go has the same steps for a host that
//	                                 reads and writes the plugin's memory itself
//
// Other exports take no parameters: the message is the Extism input, the answer
// the output. They return 0, or 1 with the error {"code","message","retryable"}
// set.
// testdata/abi.json describes every one of them. The plugin reads no clock, no
// randomness, no file and no network, and uses no Extism variables.
//
// Build both with
//
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -ldflags="-s -w" -o leanmem.wasm ./plugin
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -ldflags="-s -w" -tags step -o leanmem-step.wasm ./plugin
package main

// main is not run: a host calls _initialize and then the exports.
func main() {}
