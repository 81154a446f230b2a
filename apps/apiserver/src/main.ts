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

// While writes wait for the disk, the engine sees their objects grow old, and from then on puts all that the same code makes among the old ones,
// where only a full collection finds what is garbage: a GET then costs a third more.
setFlagsFromString('--no-allocation-site-pretenuring')
// A write passes through hundreds of functions once each. With the usual 3,000 calls before the engine compiles one as well as it can, a server is
// at its best after 60,000 writes; so it is after 10,000. The engine of Node 22 does not know the flag, or has nothing in between.
const engine = Number.parseInt(process.versions.v8, 10)
if (engine >= 13) setFlagsFromString('--invocation-count-for-turbofan=1000')
// After half a minute without much to do the engine would give back all it can, compiled code too: the first writes after a pause then took as long as
// after a start. Memory is given back by ourselves (`idle-memory.ts`).
if (engine >= 14) setFlagsFromString('--memory-reducer-delay-ms=1000000000')
// Before anything else is loaded, so that everything else comes from the cache.
module.enableCompileCache()
const { main } = await import('./main-program.ts')
await main(process.argv.slice(2))
