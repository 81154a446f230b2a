#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// This file must not contain imports or syntax that an older Node rejects, because older versions must reach this line.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`keelson: needs Node 22.12 or newer; this is Node ${process.versions.node}, ${process.execPath}\n`)
  process.exit(1)
}

// By default, SIGUSR1 opens Node's inspector, which exposes all keys of the cluster to every process of this user. A listener prevents that.
// `--disable-sigusr1` would do so even before this line, but Node before 22.14 does not start with it.
process.on('SIGUSR1', () => {})

// While writes wait for the disk, their objects survive collections. The engine then allocates all objects of the same code in the old generation, which only a
// full collection cleans up. That would make a GET a third slower.
setFlagsFromString('--no-allocation-site-pretenuring')
// A write calls hundreds of functions once each. By default, the engine optimizes a function after 3,000 calls, so a server would reach full speed after 60,000
// writes; with 1,000, it does after 10,000. The engine of Node 22 does not have the flag.
const engine = Number.parseInt(process.versions.v8, 10)
if (engine >= 13) setFlagsFromString('--invocation-count-for-turbofan=1000')
// Most code of a start runs only once. Optimizing the rest would take a fifth of the processor time, and would leave 6 MB in the compiler's threads. A start that
// takes longer than this reads much data, which is faster with optimized code.
const longestUnoptimizedMs = 3000
function setOptimizing(enabled: boolean): void {
  if (engine >= 13) for (const compiler of ['maglev', 'turbofan']) setFlagsFromString(`--${enabled ? '' : 'no-'}${compiler}`)
}
setOptimizing(false)
setTimeout(setOptimizing, longestUnoptimizedMs, true).unref()
// After half a minute without work, the engine would release all it can, including compiled code. The first writes after a pause would be as slow as after a
// start. `idle-memory.ts` releases memory instead.
if (engine >= 14) setFlagsFromString('--memory-reducer-delay-ms=1000000000')
// The cache must be enabled before other code is loaded, so that all of it comes from the cache.
module.enableCompileCache()
const { main } = await import('./main-program.ts')
await main(process.argv.slice(2))
setOptimizing(true)
