// npm test: everything that a contributor must see pass. Arguments go to vitest (npm test -- packages/cacher).
import { ensureBuilt } from './lib/ensure-built.mjs'
import { bin, ensureInstalled, node, run } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
process.exit(run(node, [bin('../vitest/vitest.mjs'), 'run', ...process.argv.slice(2)]))
