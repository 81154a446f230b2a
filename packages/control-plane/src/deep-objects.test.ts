import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const user = { name: 'ann', groups: ['system:masters'] }
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const trees = '/apis/example.com/v1/trees'
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'trees.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'trees', kind: 'Tree' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
        },
      },
    ],
  },
}

let chain: ServerChain
beforeAll(async () => {
  chain = await createServerChain({ controllers: ['none'], log: () => {} })
  await chain.start()
  expect((await send('POST', definitions, JSON.stringify(definition))).status).toBe(201)
  await vi.waitUntil(async () => (await send('GET', trees)).status === 200)
})
afterAll(() => chain.close())

async function send(method: string, path: string, body?: string, type = 'application/json'): Promise<{ status: number; text: string }> {
  const response = await chain.fetch(path, { method, user, headers: { 'content-type': type }, ...(body !== undefined && { body }) })
  return { status: response.status, text: await response.text() }
}

function nest(depth: number, [open, close]: readonly [string, string], inner: string): string {
  return `${open.repeat(depth)}${inner}${close.repeat(depth)}`
}

const shapes = { objects: ['{"a":', '}'], lists: ['[', ']'] } as const

it.each([300, 1000, 3000, 9000].flatMap((depth) => Object.entries(shapes).map(([shape, ends]) => [depth, shape, ends] as const)))(
  'an object with %d nested %s is accepted or refused with a reason',
  { timeout: 60_000 },
  async (depth, shape, ends) => {
    const name = `${shape}${depth}`
    const write = (inner: string, version = ''): string => {
      const metadata = JSON.stringify({ name, ...(version !== '' && { resourceVersion: version }) })
      return `{"apiVersion":"example.com/v1","kind":"Tree","metadata":${metadata},"spec":{"a":${nest(depth, ends, inner)}}}`
    }
    const created = await send('POST', trees, write('1'))
    const [, version = '1'] = /"resourceVersion":"(\d+)"/.exec(created.text) ?? []
    const answers = {
      created,
      updated: await send('PUT', `${trees}/${name}`, write('2', version)),
      merged: await send('PATCH', `${trees}/${name}`, write('3'), 'application/merge-patch+json'),
      applied: await send('PATCH', `${trees}/${name}?fieldManager=a&force=true`, write('4'), 'application/apply-patch+yaml'),
      appliedAgain: await send('PATCH', `${trees}/${name}?fieldManager=a&force=true`, write('5'), 'application/apply-patch+yaml'),
    }
    if (depth > 1200) expect(answers.created).toMatchObject({ status: 400, text: expect.stringContaining('exceeded max depth') })
    for (const { status, text } of Object.values(answers)) expect([200, 201, 400, 404], text).toContain(status)
    if (depth <= 1000) for (const { status, text } of Object.values(answers)) expect(status, text).toBeLessThan(300)
  },
)

it('patches cannot nest an object deeper than a request may', async () => {
  const deep = `/spec${'/a'.repeat(600)}`
  const spec = `{"a":${nest(600, shapes.objects, '{}')}}`
  const body = `{"apiVersion":"example.com/v1","kind":"Tree","metadata":{"name":"growing"},"spec":${spec}}`
  expect((await send('POST', trees, body)).status).toBe(201)
  const copy = (): Promise<{ status: number; text: string }> =>
    send('PATCH', `${trees}/growing`, JSON.stringify([{ op: 'copy', from: '/spec', path: `${deep}/a` }]), 'application/json-patch+json')
  const answers = [await copy(), await copy()]
  expect(answers).toMatchObject([{ status: 400, text: expect.stringContaining('exceeded max depth') }, { status: 400 }])
})
