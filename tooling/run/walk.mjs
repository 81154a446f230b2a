// npm run walk -- VERB RESOURCE: prints the files and functions of one request. See tooling/walk/README.md.
import path from 'node:path'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
process.exit(run(node, [path.join(root, 'tooling/walk/src/main.ts'), ...process.argv.slice(2)]))
