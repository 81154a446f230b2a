import { expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'

it('a dry run that would remove the last finalizer returns an object without fields', async () => {
  await using server = await openTestServer()
  const path = '/api/v1/namespaces/n'
  await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n', finalizers: ['orphan'] } })
  const answer = await server.request('DELETE', `${path}?propagationPolicy=Background&dryRun=All`)
  expect(answer.body).toEqual({ kind: 'Namespace', apiVersion: 'v1', metadata: { labels: { blank: 'yes' } }, spec: {}, status: {} })
  expect((await server.request('GET', path)).body.metadata.finalizers).toEqual(['orphan'])
  expect((await server.request('DELETE', `${path}?propagationPolicy=Background`)).body).toMatchObject({ kind: 'Status', status: 'Success' })
})
