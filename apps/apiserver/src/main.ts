#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// This file must not contain imports or syntax that older versions of Node reject. Otherwise these versions would not reach the version
// check below.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`keelson: needs Node 22.12 or newer; this is Node ${process.versions.node}, ${process.execPath}\n`)
  process.exit(1)
}

// Adds a listener for SIGUSR1. By default, the signal opens Node's inspector, which exposes all keys of the cluster to every process of
// this user. The option `--disable-sigusr1` would work earlier, but Node before 22.14 does not start with it.
process.on('SIGUSR1', () => {})

// Disables pretenuring in V8. While writes wait for the disk, their objects survive garbage collections. V8 then allocates all objects of
// the same code in the old generation, which only a full collection cleans up. That would make a GET a third slower.
setFlagsFromString('--no-allocation-site-pretenuring')
// Makes V8 optimize functions after 1,000 calls instead of 3,000. A write calls hundreds of functions once each, so the server reaches full
// speed after 10,000 writes instead of 60,000. V8 of Node 22 does not have the flag.
const engine = Number.parseInt(process.versions.v8, 10)
if (engine >= 13) setFlagsFromString('--invocation-count-for-turbofan=1000')
// Disables V8's optimizing compilers during the start. Most code of a start runs only once. Optimizing the rest would take a fifth of the
// processor time, and would leave 6 MB in the compiler's threads. The young generation does not grow either, because its 10 MB would stay
// until the next full collection. A start that takes longer than this time reads much data, which is faster with optimized code.
const longestUnoptimizedMs = 3000
function setStarting(isStarting: boolean): void {
  if (engine >= 13) for (const compiler of ['maglev', 'turbofan']) setFlagsFromString(`--${isStarting ? 'no-' : ''}${compiler}`)
  setFlagsFromString(`--semi-space-growth-factor=${isStarting ? 1 : 2}`)
}
setStarting(true)
setTimeout(setStarting, longestUnoptimizedMs, false).unref()
// Disables V8's memory reducer. After half a minute without work, it would release as much as it can, including compiled code. The first
// writes after a pause would then be as slow as after a start. `idle-memory.ts` releases memory instead.
if (engine >= 14) setFlagsFromString('--memory-reducer-delay-ms=1000000000')
// Enables the compile cache before other code is loaded, so that all code comes from the cache.
module.enableCompileCache()
const { main } = await import('./main-program.ts')
await main(process.argv.slice(2))
setStarting(false)
