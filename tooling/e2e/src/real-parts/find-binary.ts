import { execFileSync } from 'node:child_process'
import { reportMissing } from './report-missing.ts'
import { fetchDebianBinary } from './fetch-debian-binary.ts'
import { findOnPath } from './find-on-path.ts'

export interface WantedBinary {
  readonly name: string
  /** Arguments that print the version. */
  readonly version: readonly string[]
  readonly debian: { readonly package: string; readonly path: string }
}

/**
 * Returns the path of a program: the environment variable NAME_BIN, else the program on PATH, else the program of a Debian package,
 * unpacked into the user's cache. Returns undefined if none is available.
 */
export function findBinary({ name, version, debian }: WantedBinary): string | undefined {
  const variable = `${name.toUpperCase()}_BIN`
  const isWorking = (binary: string | undefined): binary is string => binary !== undefined && runs(binary, version)
  const file = process.env[variable] ?? findOnPath(name)
  if (isWorking(file)) return file
  const fetched = fetchDebianBinary({ suite: 'trixie', package: debian.package, binary: debian.path })
  if (isWorking(fetched)) return fetched
  return reportMissing(name, `set ${variable}`)
}

function runs(binary: string, version: readonly string[]): boolean {
  try {
    execFileSync(binary, version, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
