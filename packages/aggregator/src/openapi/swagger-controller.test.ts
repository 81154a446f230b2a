import { createManualClock } from '@keelson/apimachinery/testing'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { RemoteSwagger } from '@keelson/http-installer'
import { createWorkQueueMetrics } from '@keelson/loopback'
import type { OutboundAnswer, OutboundRequest } from '@keelson/outbound'
import { expect, it, vi } from 'vitest'
import type { ApiServiceChange, ApiServiceRecord } from '../apiservices/api-service-index.ts'
import { SwaggerController } from './swagger-controller.ts'

const createRecord = (group: string, groupPriority: number): ApiServiceRecord => ({
  name: `v1.${group}`,
  uid: group,
  revision: 1,
  group,
  version: 'v1',
  groupPriority,
  versionPriority: 1,
  managed: '',
  service: { namespace: 'default', name: 'api', port: 443 },
  caBundle: '',
  insecureSkipTLSVerify: true,
  available: { status: 'True', reason: 'Passed', message: '' },
})

it('reads documents with backoff, merges them by priority, and keeps them while their server fails', async () => {
  const clock = createManualClock(0)
  const records = new Map([createRecord('low', 1), createRecord('high', 2)].map((record) => [record.name, record]))
  const requests: (OutboundRequest & { readonly name: string })[] = []
  const documents = { swagger: '2.0', paths: { '/apis/low/v1/': {}, '/apis/high/v1/': {}, '/apis/apps/v1/': {} } }
  let respond = (): Partial<OutboundAnswer> => ({
    failed: false,
    status: 200,
    headers: { etag: '"1"' },
    body: Buffer.from(JSON.stringify(documents)),
  })
  let notify = (_change: ApiServiceChange): void => {}
  let published: readonly RemoteSwagger[] = []
  const errors: unknown[] = []
  await using _controller = new SwaggerController({
    index: { get: (name) => records.get(name), values: () => records.values(), subscribe: (listener) => void (notify = listener) },
    openApi: { setRemoteSwaggers: (remotes) => void (published = remotes) },
    findClient: (name) => ({
      request: (request) => {
        requests.push({ ...request, name })
        return Promise.resolve(respond() as OutboundAnswer)
      },
    }),
    clock,
    queueMetrics: createWorkQueueMetrics(createMetricsRegistry()),
    onError: (error) => errors.push(error),
  })
  const listPaths = (): string[] => published.flatMap(({ paths }) => [...paths.keys()])
  clock.advance(1000)
  await vi.waitUntil(() => published.length === 2)
  expect(listPaths()).toEqual(['/apis/high/v1/', '/apis/low/v1/'])
  expect(requests[0]?.headers).toEqual({ accept: 'application/json', 'X-Remote-User': 'system:aggregator' })

  const first = published
  respond = () => ({ failed: false, status: 304, headers: {}, body: Buffer.alloc(0) })
  clock.advance(60_000)
  await vi.waitUntil(() => requests.length === 4)
  expect(requests[3]?.headers).toMatchObject({ 'if-none-match': '"1"' })
  respond = () => ({ failed: false, status: 200, headers: {}, body: Buffer.from('{"paths":{"/apis/low/v1/":') })
  clock.advance(60_000)
  await vi.waitUntil(() => errors.length === 2)
  expect(String(errors[0])).toContain('the document is no JSON object')
  clock.advance(59_000)
  expect([requests.length, published]).toEqual([6, first])

  const record = records.get('v1.high')!
  records.delete(record.name)
  notify({ name: record.name, record: undefined, old: record })
  expect(listPaths()).toEqual(['/apis/low/v1/'])
})
