import { execFileSync } from 'node:child_process'
import { findOnPath } from './find-on-path.ts'
import { fetchDebianBinary } from './fetch-debian-binary.ts'

/** KUBECTL_BIN, else the one on PATH, else Debian's, unpacked into the user's cache. Undefined where none can be had. */
export function findKubectl(): string | undefined {
  const found = process.env['KUBECTL_BIN'] ?? findOnPath('kubectl')
  if (found !== undefined && works(found)) return found
  const fetched = fetchDebianBinary({ suite: 'trixie', package: 'kubectl', binary: 'usr/bin/kubectl' })
  if (fetched !== undefined && works(fetched)) return fetched
  if (process.env['CI'] !== undefined) throw new Error('no kubectl: set KUBECTL_BIN')
  return undefined
}

function works(kubectl: string): boolean {
  try {
    execFileSync(kubectl, ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
