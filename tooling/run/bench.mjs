// npm run bench -- FLAGS: runs the benchmark against a new Keelson server, or against --server URL --token T.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
process.exit(run(node, [path.join(root, 'tooling/bench/src/main.ts'), ...process.argv.slice(2)]))
