import type { RemoteSwagger } from '@keelson/http-installer'
import { expect, it, vi } from 'vitest'
import { createRemotes } from '../api-services.fixture.ts'
import { SwaggerController } from './swagger-controller.ts'

it('reads documents with backoff, merges them by priority, and keeps them while their server fails', async () => {
  const documents = { swagger: '2.0', paths: { '/apis/low/v1/': {}, '/apis/high/v1/': {}, '/apis/apps/v1/': {} } }
  const { clock, index, servers, queueMetrics, errors, onError } = createRemotes(() => ({
    headers: { etag: '"1"' },
    body: Buffer.from(JSON.stringify(documents)),
  }))
  index.set('v1.low', { groupPriority: 1 })
  index.set('v1.high', { groupPriority: 2 })
  let published: readonly RemoteSwagger[] = []
  await using _controller = new SwaggerController({
    index,
    openApi: { setRemoteSwaggers: (remotes) => void (published = remotes) },
    findClient: servers.findClient,
    clock,
    queueMetrics,
    onError,
  })
  const listPaths = (): string[] => published.flatMap(({ paths }) => [...paths.keys()])
  clock.advance(1000)
  await vi.waitUntil(() => published.length === 2)
  expect(listPaths()).toEqual(['/apis/high/v1/', '/apis/low/v1/'])
  expect(servers.requests[0]).toMatchObject({
    path: '/openapi/v2',
    headers: { accept: 'application/json', 'X-Remote-User': 'system:aggregator' },
  })

  const first = published
  servers.respond = () => ({ status: 304 })
  clock.advance(60_000)
  await vi.waitUntil(() => servers.requests.length === 4)
  expect(servers.requests[3]?.headers).toMatchObject({ 'if-none-match': '"1"' })
  servers.respond = () => ({ body: Buffer.from('{"paths":{"/apis/low/v1/":') })
  clock.advance(60_000)
  await vi.waitUntil(() => errors.length === 2)
  expect(errors[0]).toContain('the document is no JSON object')
  clock.advance(59_000)
  expect([servers.requests.length, published]).toEqual([6, first])

  index.delete('v1.high')
  expect(listPaths()).toEqual(['/apis/low/v1/'])
})
