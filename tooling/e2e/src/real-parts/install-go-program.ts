import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { reportMissing } from './report-missing.ts'
import { findOnPath } from './find-on-path.ts'
import { userCache } from './user-cache.ts'

export interface GoProgram {
  readonly subject: string
  /** File name of the program in the user's cache. Contains a hash of the sources. An existing file is not rebuilt. */
  readonly name: string
  /** Package for `go install`, which writes one program to GOBIN. */
  readonly package: string
  readonly directory?: string
}

/**
 * Compiles a Go program with GO_BIN or the Go on PATH, with Go's caches. The first compilation takes minutes of processor time, so it runs
 * at low priority. Compilations run one after the other, because they share packages.
 */
export async function installGoProgram(program: GoProgram): Promise<string | undefined> {
  const binary = path.join(userCache, program.name)
  if (existsSync(binary)) return binary
  const go = process.env['GO_BIN'] ?? findOnPath('go')
  if (go === undefined) return reportMissing(program.subject, 'Go is not installed; set GO_BIN')
  mkdirSync(userCache, { recursive: true })
  const scratch = mkdtempSync(path.join(userCache, 'install-'))
  try {
    const [file, ...args] = lowerPriority([go, 'install', program.package])
    const options = { ...(program.directory !== undefined && { cwd: program.directory }), env: { ...process.env, GOBIN: scratch } }
    await promisify(execFile)(file, args, options)
    // A major version at the end of the path is not part of the program's name.
    renameSync(path.join(scratch, path.basename(program.package.replace(/(\/v\d+)?(@.*)?$/, ''))), binary)
    return binary
  } catch (error) {
    return reportMissing(program.subject, error instanceof Error ? error.message : String(error))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function lowerPriority(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  const [nice, flock] = [findOnPath('nice'), findOnPath('flock')]
  const alone = flock === undefined ? command : ([flock, path.join(userCache, 'go.lock'), ...command] as const)
  return nice === undefined ? alone : [nice, ...alone]
}
