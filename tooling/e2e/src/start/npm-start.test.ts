import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryRoot } from '../repository-root.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-npm-start-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Runs `npm start`. `closed` resolves when npm and all of its child processes have ended, because they share stdout. */
async function startWithNpm(name: string): Promise<{ npm: ChildProcess; output: () => string; closed: Promise<unknown> }> {
  const npm = spawn('npm', ['start', '--', `--data-dir=${path.join(directory, name)}`, '--storage-backend=memory', '--secure-port=0'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  const closed = once(npm, 'close')
  await expect.poll(() => output, { timeout: 20_000 }).toContain('keelson is ready at')
  return { npm, output: () => output, closed }
}

test.skipIf(process.platform === 'win32')('the server ends when the npm process that started it ends', { timeout: 60_000 }, async () => {
  const { npm, output, closed } = await startWithNpm('term')
  npm.kill('SIGTERM')
  await closed
  expect(output()).toMatch(/"Stopping" signal="SIGTERM"\n.*"Stopped"/)
})
