// npm run golden -- FLAGS: plays the recorded answers of the original against a fresh server of ours, and scores them by kind.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
process.exit(run(node, [path.join(root, 'tooling/e2e/src/golden/main.ts'), ...process.argv.slice(2)]))
