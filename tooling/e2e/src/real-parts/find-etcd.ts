import { execFileSync } from 'node:child_process'
import { fetchDebianBinary } from './fetch-debian-binary.ts'
import { findOnPath } from './find-on-path.ts'

/** ETCD_BIN, else the one on PATH, else Debian's, unpacked into the user's cache. Undefined where none can be had. */
export function findEtcd(): string | undefined {
  const found = process.env['ETCD_BIN'] ?? findOnPath('etcd')
  if (found !== undefined && works(found)) return found
  const fetched = fetchDebianBinary({ suite: 'trixie', package: 'etcd-server', binary: 'usr/bin/etcd' })
  if (fetched !== undefined && works(fetched)) return fetched
  if (process.env['CI'] !== undefined) throw new Error('no etcd: set ETCD_BIN')
  return undefined
}

function works(etcd: string): boolean {
  try {
    execFileSync(etcd, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
