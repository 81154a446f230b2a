// npm run soak -- FLAGS: 30 minutes of mixed load on one server. A stopped run can be continued. See tooling/soak/README.md.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
process.exit(run(node, [path.join(root, 'tooling/soak/src/main.ts'), ...process.argv.slice(2)]))
