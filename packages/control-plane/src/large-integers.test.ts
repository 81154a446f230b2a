import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { askServerForText } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const numbers = '/apis/example.com/v1/numbers'
/** The schema has integers that a double cannot represent, so it is written as text. */
const definition = `{
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "numbers.example.com"},
  "spec": {
    "group": "example.com", "scope": "Cluster", "names": {"plural": "numbers", "kind": "Number"},
    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
      "default": {"type": "integer", "default": 9007199254740993},
      "choice": {"type": "integer", "enum": [9007199254740993]},
      "limited": {"type": "integer", "maximum": 9007199254740992}
    }}}}]
  }
}`

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain()
  expect((await send('POST', definitions, definition)).status).toBe(201)
  await vi.waitUntil(async () => (await send('GET', numbers)).status === 200)
})
afterAll(() => chain.close())

function send(method: string, path: string, body?: string): ReturnType<typeof askServerForText> {
  return askServerForText(chain, method, path, { body })
}

function create(name: string, members: string): ReturnType<typeof askServerForText> {
  return send('POST', numbers, `{"apiVersion":"example.com/v1","kind":"Number","metadata":{"name":"${name}"}${members}}`)
}

it('a default keeps an integer that a double cannot represent', async () => {
  const { status, text } = await create('a', '')
  expect([status, text]).toEqual([201, expect.stringContaining('"default":9007199254740993')])
  expect((await send('GET', `${numbers}/a`)).text).toContain('"default":9007199254740993')
})

it('an enum keeps such an integer', async () => {
  expect((await create('b', ',"choice":9007199254740993')).status).toBe(201)
  const { status, text } = await create('c', ',"choice":9007199254740992')
  expect([status, text]).toEqual([422, expect.stringContaining('supported values: \\"9007199254740993\\"')])
})

it('limits are floating-point numbers', async () => {
  expect((await create('d', ',"limited":9007199254740992')).status).toBe(201)
  const { status, text } = await create('e', ',"limited":9007199254740994')
  expect([status, text]).toEqual([422, expect.stringContaining('should be less than or equal to 9007199254740992')])
})

it('the OpenAPI document has the integers of the definition', async () => {
  const { text } = await send('GET', '/openapi/v3/apis/example.com/v1')
  expect(text).toContain('"default":9007199254740993')
  expect(text).toContain('"enum":[9007199254740993]')
})
