// npm run compare -- --server URL --token T: sends random requests to a running kube-apiserver and to a new Keelson server, and compares
// the responses. See tooling/compare/README.md.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
process.exit(run(node, [path.join(root, 'tooling/compare/src/main.ts'), ...process.argv.slice(2)]))
