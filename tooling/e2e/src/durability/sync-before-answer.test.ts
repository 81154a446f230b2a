// Needs strace (Linux). Skipped without it; fails in CI.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import { findOnPath } from '../real-parts/find-on-path.ts'
import { type SystemCall, parseTrace } from './system-calls.ts'

const strace = findOnPath('strace')
if (strace === undefined && process.env['CI'] !== undefined) throw new Error('strace is not installed')

const isSync = (call: SystemCall): boolean => ['fsync', 'fdatasync', 'msync'].includes(call.name)

test.skipIf(strace === undefined)(
  'a create syncs data before it sends the response, according to its system calls',
  async () => {
    const scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-trace-'))
    await using server = await startKeelsonProcess({ controllers: 'none' })
    using client = new HttpsClient(server.url, server.token, 1)
    const createBody = (name: string): unknown => ({ metadata: { name }, data: { padding: 'x'.repeat(20_000) } })
    // The first request opens the connection and loads modules that are loaded on demand.
    await client.request('POST', '/api/v1/namespaces/default/configmaps', { body: createBody('first') })

    const trace = path.join(scratch, 'trace')
    const calls = 'trace=read,write,writev,pwrite64,pwritev,sendmsg,sendto,fsync,fdatasync,msync'
    const tracer = spawn(strace ?? '', ['-f', '-ttt', '-T', '-e', calls, '-o', trace, '-p', String(server.pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    try {
      await new Promise<void>((resolve, reject) => {
        tracer.stderr.on('data', (data: Buffer) => (data.toString().includes('attached') ? resolve() : undefined))
        tracer.once('exit', () => reject(new Error('strace could not attach')))
      })
      const answer = await client.request('POST', '/api/v1/namespaces/default/configmaps', { body: createBody('traced') })
      expect(answer.status).toBe(201)
      // When this request is answered, strace has seen the end of the earlier calls.
      await client.request('GET', '/livez')
    } finally {
      tracer.kill('SIGINT')
      await new Promise((resolve) => tracer.once('exit', resolve))
    }

    const traced = parseTrace(await readFile(trace, 'utf8'))
    // Finds the request as a large read from a socket, and the response as a large write to the same descriptor. Both are large because of
    // the padding in the object.
    const request = traced.find((call) => call.name === 'read' && call.result > 8_000)
    expect(request).toBeDefined()
    const answer = traced.findLast(
      (call) =>
        ['write', 'writev', 'sendmsg', 'sendto'].includes(call.name) && call.descriptor === request?.descriptor && call.result > 8_000,
    )
    expect(answer).toBeDefined()
    const syncs = traced.filter(
      (call) => isSync(call) && call.result === 0 && call.start > (request?.end ?? 0) && call.end < (answer?.start ?? 0),
    )
    expect(syncs.length, 'syncs between the request and the response').toBeGreaterThan(0)
    await rm(scratch, { recursive: true, force: true })
  },
  60_000,
)
