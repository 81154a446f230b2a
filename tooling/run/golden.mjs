// npm run golden -- FLAGS: plays recorded requests to a fresh server, compares the responses with those of kube-apiserver, and prints a score by kind.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
process.exit(run(node, [path.join(root, 'tooling/e2e/src/golden/main.ts'), ...process.argv.slice(2)]))
