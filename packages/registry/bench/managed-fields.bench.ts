import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { decodeStruct, Scheme } from '@keelson/apimachinery'
import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { fixturePod } from '../../api/src/testing/fixture-pod.ts'
import { storageFieldManager } from '../src/field-manager.ts'

/** `node packages/registry/bench/managed-fields.bench.ts`: microseconds for each write of a 3 KB pod, the least of some rounds. */
const kind = { group: '', version: 'v1', kind: 'Pod' }
const types = createApiTypes([coreV1, metaV1])
const storage = { gvk: kind, resetFields: withoutFields('status') }
const manager = storageFieldManager({ scheme: new Scheme(), types, kind, storage, subresource: '', now: () => 0 })!

const pod = decodeStruct<KubeObject>(types.kind(kind)!.schema, fixturePod() as unknown as JsonObject).object
delete pod.metadata.managedFields
const copy = (object: KubeObject): KubeObject => JSON.parse(JSON.stringify(object)) as KubeObject

const stored = copy(pod)
manager.update(undefined, stored, 'kubectl')
stored.metadata.uid = 'u'
const labelled = copy(stored)
labelled.metadata.labels = { ...labelled.metadata.labels, more: '1' }
const config = { kind: 'Pod', apiVersion: 'v1', metadata: { name: pod.metadata.name!, labels: { more: '1' } } }

const cases: Record<string, () => void> = {
  create: () => manager.update(undefined, { ...pod, metadata: { ...pod.metadata } }, 'kubectl'),
  'update of nothing': () => manager.update(stored, { ...stored, metadata: { ...stored.metadata } }, 'kubelet'),
  'update of a copy': () => manager.update(stored, other(), 'kubelet'),
  'update of a label': () => manager.update(stored, { ...labelled, metadata: { ...labelled.metadata } }, 'kubelet'),
  'apply of a label': () => void manager.apply(stored, config, 'applier', false),
}
const twin = copy(stored)
function other(): KubeObject {
  return { ...twin, metadata: { ...twin.metadata } }
}

console.log(`pod: ${JSON.stringify(pod).length} bytes, managedFields: ${JSON.stringify(stored.metadata.managedFields).length} bytes`)
for (const [name, run] of Object.entries(cases)) {
  const rounds: number[] = []
  for (let round = 0; round < 9; round++) {
    const start = performance.now()
    for (let i = 0; i < 5000; i++) run()
    rounds.push(((performance.now() - start) * 1000) / 5000)
  }
  console.log(`${name}: ${Math.min(...rounds).toFixed(1)} µs`)
}
