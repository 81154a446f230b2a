// npm run test:faults -- FLAGS: tests the stores and the HTTP server under faults. A stopped run can be continued. See
// tooling/faults/README.md.
import path from 'node:path'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
process.exit(run(node, [path.join(root, 'tooling/faults/src/main.ts'), ...process.argv.slice(2)]))
