import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDebugSocket } from './debug-socket.ts'

async function send(
  socketPath: string,
  target: string,
  method = 'GET',
  body = '',
): Promise<{ readonly status: number | undefined; readonly body: Buffer }> {
  const sent = request({ socketPath, path: target, method, headers: { 'content-length': body.length } }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, body: Buffer.concat(chunks) }
}

test.skipIf(process.platform === 'win32')('serves profiles on a Unix socket without credentials', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-debug-'))
  const socket = path.join(directory, 'debug.sock')
  writeFileSync(socket, 'left by an earlier process')
  let verbosity = ''
  try {
    {
      await using _opened = await openDebugSocket(socket, { onError: () => {}, setVerbosity: (text) => void (verbosity = text) })
      expect((await send(socket, '/debug/pprof')).status).toBe(302)
      expect((await send(socket, '/debug/pprof/')).body.toString()).toContain('profile')
      const profile = await send(socket, '/debug/pprof/profile?seconds=0.05')
      expect([profile.status, profile.body.subarray(0, 2).toString('hex')]).toEqual([200, '1f8b'])
      expect((await send(socket, '/api')).status).toBe(404)
      expect((await send(socket, '/debug/flags/v', 'PUT', '4')).status).toBe(200)
      expect(verbosity).toBe('4')
    }
    expect(existsSync(socket)).toBe(false)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
