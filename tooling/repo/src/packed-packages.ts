// Checks the packed packages with publint and are-the-types-wrong.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { node, tool } from '@keelson/tooling-run/prepare'
import { packAll } from './pack.ts'

const scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-packed-'))
let failed = 0
try {
  for (const { name, manifest, tarball } of packAll(scratch)) {
    const checks: [string, string[]][] = [['publint', ['--strict', tarball]]]
    // Programs have no entry points to import.
    if (manifest.bin === undefined) checks.push(['attw', ['--profile', 'esm-only', '--no-color', '--no-emoji', tarball]])
    for (const [checker, args] of checks) {
      const result = spawnSync(node, [tool(checker), ...args], { encoding: 'utf8' })
      if (result.status === 0) continue
      failed += 1
      process.stderr.write(`${checker}: ${name}\n${result.stdout}${result.stderr}\n`)
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)
