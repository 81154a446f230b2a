#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// This file stays free of imports and syntax that an older Node does not read: it has to get as far as this line there.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`keelson: needs Node 22.12 or newer; this is Node ${process.versions.node}, ${process.execPath}\n`)
  process.exit(1)
}

// SIGUSR1 would open Node's inspector, and with it all keys of the cluster, to every process of this user. A listener takes the signal away from it;
// `--disable-sigusr1` does so even before this line, but a Node before 22.14 does not start with it.
process.on('SIGUSR1', () => {})

// While writes wait for the disk, their objects survive collections. The engine then allocates all objects of the same code in the old generation,
// which only a full collection cleans up: a GET takes a third more time.
setFlagsFromString('--no-allocation-site-pretenuring')
// A write calls hundreds of functions once each. With the default of 3,000 calls before the engine optimizes a function, a server reaches full speed
// after 60,000 writes; with 1,000 after 10,000. The engine of Node 22 does not have the flag.
const engine = Number.parseInt(process.versions.v8, 10)
if (engine >= 13) setFlagsFromString('--invocation-count-for-turbofan=1000')
// After half a minute of idleness the engine would release all it can, compiled code too: the first writes after a pause would take as long as after a
// start. `idle-memory.ts` releases memory instead.
if (engine >= 14) setFlagsFromString('--memory-reducer-delay-ms=1000000000')
// Before anything else is loaded, so that everything else comes from the cache.
module.enableCompileCache()
const { main } = await import('./main-program.ts')
await main(process.argv.slice(2))
