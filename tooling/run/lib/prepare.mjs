// Installs the dependencies of the lockfile once. Every script of the root package.json calls this module first. The module needs only Node
// 20.19 and npm.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
/** Path of the Node program from devDependencies. All scripts run with this Node and not with the user's. */
export const node = path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Returns the JavaScript file of a tool in the root's devDependencies. The shell scripts in node_modules/.bin do not work on Windows. */
export function tool(name) {
  const { devDependencies } = readJson(path.join(root, 'package.json'))
  for (const dependency of Object.keys(devDependencies)) {
    const home = path.join(root, 'node_modules', dependency)
    const { bin = {} } = readJson(path.join(home, 'package.json'))
    const file = typeof bin === 'string' && path.basename(dependency) === name ? bin : bin[name]
    if (file !== undefined) return path.join(home, file)
  }
  throw new Error(`no dependency of the repository provides the program "${name}"`)
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const windows = process.platform === 'win32'

/** Returns the command and arguments that run the pnpm version of package.json. */
export function pnpm(...args) {
  const { packageManager } = readJson(path.join(root, 'package.json'))
  return ['npx', ['--yes', packageManager, ...args]]
}

const stamp = path.join(root, 'node_modules/.keelson-installed')

function hashWanted() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) hash.update(readFileSync(path.join(root, file)))
  return hash.digest('hex')
}

export function ensureInstalled() {
  const hash = hashWanted()
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  process.stderr.write('keelson: installing dependencies…\n')
  // Print to stderr, because stdout is for the program that runs after the installation.
  const done = spawnSync(...pnpm('install', '--frozen-lockfile', '--reporter=append-only'), {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: windows,
  })
  if (done.status !== 0) {
    process.stderr.write('keelson: cannot install the dependencies; see the output above\n')
    process.exit(done.status ?? 1)
  }
  writeFileSync(stamp, hash)
}

/** Returns an environment with the lockfile's Node and tools first on PATH. */
export function toolEnvironment(extra = {}) {
  const paths = [path.dirname(node), path.join(root, 'node_modules/.bin'), process.env.PATH]
  return { ...process.env, ...extra, PATH: paths.join(path.delimiter) }
}

/** Runs a command with the project's Node first on PATH. Returns the exit status. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: toolEnvironment(options.env), ...options.spawn })
  if (done.error) throw done.error
  return done.status ?? 1
}
