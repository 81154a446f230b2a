import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineKind, startKeelson } from './index.ts'
import type { KeelsonCluster, KubeObject } from './index.ts'
import { widgetManifests } from './widgets.fixture.ts'

const group = { group: 'shop.example.com', version: 'v1' }
const products = defineKind({
  ...group,
  kind: 'Product',
  shortNames: ['prd'],
  schema: z
    .object({
      price: z.number().positive().describe('Price in euros.'),
      stock: z.int().min(0).default(1),
      color: z.enum(['red', 'blue']).optional(),
      mail: z.email().optional(),
      port: z.union([z.string(), z.int()]).optional(),
      tags: z.record(z.string(), z.string()).optional(),
      note: z.string().nullable().optional(),
      extra: z.looseObject({ known: z.string() }).optional(),
      payment: z
        .discriminatedUnion('by', [z.object({ by: z.literal('card'), number: z.string() }), z.object({ by: z.literal('cash') })])
        .optional(),
    })
    .refine(({ price, stock }) => price * stock < 1000, { message: 'the stock is too expensive', path: ['stock'] }),
  status: z.object({ phase: z.enum(['Listed', 'Sold']) }),
  columns: [{ name: 'Price', type: 'number', jsonPath: '.spec.price' }],
  selectableFields: ['.spec.color'],
  rules: [
    ({ spec }, old) =>
      old !== undefined && spec.price > old.spec.price * 2 ? { field: 'spec.price', message: 'prices may only double' } : undefined,
  ],
})
const shelves = defineKind({ ...group, kind: 'Shelf', plural: 'shelves', scope: 'Cluster', schema: z.object({ rows: z.int().default(4) }) })
const orders = defineKind({
  ...group,
  kind: 'Order',
  schema: {
    type: 'object',
    required: ['product'],
    properties: { product: { type: 'string' }, count: { type: ['integer', 'null'], exclusiveMinimum: 0 } },
  },
})

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({ kinds: [products, shelves, orders] })
})
afterAll(() => cluster.close())

describe('a kind from a Zod schema', () => {
  test('is validated, defaulted and pruned', async () => {
    const resource = cluster.resource(products)
    const withUnknownField = { price: 20, port: 'http', unknown: true }
    const created = await resource.create({ metadata: { name: 'lamp' }, spec: withUnknownField })
    expect(created.spec).toEqual({ price: 20, stock: 1, port: 'http' })
    const full = { price: 20, tags: { a: 'b' }, note: null, extra: { known: 'k', other: 1 }, payment: { by: 'card', number: '7' } } as const
    const { metadata, spec } = await resource.create({ metadata: { name: 'full' }, spec: { ...full, port: 80 } })
    expect(spec).toEqual({ ...full, note: null, port: 80, stock: 1 })
    await resource.delete(metadata.name!)
    const createBad = (changes: object): Promise<unknown> => resource.create({ metadata: { name: 'bad' }, spec: { price: 1, ...changes } })
    await expect(createBad({ price: -1 })).rejects.toThrow('spec.price: Invalid value: -1: spec.price in body should be greater than 0')
    await expect(createBad({ color: 'green' })).rejects.toThrow('spec.color: Unsupported value: "green"')
    await expect(createBad({ mail: 'nobody' })).rejects.toMatchObject({ reason: 'Invalid' })
    await expect(createBad({ tags: { a: 1 } })).rejects.toMatchObject({ reason: 'Invalid' })
  })

  test('checks refinements and rules, which are functions, also for changes of the status', async () => {
    const resource = cluster.resource(products)
    await resource.create({ metadata: { name: 'sofa' }, spec: { price: 400 } })
    await expect(resource.patch('sofa', { spec: { stock: 3 } })).rejects.toMatchObject({
      code: 422,
      message: 'Product.shop.example.com "sofa" is invalid: spec.stock: Invalid value: the stock is too expensive',
    })
    await expect(resource.patch('sofa', { spec: { price: 900 } })).rejects.toThrow('spec.price: Invalid value: prices may only double')
    await expect(resource.create({ metadata: { name: 'pay' }, spec: { price: 1, payment: { by: 'card' } as never } })).rejects.toThrow(
      'spec.payment.number: Invalid value: ',
    )
    expect((await resource.patch('sofa', { spec: { price: 700 } })).spec.price).toBe(700)
    expect((await resource.patch('sofa', { status: { phase: 'Listed' } }, { subresource: 'status' })).status).toEqual({ phase: 'Listed' })
  })

  test('is applied, selected, shown in columns, and documented', async () => {
    const resource = cluster.resource(products)
    await resource.apply({ metadata: { name: 'mug' }, spec: { price: 5, color: 'red' } }, { fieldManager: 'me' })
    await expect(resource.apply({ metadata: { name: 'mug' }, spec: { price: 6 } }, { fieldManager: 'you' })).rejects.toMatchObject({
      reason: 'Conflict',
    })
    expect((await resource.list({ fieldSelector: 'spec.color=red' })).items.map(({ metadata }) => metadata.name)).toEqual(['mug'])
    const table = await cluster.fetch(resource.getPath('mug', { namespace: 'default' }), {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    expect(await table.json()).toMatchObject({ rows: [{ cells: ['mug', 5] }] })
    const openApi = await (await cluster.fetch('/openapi/v3/apis/shop.example.com/v1')).text()
    expect(openApi).toContain('Price in euros.')
  })

  test('has a spec with all defaults if it is left out', async () => {
    const shelf = await cluster.resource(shelves).create({ metadata: { name: 's' } })
    expect(shelf.spec).toEqual({ rows: 4 })
    expect(shelf.metadata.namespace).toBeUndefined()
  })

  test('keeps its rules in forks', async () => {
    await using fork = await cluster.fork()
    await expect(fork.resource(products).create({ metadata: { name: 'x' }, spec: { price: 999, stock: 2 } })).rejects.toThrow(
      'too expensive',
    )
  })
})

test('a kind from a JSON Schema accepts null where the schema does', async () => {
  const resource = cluster.resource(orders)
  expect((await resource.create({ metadata: { name: 'a' }, spec: { product: 'lamp', count: null } })).spec).toEqual({
    product: 'lamp',
    count: null,
  })
  await expect(resource.create({ metadata: { name: 'b' }, spec: { product: 'lamp', count: 0 } })).rejects.toThrow(
    'should be greater than 0',
  )
  await expect(resource.create({ metadata: { name: 'c' }, spec: {} as never })).rejects.toThrow('spec.product: Required value')
})

test('a kind from the YAML of a definition has rules', async () => {
  interface Widget extends KubeObject {
    spec?: { size?: number }
  }
  const definition = widgetManifests.slice(widgetManifests.indexOf('---') + 4)
  const widgets = defineKind<Widget>({ definition, rules: [async ({ spec }) => (spec?.size === 4 ? 'four is unlucky' : undefined)] })
  await using other = await startKeelson({ kinds: [widgets], controllers: ['none'] })
  const resource = other.resource(widgets)
  expect((await resource.create({ metadata: { name: 'a' }, spec: { size: 3 } })).spec).toEqual({ size: 3, color: 'red' })
  await expect(resource.patch('a', { spec: { size: 4 } })).rejects.toThrow(
    'Widget.example.com "a" is invalid: <nil>: Invalid value: four is unlucky',
  )
})

test('a text that is no definition is refused', () => {
  expect(() => defineKind({ definition: 'kind: Pod' })).toThrow('the text must be one CustomResourceDefinition')
})
