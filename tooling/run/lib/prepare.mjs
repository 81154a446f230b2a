// The first step of every root script, which needs only Node 20.19 and npm: install the dependencies of the lockfile, once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
/** The Node that runs everything: the one in devDependencies, not the machine's. */
export const node = path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** The file that `node` runs for a tool of the root's devDependencies. node_modules/.bin has shell scripts, which differ on Windows. */
export function tool(name) {
  const { devDependencies } = readJson(path.join(root, 'package.json'))
  for (const dependency of Object.keys(devDependencies)) {
    const home = path.join(root, 'node_modules', dependency)
    const { bin = {} } = readJson(path.join(home, 'package.json'))
    const file = typeof bin === 'string' && path.basename(dependency) === name ? bin : bin[name]
    if (file !== undefined) return path.join(home, file)
  }
  throw new Error(`no dependency of the repository has the program "${name}"`)
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const windows = process.platform === 'win32'

/** The command and arguments that run the pnpm version of package.json. */
export function pnpm(...args) {
  const { packageManager } = readJson(path.join(root, 'package.json'))
  return ['npx', ['--yes', packageManager, ...args]]
}

const stamp = path.join(root, 'node_modules/.keelson-installed')

function wanted() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) hash.update(readFileSync(path.join(root, file)))
  return hash.digest('hex')
}

export function ensureInstalled() {
  const hash = wanted()
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  process.stderr.write('keelson: installing dependencies…\n')
  // The output goes to stderr: stdout belongs to the program that is started afterwards.
  const done = spawnSync(...pnpm('install', '--frozen-lockfile', '--reporter=append-only'), {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: windows,
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

/** Runs one command with the project's Node first on PATH; returns its exit status. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: toolEnvironment(options.env), ...options.spawn })
  if (done.error) throw done.error
  return done.status ?? 1
}
