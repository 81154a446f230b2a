#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// While writes wait for the disk, the engine sees their objects grow old, and from then on puts all that the same code makes among the old ones,
// where only a full collection finds what is garbage: a GET then costs a third more.
setFlagsFromString('--no-allocation-site-pretenuring')
// Before anything else is loaded, so that everything else comes from the cache. Absent on Node 20.
module.enableCompileCache?.()
const { main } = await import('./main-program.ts')
await main(process.argv.slice(2))
