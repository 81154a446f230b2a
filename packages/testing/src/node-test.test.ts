import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('node:test opens a cluster for each test, also for concurrent ones, and ends', async () => {
  const spec = fileURLToPath(new URL('../test/node-test/widgets.spec.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--test-reporter=tap', spec])
  expect(stdout).toContain('# pass 6\n# fail 0')
})
