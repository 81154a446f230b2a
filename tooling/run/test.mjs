// npm test: all tests that a change has to pass. Arguments go to vitest (npm test -- packages/cacher).
// npm test -- --node=22.12 packages/ apps/: the same tests on another Node, fetched from npm when it is not in the cache.
// npm test -- --times=20 packages apps: repeats them, to find flaky tests.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { findNode, lowestNode, typeScriptEnvironment } from './lib/find-node.mjs'
import { ensureInstalled, node, root, run, tool } from './lib/prepare.mjs'

const isNode = (argument) => argument.startsWith('--node=')
const isForRepeating = (argument) => argument.startsWith('--times=') || argument === '--fresh'
const given = process.argv.slice(2)
const named = given.find(isNode)?.slice('--node='.length)
const version = named === 'lowest' ? lowestNode : named
const repeating = given.filter(isForRepeating)
const args = given.filter((argument) => !isNode(argument) && !isForRepeating(argument))

ensureInstalled()
ensureBuilt()
const vitest = [version === undefined ? node : findNode(version), tool('vitest'), 'run', ...args]
const repeat = [node, path.join(root, 'tooling/repo/src/repeat-tests.ts'), ...repeating, '--', ...vitest]
const [command, ...rest] = repeating.length === 0 ? vitest : repeat
process.exit(run(command, rest, { env: version === undefined ? {} : typeScriptEnvironment(version) }))
