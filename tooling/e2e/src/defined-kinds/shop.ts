import { defineKind, startKeelson } from '@keelson/testing'
import * as z from 'zod'

const group = { group: 'shop.example.com', version: 'v1' } as const
const products = defineKind({
  ...group,
  kind: 'Product',
  schema: z.object({ price: z.number().positive().describe('Price in euros.'), stock: z.int().min(0).default(1) }),
  columns: [{ name: 'Price', type: 'number', jsonPath: '.spec.price' }],
})
const orders = defineKind({
  ...group,
  kind: 'Order',
  shortNames: ['ord'],
  schema: z.object({ product: z.string(), count: z.int().positive().default(1) }),
  status: z.object({ phase: z.enum(['Pending', 'Paid']) }),
  rules: [({ spec }, old) => (old && old.spec.product !== spec.product ? { field: 'spec.product', message: 'cannot change' } : undefined)],
})
const shelves = defineKind({ ...group, kind: 'Shelf', plural: 'shelves', scope: 'Cluster', schema: z.object({ rows: z.int().default(4) }) })

export const cluster = await startKeelson({ kinds: [products, orders, shelves] })
const order = await cluster.resource(orders).create({ metadata: { name: 'first' }, spec: { product: 'lamp' } })
await cluster.resource(orders).patch('first', { status: { phase: 'Paid' } }, { subresource: 'status' })
export const firstCount: number = order.spec.count
