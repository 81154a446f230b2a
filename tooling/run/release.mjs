// npm run release -- --dry-run: builds, packs and tries every package, and shows what would be published. Without the flag it is published then.
import path from 'node:path'
import { ensureInstalled, node, root, run } from './lib/prepare.mjs'

ensureInstalled()
process.exit(run(node, [path.join(root, 'tooling/repo/src/release.ts'), ...process.argv.slice(2)]))
