// The prepack script of every published package. Builds the package and stops packing if it is unusable.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, run, tool } from './lib/prepare.mjs'

const home = process.cwd()
const fail = (reason) => {
  process.stderr.write(`keelson: ${path.basename(home)} was not packed: ${reason}\n`)
  process.exit(1)
}

if (!process.env.npm_config_user_agent?.startsWith('pnpm/'))
  fail('use npm run release -- --dry-run; only pnpm writes the entry points and versions of a release into package.json')

const { bin = {}, publishConfig } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8'))
const listFiles = (value) => (typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(listFiles))
const listMissing = () => [...listFiles(bin), ...listFiles(publishConfig.exports)].filter((file) => !existsSync(path.join(home, file)))
const project = path.join(home, 'tsconfig.build.json')

ensureInstalled()
if (path.basename(home) === 'apiserver') ensureBuilt()
else if (existsSync(project)) {
  // Without --force, tsc does not write removed output files again.
  const status = run(node, [tool('tsc'), '-b', ...(listMissing().length > 0 ? ['--force'] : []), project], {
    spawn: { stdio: ['ignore', 2, 2] },
  })
  if (status !== 0) fail('the build failed')
}
if (listMissing().length > 0) fail(`package.json names files that are missing: ${listMissing().join(', ')}`)
