// What a registry would get, looked at by publint and are-the-types-wrong.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { repositoryRoot } from './manifests.ts'
import { packAll } from './pack.ts'

const scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-packed-'))
const tool = (name: string): string => path.join(repositoryRoot, 'node_modules/.bin', name)
let failed = 0
try {
  for (const { name, tarball } of packAll(scratch)) {
    const checks: [string, string[]][] = [['publint', ['--strict', tarball]]]
    // The program has no entry points to import.
    if (name !== '@keelson/apiserver') checks.push(['attw', ['--profile', 'esm-only', '--no-color', '--no-emoji', tarball]])
    for (const [checker, args] of checks) {
      const done = spawnSync(tool(checker), args, { encoding: 'utf8' })
      if (done.status === 0) continue
      failed += 1
      process.stderr.write(`${checker}: ${name}\n${done.stdout}${done.stderr}\n`)
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)
