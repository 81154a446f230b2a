// npm test: runs all tests. Arguments go to vitest (npm test -- packages/cacher).
// npm test -- --node=22.12 packages/ apps/: runs tests on another Node, installed from npm if needed.
// npm test -- --times=20 packages apps: repeats them, to find flaky tests.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { findNode, lowestNode, typeScriptEnvironment } from './lib/find-node.mjs'
import { ensureInstalled, node, root, run, tool } from './lib/prepare.mjs'

const isNode = (argument) => argument.startsWith('--node=')
const isForRepeating = (argument) => argument.startsWith('--times=') || argument === '--fresh'
const allArguments = process.argv.slice(2)
const requested = allArguments.find(isNode)?.slice('--node='.length)
const version = requested === 'lowest' ? lowestNode : requested
const repeatFlags = allArguments.filter(isForRepeating)
const args = allArguments.filter((argument) => !isNode(argument) && !isForRepeating(argument))

ensureInstalled()
ensureBuilt()
const vitest = [version === undefined ? node : findNode(version), tool('vitest'), 'run', ...args]
const repeat = [node, path.join(root, 'tooling/repo/src/repeat-tests.ts'), ...repeatFlags, '--', ...vitest]
const [command, ...rest] = repeatFlags.length === 0 ? vitest : repeat
process.exit(run(command, rest, { env: version === undefined ? {} : typeScriptEnvironment(version) }))
