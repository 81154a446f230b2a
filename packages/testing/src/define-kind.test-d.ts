import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { defineKind } from './index.ts'
import type { KeelsonCluster, KubeObject } from './index.ts'

declare const cluster: KeelsonCluster
const names = { group: 'example.com', version: 'v1' } as const

test('objects of a kind have the types of its Zod schemas', async () => {
  const widgets = defineKind({
    ...names,
    kind: 'Widget',
    schema: z.object({ size: z.int().default(3), color: z.enum(['red', 'blue']) }),
    status: z.object({ phase: z.string() }),
    rules: [({ spec }, old) => void expectTypeOf([spec.size, old?.spec.color]).toEqualTypeOf<('blue' | 'red' | number | undefined)[]>()],
  })
  const resource = cluster.resource(widgets)
  const widget = await resource.create({ metadata: { name: 'w' }, spec: { color: 'red' } })
  expectTypeOf(widget.spec).toEqualTypeOf<{ size: number; color: 'blue' | 'red' }>()
  expectTypeOf(widget.status).toEqualTypeOf<{ phase: string } | undefined>()
  // @ts-expect-error A field without a default is required.
  void resource.create({ metadata: { name: 'w' }, spec: {} })
  // @ts-expect-error Only the values of the enumeration are allowed.
  void resource.create({ metadata: { name: 'w' }, spec: { color: 'green' } })
})

test('a spec can be absent if all of its fields can', () => {
  const widgets = defineKind({ ...names, kind: 'Widget', schema: z.object({ size: z.int().default(3) }) })
  void cluster.resource(widgets).create({ metadata: { name: 'w' } })
  expectTypeOf(cluster.resource(widgets).get('w')).resolves.toHaveProperty('spec').toEqualTypeOf<{ size: number }>()
})

test('objects of a kind have the types of its JSON Schema', async () => {
  const widgets = defineKind({
    ...names,
    kind: 'Widget',
    schema: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer' },
        color: { enum: ['red', 'blue'] },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        parts: { type: 'array', items: { type: 'object', properties: { port: { 'x-kubernetes-int-or-string': true } } } },
      },
    },
  })
  const { spec } = await cluster.resource(widgets).get('w')
  expectTypeOf(spec.size).toEqualTypeOf<number>()
  expectTypeOf(spec.color).toEqualTypeOf<'blue' | 'red' | undefined>()
  expectTypeOf(spec.labels).toEqualTypeOf<Record<string, string> | undefined>()
  expectTypeOf(spec.parts).toEqualTypeOf<{ port?: number | string }[] | undefined>()
})

test('a kind of a definition has the named type', () => {
  interface Widget extends KubeObject {
    spec?: { size?: number }
  }
  expectTypeOf(cluster.resource(defineKind<Widget>({ definition: '' })).get('w')).resolves.toEqualTypeOf<Widget>()
})
