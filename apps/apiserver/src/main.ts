#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// While writes wait for the disk, the engine sees their objects grow old, and from then on puts all that the same code makes among the old ones,
// where only a full collection finds what is garbage: a GET then costs a third more.
setFlagsFromString('--no-allocation-site-pretenuring')
// A write passes through hundreds of functions once each. With the usual 3,000 calls before the engine compiles one as well as it can, a server is
// at its best after 60,000 writes; so it is after 10,000. Older engines (Node 22 and before) do not know the flag, or have nothing in between.
const engine = Number.parseInt(process.versions.v8, 10)
if (engine >= 13) setFlagsFromString('--invocation-count-for-turbofan=1000')
// After half a minute without much to do the engine would give back all it can, compiled code too: the first writes after a pause then took as long as
// after a start. Memory is given back by ourselves (`idle-memory.ts`).
if (engine >= 14) setFlagsFromString('--memory-reducer-delay-ms=1000000000')
// Before anything else is loaded, so that everything else comes from the cache. Absent on Node 20.
module.enableCompileCache?.()
const { main } = await import('./main-program.ts')
await main(process.argv.slice(2))
