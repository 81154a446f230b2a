import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatKey, NodeGraph } from './node-graph.ts'
import type { RelatedResource } from './node-graph.ts'
import type { ObjectReference } from './object-references.ts'

const createSecretReference = (name: string): ObjectReference => ({ resource: 'secrets', namespace: 'ns', name })
const claim = (name: string): ObjectReference => ({ resource: 'persistentvolumeclaims', namespace: 'ns', name })
const createNamespacedName = (name: string) => ({ namespace: 'ns', name })
const createClusterName = (name: string) => ({ namespace: '', name })

test('relates a secret of a volume to the nodes of the bound claim', () => {
  const graph = new NodeGraph()
  graph.setVolume('v', createNamespacedName('c'), [createSecretReference('s')])
  expect(graph.isRelated('secrets', createNamespacedName('s'), 'n1')).toBe(false)
  graph.setPod(formatKey('ns', 'a'), 'n1', [claim('c')])
  graph.setPod(formatKey('ns', 'b'), 'n2', [claim('c'), createSecretReference('s')])
  for (const node of ['n1', 'n2']) {
    expect(graph.isRelated('secrets', createNamespacedName('s'), node)).toBe(true)
    expect(graph.isRelated('persistentvolumeclaims', createNamespacedName('c'), node)).toBe(true)
    expect(graph.isRelated('persistentvolumes', createClusterName('v'), node)).toBe(true)
  }
  graph.deleteVolume('v')
  expect(graph.isRelated('persistentvolumes', createClusterName('v'), 'n1')).toBe(false)
  expect(graph.isRelated('secrets', createNamespacedName('s'), 'n1')).toBe(false)
  // The second pod also refers to the secret directly.
  expect(graph.isRelated('secrets', createNamespacedName('s'), 'n2')).toBe(true)
})

test('does not relate objects in other namespaces', () => {
  const graph = new NodeGraph()
  graph.setPod(formatKey('ns', 'a'), 'n1', [createSecretReference('s')])
  expect(graph.isRelated('secrets', { namespace: 'other', name: 's' }, 'n1')).toBe(false)
  expect(graph.isRelated('pods', createNamespacedName('a'), 'n1')).toBe(true)
  expect(graph.isRelated('pods', createClusterName('a'), 'n1')).toBe(false)
})

type Step =
  | { readonly type: 'pod'; readonly name: string; readonly node: string; readonly uses: readonly ObjectReference[] }
  | { readonly type: 'volume'; readonly name: string; readonly claim: string | undefined; readonly secrets: readonly ObjectReference[] }
  | { readonly type: 'attachment'; readonly name: string; readonly node: string }
  | { readonly type: 'remove pod' | 'remove volume'; readonly name: string }

const generateFew = (...values: string[]) => fc.constantFrom(...values)
const names = generateFew('a', 'b', 'c')
const nodes = generateFew('n1', 'n2', 'n3')
const references = fc.array(fc.oneof(names.map(createSecretReference), names.map(claim)), { maxLength: 4 })
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('pod' as const), name: generateFew('p', 'q', 'r'), node: nodes, uses: references }),
    fc.record({
      type: fc.constant('volume' as const),
      name: generateFew('v', 'w'),
      claim: fc.option(names, { nil: undefined }),
      secrets: fc.array(names.map(createSecretReference), { maxLength: 2 }),
    }),
    fc.record({ type: fc.constant('attachment' as const), name: names, node: generateFew('n1', 'n2', '') }),
    fc.record({
      type: generateFew('remove pod', 'remove volume') as fc.Arbitrary<'remove pod'>,
      name: generateFew('p', 'q', 'r', 'v', 'w'),
    }),
  ),
  { maxLength: 40 },
)

function run(graph: NodeGraph, step: Step): void {
  if (step.type === 'pod') graph.setPod(formatKey('ns', step.name), step.node, step.uses)
  else if (step.type === 'volume')
    graph.setVolume(step.name, step.claim === undefined ? undefined : createNamespacedName(step.claim), step.secrets)
  else if (step.type === 'attachment') graph.setNode('volumeattachments', step.name, step.node)
  else if (step.type === 'remove pod') graph.deletePod(formatKey('ns', step.name))
  else graph.deleteVolume(step.name)
}

/** Returns every decision of the graph about the objects of the steps, and the number of objects in the graph. */
function createDecisions(graph: NodeGraph): unknown {
  const listRelated = (resource: RelatedResource, objects: readonly { namespace: string; name: string }[]): string[] =>
    objects.flatMap((object) =>
      ['n1', 'n2', 'n3'].flatMap((node) => (graph.isRelated(resource, object, node) ? [`${resource} ${object.name} ${node}`] : [])),
    )
  return {
    used: graph.usedObjects,
    related: [
      ...listRelated('secrets', ['a', 'b', 'c'].map(createNamespacedName)),
      ...listRelated('persistentvolumeclaims', ['a', 'b', 'c'].map(createNamespacedName)),
      ...listRelated('pods', ['p', 'q', 'r'].map(createNamespacedName)),
      ...listRelated('persistentvolumes', ['v', 'w'].map(createClusterName)),
      ...listRelated('volumeattachments', ['a', 'b', 'c'].map(createClusterName)),
    ],
  }
}

/** Computes the same decisions by following references from each pod, without counters. */
function computeDecisionsByReferences(pods: ReadonlyMap<string, Step>, volumes: ReadonlyMap<string, Step>): string[] {
  const onNode = (resource: string, name: string, node: string): boolean =>
    [...pods.values()].some(
      (pod) => pod.type === 'pod' && pod.node === node && pod.uses.some((use) => use.resource === resource && use.name === name),
    ) ||
    (resource === 'secrets' &&
      [...volumes.values()].some(
        (volume) =>
          volume.type === 'volume' &&
          volume.claim !== undefined &&
          volume.secrets.some((use) => use.name === name) &&
          onNode('persistentvolumeclaims', volume.claim, node),
      ))
  return ['secrets', 'persistentvolumeclaims'].flatMap((resource) =>
    ['a', 'b', 'c'].flatMap((name) =>
      ['n1', 'n2', 'n3'].flatMap((node) => (onNode(resource, name, node) ? [`${resource} ${name} ${node}`] : [])),
    ),
  )
}

test('equals a graph that is built from the remaining objects, after any changes', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const graph = new NodeGraph()
      const pods = new Map<string, Step>()
      const volumes = new Map<string, Step>()
      const attachments = new Map<string, Step>()
      for (const step of changes) {
        run(graph, step)
        if (step.type === 'pod') pods.set(step.name, step)
        else if (step.type === 'volume') volumes.set(step.name, step)
        else if (step.type === 'attachment') attachments.set(step.name, step)
        else (step.type === 'remove pod' ? pods : volumes).delete(step.name)
      }
      const rebuilt = new NodeGraph()
      for (const step of [...volumes.values(), ...attachments.values(), ...pods.values()]) run(rebuilt, step)
      expect(createDecisions(graph)).toEqual(createDecisions(rebuilt))
      const { related } = createDecisions(graph) as { related: string[] }
      expect(related.filter((text) => /^(secrets|persistentvolumeclaims)/.test(text))).toEqual(computeDecisionsByReferences(pods, volumes))

      for (const name of pods.keys()) graph.deletePod(formatKey('ns', name))
      for (const name of volumes.keys()) graph.deleteVolume(name)
      expect(graph.usedObjects).toBe(0)
    }),
    { numRuns: 300 },
  )
})
