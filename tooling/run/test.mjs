// npm test: everything that a contributor must see pass. Arguments go to vitest (npm test -- packages/cacher).
// npm test -- --times=20 packages apps: the same again and again, to find tests that fail now and then.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { bin, ensureInstalled, node, root, run } from './lib/prepare.mjs'

const isForRepeating = (argument) => argument.startsWith('--times=') || argument === '--fresh'
const repeating = process.argv.slice(2).filter(isForRepeating)
const args = process.argv.slice(2).filter((argument) => !isForRepeating(argument))

ensureInstalled()
ensureBuilt()
const vitest = [node, bin('../vitest/vitest.mjs'), 'run', ...args]
const repeat = [node, path.join(root, 'tooling/repo/src/repeat-tests.ts'), ...repeating, '--', ...vitest]
const [command, ...rest] = repeating.length === 0 ? vitest : repeat
process.exit(run(command, rest))
