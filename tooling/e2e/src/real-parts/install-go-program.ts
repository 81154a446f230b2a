import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { doWithout } from './do-without.ts'
import { findOnPath } from './find-on-path.ts'
import { userCache } from './user-cache.ts'

export interface GoProgram {
  readonly what: string
  /** With what identifies its sources: what the user's cache holds by that name is not made again. */
  readonly name: string
  /** For `go install`, which puts one program into GOBIN. */
  readonly package: string
  readonly directory?: string
}

/**
 * Compiles with GO_BIN or the Go on PATH, in Go's own caches. The first compilation takes minutes of processor time: it stands back for
 * tests that run beside it, and one waits for another, which has half of its work done by then.
 */
export async function installGoProgram(wanted: GoProgram): Promise<string | undefined> {
  const binary = path.join(userCache, wanted.name)
  if (existsSync(binary)) return binary
  const go = process.env['GO_BIN'] ?? findOnPath('go')
  if (go === undefined) return doWithout(wanted.what, 'there is no Go: set GO_BIN')
  mkdirSync(userCache, { recursive: true })
  const scratch = mkdtempSync(path.join(userCache, 'install-'))
  try {
    const [file, ...args] = standingBack([go, 'install', wanted.package])
    const options = { ...(wanted.directory !== undefined && { cwd: wanted.directory }), env: { ...process.env, GOBIN: scratch } }
    await promisify(execFile)(file, args, options)
    renameSync(path.join(scratch, path.basename(wanted.package).replace(/@.*/, '')), binary)
    return binary
  } catch (error) {
    return doWithout(wanted.what, error instanceof Error ? error.message : String(error))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function standingBack(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  const [nice, flock] = [findOnPath('nice'), findOnPath('flock')]
  const alone = flock === undefined ? command : ([flock, path.join(userCache, 'go.lock'), ...command] as const)
  return nice === undefined ? alone : [nice, ...alone]
}
