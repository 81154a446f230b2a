import { afterAll, beforeAll, expect, it } from 'vitest'
import { createServerChain } from './index.ts'
import type { ServerChain } from './index.ts'

const user = { name: 'admin', groups: ['system:masters'] }

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
}
interface Operation {
  readonly description?: string
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
}
type PathItem = Pick<Operation, 'parameters'> & { readonly [Method in 'get' | 'put' | 'post' | 'delete' | 'patch']?: Operation }
interface Document {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> }
}

let server: ServerChain
beforeAll(async () => {
  server = await createServerChain({ controllers: ['none'], features: { runtimeConfig: { 'api/all': true } }, log: () => {} })
  await server.start()
})
afterAll(() => server[Symbol.asyncDispose]())

async function request<Body>(path: string): Promise<Body> {
  return (await (await server.fetch(path, { user, headers: { accept: 'application/json' } })).json()) as Body
}

it('describes every type, field, operation and parameter that the server serves', async () => {
  const { paths } = await request<{ readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> }>('/openapi/v3')
  const undescribed = new Set<string>()
  let count = 0
  const check = (name: string, { description = '' }: { readonly description?: string }): void => {
    count++
    if (description === '') undescribed.add(name)
  }
  for (const { serverRelativeURL } of Object.values(paths)) {
    const document = await request<Document>(serverRelativeURL)
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
      check(name, schema)
      for (const [field, property] of Object.entries(schema.properties ?? {})) check(`${name}.${field}`, property)
    }
    for (const [path, { parameters = [], ...operations }] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) check(`${method} ${path}`, operation)
      const lists = [parameters, ...Object.values(operations).map((operation) => operation.parameters ?? [])]
      for (const parameter of lists.flat()) check(`${path} ${parameter.name}`, parameter)
    }
  }
  expect(count).toBeGreaterThan(10_000)
  expect([...undescribed]).toEqual([])
})
