// Finds other versions of Node. Installs each version once into the user's cache, from the npm package `node`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The lowest Node version that the published packages support. `engines` of every package has the same version. */
export const lowestNode = '22.12.0'

const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'keelson')
const windows = process.platform === 'win32'
const locateProgram = (directory) => path.join(directory, 'node_modules/node/bin', windows ? 'node.exe' : 'node')

/** Returns the path of the `node` program of a version, for example '22.12.0', '22.12' or '24'. Installs the version if needed. */
export function findNode(version) {
  if (!/^\d+(\.\d+){0,2}$/.test(version)) throw new Error(`"${version}" is not a version of Node; examples: 22.12, 24`)
  const home = path.join(cache, `node-${version}`)
  if (!existsSync(locateProgram(home))) install(version, home)
  return locateProgram(home)
}

function install(version, home) {
  mkdirSync(cache, { recursive: true })
  // Install into a temporary directory and rename it, because another process may install the same version at the same time.
  const scratch = mkdtempSync(path.join(cache, 'fetching-'))
  try {
    const done = spawnSync('npm', ['install', '--prefix', scratch, '--no-save', '--no-audit', '--no-fund', `node@${version}`], {
      encoding: 'utf8',
      shell: windows,
    })
    if (!existsSync(locateProgram(scratch))) throw new Error(`cannot install Node ${version} from npm:\n${done.stderr}`)
    try {
      renameSync(scratch, home)
    } catch (error) {
      if (!existsSync(locateProgram(home))) throw error
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Returns the environment for running TypeScript with this version of Node. Node before 22.18 needs a flag for TypeScript. */
export function typeScriptEnvironment(version) {
  const [major, minor = 99] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return {}
  const flags = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
  return { NODE_OPTIONS: [process.env.NODE_OPTIONS, ...flags].filter(Boolean).join(' ') }
}
