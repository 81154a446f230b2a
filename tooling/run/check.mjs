// npm run check: checks format, lint, types, layers and packaging. A failed step does not stop the next ones.
import path from 'node:path'
import { ensureBuilt } from './lib/ensure-built.mjs'
import { ensureInstalled, node, root, run, tool } from './lib/prepare.mjs'

ensureInstalled()
// The packaging step checks the bundle, so build it first.
ensureBuilt()
const locateScript = (script) => [path.join(root, 'tooling/repo/src', script)]
const steps = {
  format: [tool('oxfmt'), '--check'],
  lint: [tool('oxlint'), '--type-aware', '--deny-warnings'],
  types: [tool('tsc'), '-p', '.'],
  build: [tool('tsc'), '-b', 'tsconfig.build.json'],
  'layer tags': locateScript('layer-tags.ts'),
  layers: [tool('turbo'), 'boundaries'],
  versions: [tool('sherif')],
  unused: [tool('knip'), '--no-progress'],
  packages: locateScript('packed-packages.ts'),
}
const only = process.argv.slice(2)
const failed = []
for (const [name, args] of Object.entries(steps)) {
  if (only.length > 0 && !only.includes(name)) continue
  const began = Date.now()
  const status = run(node, args, { env: { TURBO_TELEMETRY_DISABLED: '1' } })
  process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`)
  if (status !== 0) failed.push(name)
}
if (failed.length > 0) {
  process.stdout.write(`check failed: ${failed.join(', ')}\n`)
  process.exit(1)
}
process.stdout.write('check passed\n')
