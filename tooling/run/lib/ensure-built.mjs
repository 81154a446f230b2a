// Builds the server's bundle if a source file is newer than the bundle. Compares modification times, which takes milliseconds.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { node, root, run } from './prepare.mjs'

export const entry = path.join(root, 'apps/apiserver/dist/main.js')

function findNewest(directory, limit) {
  for (const item of readdirSync(directory, { withFileTypes: true })) {
    if (item.name === 'node_modules' || item.name === 'dist' || item.name.startsWith('.')) continue
    const file = path.join(directory, item.name)
    if (item.isDirectory() ? findNewest(file, limit) : statSync(file).mtimeMs > limit) return true
  }
  return false
}

export function isBuilt() {
  if (!existsSync(entry)) return false
  const built = statSync(entry).mtimeMs
  const sources = ['packages', 'apps'].flatMap((top) => readdirSync(path.join(root, top)).map((name) => path.join(root, top, name, 'src')))
  if (statSync(path.join(root, 'pnpm-lock.yaml')).mtimeMs > built) return false
  return !sources.some((directory) => existsSync(directory) && findNewest(directory, built))
}

export function ensureBuilt() {
  if (isBuilt()) return
  process.stderr.write('keelson: building…\n')
  const status = run(node, [path.join(root, 'tooling/run/build.mjs')], { spawn: { stdio: ['ignore', 2, 2] } })
  if (status !== 0) process.exit(status)
}
