// npm run walk -- VERB RESOURCE: the files and functions that one request runs through. See tooling/walk/README.md.
import path from 'node:path'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
process.exit(run(node, [path.join(root, 'tooling/walk/src/main.ts'), ...process.argv.slice(2)]))
