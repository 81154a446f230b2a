// Needs recorded requests of Kubernetes clients (../shared/reference); skipped without them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Http2Client } from '../http2-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { protobuf } from '../encode-body.ts'
import { readClientRequests, parseTarget } from './client-requests.ts'
import { replayShape } from './replay-shape.ts'

const recorded = readClientRequests()
if (recorded === undefined)
  console.warn('replay: no recordings next to this repository (../shared/reference/client-requests.json); skipped')

const shapes = recorded ?? []

describe.skipIf(recorded === undefined)('recorded requests of kube-controller-manager, kube-scheduler, kubelets and kubectl', () => {
  let server: KeelsonProcess
  let client: Http2Client

  beforeAll(async () => {
    // The server runs without controllers, so that only the requests change objects.
    server = await startKeelsonProcess({ controllers: 'none', flags: ['--enable-admission-plugins=NodeRestriction'] })
    client = new Http2Client(server.url, server.token)
  })
  afterAll(async () => {
    client[Symbol.dispose]()
    await server.stop()
  })

  test('are rejected for a user without roles, so that the senders need their roles', async () => {
    const answered: string[] = []
    for (const { method, path, query, contentType } of shapes.filter((shape) => parseTarget(shape) !== undefined)) {
      const filled = `${path.replace('{ns}', 'default').replace('{name}', 'some')}?${query.replaceAll('timeout=…', 'timeout=10s').replaceAll('…', '1')}`
      const headers = { 'content-type': contentType, 'impersonate-user': 'nobody' }
      const { status, body } = await client.request(method, filled, { headers })
      if (status !== 403 || !body.toString().includes('cannot')) answered.push(`${method} ${filled}: ${status} ${body.toString()}`)
    }
    expect(answered).toEqual([])
  })

  const cases = shapes.flatMap((shape) =>
    Object.keys(shape.codes).map(
      (code) => [`${shape.client} ${shape.method} ${shape.path}?${shape.query} ${shape.accept} → ${code}`, shape, Number(code)] as const,
    ),
  )
  test.each(cases)('have the recorded result: %s', async (_name, shape, code) => {
    const { status, headers, body } = await replayShape(client, shape, code)
    expect(`${status} ${status === code ? '' : body.toString()}`).toBe(`${code} `)
    if (code === 403) expect(body.toString()).toContain('is being terminated')
    if (parseTarget(shape) === undefined || status >= 300) return
    const mediaType = shape.accept.split(/[;,]/)[0]!
    expect(headers['content-type']).toContain(mediaType)
    if (mediaType === protobuf && !shape.query.includes('watch=true')) expect(body.subarray(0, 4).toString()).toBe('k8s\0')
  })
})
