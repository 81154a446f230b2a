import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const user = { name: 'ann', groups: ['system:masters'] }
const widgets = '/apis/example.com/v1/namespaces/default/widgets'
const template = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { template } } } }],
  },
}
const problem =
  'template.metadata: Invalid value: {"labels":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string'

let chain: ServerChain
beforeAll(async () => {
  chain = await createServerChain({ controllers: ['none'], log: () => {} })
  await chain.start()
  await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await vi.waitUntil(async () => (await call('GET', widgets)).code === 200, { interval: 2, timeout: 10_000 })
})
afterAll(() => chain.close())

async function call(method: string, path: string, body?: object, type = 'json'): Promise<{ code: number; message: string }> {
  const bodyOption = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await chain.fetch(path, { method, user, headers: { 'content-type': `application/${type}` }, ...bodyOption })
  const text = await answer.text()
  // Before the definition is served, the answer is "404 page not found".
  const { message = '' } = text.startsWith('{') ? (JSON.parse(text) as { message?: string }) : {}
  return { code: answer.status, message }
}

function createWidget(name: string, metadata: object): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, template: { apiVersion: 'v1', kind: 'Pod', metadata } }
}

it('reports embedded metadata of the wrong type in a created object', async () => {
  expect(await call('POST', widgets, createWidget('a', { labels: 'x' }))).toEqual({
    code: 400,
    message: `Widget in version "v1" cannot be handled as a Widget: ${problem}`,
  })
})

it('reports embedded metadata of the wrong type in a patch', async () => {
  expect((await call('POST', widgets, createWidget('b', {}))).code).toBe(201)
  const { code, message } = await call('PATCH', `${widgets}/b`, { template: { metadata: { labels: 'x' } } }, 'merge-patch+json')
  expect(code).toBe(422)
  expect(message).toMatch(/^ "" is invalid: patch: Invalid value: "\{/)
  expect(message.endsWith(`: ${problem}`)).toBe(true)
})

it('reports unknown fields of embedded metadata', async () => {
  expect((await call('POST', `${widgets}?fieldValidation=Strict`, createWidget('c', { extra: 1 }))).message).toBe(
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "template.metadata.extra"',
  )
})
