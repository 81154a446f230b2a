import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const fixture = fileURLToPath(new URL('./unref.fixture.ts', import.meta.url))

test('a server with unref does not keep the process alive', async () => {
  const child = spawn(process.execPath, [fixture], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  expect([code, output]).toEqual([0, 'answered\n'])
})
