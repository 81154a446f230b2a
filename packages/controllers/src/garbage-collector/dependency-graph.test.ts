import { beforeEach, expect, it } from 'vitest'
import { DependencyGraph } from './dependency-graph.ts'

const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', namespace: 'a', name: 'g' }
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'c' }
let queued: string[]
let graph: DependencyGraph
beforeEach(() => {
  queued = []
  graph = new DependencyGraph((uid) => queued.push(uid))
  for (const [uid, owner] of [
    ['of-gadget', { ...gadget, uid: 'gadget' }],
    ['of-config-map', { ...configMap, uid: 'config-map' }],
  ] as const) {
    const { namespace, ...reference } = owner
    const identity = { group: '', resource: 'pods', apiVersion: 'v1', kind: 'Pod', namespace, name: uid, uid }
    graph.observe(identity, { name: uid, namespace, uid, ownerReferences: [reference] })
  }
})

it('queues new dependents, and the dependents of a removed owner', () => {
  expect(queued).toEqual(['of-gadget', 'of-config-map'])
  graph.remove('gadget')
  expect(queued.slice(2)).toEqual(['of-gadget'])
  expect([graph.deletionsSeen('gadget'), graph.deletionsSeen('config-map')]).toEqual([1, 0])
})

it('queues the dependents of verified owners of one kind after a gap in its watch', () => {
  graph.verified('gadget', gadget, 0)
  graph.verified('config-map', configMap, 0)
  graph.reverify({ group: 'example.com', kind: 'ConfigMap' })
  expect(queued.slice(2)).toEqual([])
  graph.reverify({ group: 'example.com', kind: 'Gadget' })
  expect(queued.slice(2)).toEqual(['of-gadget'])
})
