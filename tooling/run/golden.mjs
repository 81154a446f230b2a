// npm run golden -- FLAGS: replays recorded requests against a new server, compares the responses with kube-apiserver's, and prints a score
// by kind.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
process.exit(run(node, [path.join(root, 'tooling/e2e/src/golden/main.ts'), ...process.argv.slice(2)]))
