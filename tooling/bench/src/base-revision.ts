import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'

/** Builds a git revision in a separate directory. Keeps the result for later runs. Returns the path of the built program. */
export function buildRevision(root: string, revision: string): string {
  const commit = runGit(root, 'rev-parse', '--verify', `${revision}^{commit}`)
  const directory = path.join(root, '.keelson/revisions', commit)
  const program = path.join(directory, 'apps/apiserver/dist/main.js')
  if (existsSync(program)) return program
  console.error(`building ${revision}`)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: root, maxBuffer: 1024 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  const install = `import(${JSON.stringify(path.join(directory, 'tooling/run/lib/prepare.mjs'))}).then((m) => m.ensureInstalled())`
  for (const args of [['--eval', install], ['tooling/run/build.mjs']]) {
    const { status } = spawnSync(process.execPath, args, { cwd: directory, stdio: ['ignore', 2, 2] })
    if (status !== 0) throw new Error(`building ${revision} failed`)
  }
  return program
}

/** Returns the name that `git describe` gives the checked-out revision. */
export function getCurrentRevision(root: string): string {
  try {
    return runGit(root, 'describe', '--always', '--dirty', '--abbrev=10')
  } catch {
    return 'unknown'
  }
}

function runGit(root: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}
