import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const cache = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'keelson/node-20')

/** The oldest Node that the packages promise to run on, fetched into the user's cache from the package registry. */
export function findNode20(): string {
  const node = path.join(cache, 'node_modules/node/bin/node')
  if (!existsSync(node)) {
    mkdirSync(cache, { recursive: true })
    execFileSync('npm', ['install', '--prefix', cache, '--no-save', '--no-audit', '--no-fund', 'node@20'], { stdio: 'ignore' })
  }
  return node
}
