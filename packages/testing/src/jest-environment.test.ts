import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-jest-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs Jest on the spec files, and returns its report. */
function runJest(options: object): Promise<string> {
  cpSync(fileURLToPath(new URL('../test/jest', import.meta.url)), directory, { recursive: true })
  const config = {
    rootDir: directory,
    testEnvironment: fileURLToPath(new URL('jest-environment.ts', import.meta.url)),
    testEnvironmentOptions: { keelson: options },
    testMatch: ['**/*.spec.cjs'],
    transform: {},
    maxWorkers: 2,
    testTimeout: 60_000,
    watchman: false,
  }
  writeFileSync(path.join(directory, 'jest.config.json'), JSON.stringify(config))
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest')
  const args = [jest, '--config', path.join(directory, 'jest.config.json'), '--ci=false', '--no-color']
  return new Promise((resolve) => execFile(process.execPath, args, (_error, stdout, stderr) => resolve(stdout + stderr)))
}

test('Jest gives each test a cluster, in files that run in parallel', async () => {
  const manifests = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'from-options' }, data: { color: 'red' } }
  const report = await runJest({ manifests })
  expect(report).toContain('expected ConfigMap default/from-options to have the condition Ready=True; it has none')
  expect(report, report).toContain('Tests:       1 failed, 1 skipped, 4 passed, 6 total')
  expect(report).not.toContain('did not exit')
  const snapshot = readFileSync(path.join(directory, '__snapshots__/first.spec.cjs.snap'), 'utf8')
  expect(snapshot).toContain('"uid": "<uid>"')
  expect(snapshot).not.toContain('managedFields')
})
