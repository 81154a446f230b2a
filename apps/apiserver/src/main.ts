#!/usr/bin/env node
import module from 'node:module'

// Before anything else is loaded, so that everything else comes from the cache. Absent on Node 20.
module.enableCompileCache?.()
const { main } = await import('./main-program.ts')
await main(process.argv.slice(2))
