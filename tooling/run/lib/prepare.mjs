// What every root script does first, on nothing but Node 20.19 and npm: install what the lockfile names, once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
/** The Node that runs everything: the one in devDependencies, not the machine's. */
export const node = path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
export const bin = (name) => path.join(root, 'node_modules/.bin', name)

const stamp = path.join(root, 'node_modules/.keelson-installed')

function wanted() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) hash.update(readFileSync(path.join(root, file)))
  return hash.digest('hex')
}

export function ensureInstalled() {
  const hash = wanted()
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  const { packageManager } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  process.stderr.write('keelson: installing dependencies…\n')
  // The output goes to stderr: stdout belongs to the program that is started afterwards.
  const done = spawnSync('npx', ['--yes', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (done.status !== 0) {
    process.stderr.write('keelson: the dependencies could not be installed; the reason is above\n')
    process.exit(done.status ?? 1)
  }
  writeFileSync(stamp, hash)
}

/** Environment in which `node` and the workspace's tools are the ones of the lockfile. */
export function toolEnvironment(extra = {}) {
  const paths = [path.dirname(node), path.join(root, 'node_modules/.bin'), process.env.PATH]
  return { ...process.env, ...extra, PATH: paths.join(path.delimiter) }
}

/** Runs one command with the project's Node first on PATH; resolves to its exit status. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: toolEnvironment(options.env), ...options.spawn })
  if (done.error) throw done.error
  return done.status ?? 1
}
