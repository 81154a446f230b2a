// npm run release: builds, packs, tests and publishes every package. With --dry-run it publishes nothing and prints the list.
import path from 'node:path'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
process.exit(run(node, [path.join(root, 'tooling/repo/src/release.ts'), ...process.argv.slice(2)]))
