import { readFileSync } from 'node:fs'
import { createApiTypes } from '@keelson/api'
import { appsV1 } from '@keelson/api/apps/v1'
import { coreV1 } from '@keelson/api/core/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { decodeStruct, Scheme } from '@keelson/apimachinery'
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '@keelson/apimachinery'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createStorageFieldManager } from './write/route.ts'

// The clock stands still, so no step takes long, and `update` never pauses.
beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(0))

/** A random write and its result in kube-apiserver 1.36.4, without timestamps. */
interface RecordedWrite {
  readonly op: 'apply' | 'update'
  readonly manager: string
  readonly force?: boolean
  readonly live: KubeObject
  readonly given: KubeObject
  readonly want: { readonly managedFields?: readonly ManagedFieldsEntry[]; readonly object?: KubeObject; readonly error?: string }
}

const types = createApiTypes([coreV1, appsV1, metaV1])
const writes = readFileSync(new URL('../testdata/managed-fields.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedWrite)

/** Returns the result of a write in the format of the recording. */
function runToOutcome(run: () => KubeObject, decode: (object: KubeObject) => KubeObject): RecordedWrite['want'] {
  let result: KubeObject
  try {
    result = run()
  } catch (error) {
    // kube-apiserver visits field managers in random order, so the lines of its message are sorted before comparing.
    return { error: (error as Error).message.split('\n').toSorted().join('\n') }
  }
  const { managedFields = [], uid: _uid, ...metadata } = result.metadata
  const entries = managedFields.map((entry) => {
    const { time: _time, ...untimed } = entry
    return untimed
  })
  return { managedFields: entries.toSorted(compareByText), object: decode({ ...result, metadata }) }
}

function compareByText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}

describe('random writes have the same result as in kube-apiserver', () => {
  it.each(writes.map((write, i) => [`${i}: ${write.op} of a ${write.live.kind}`, write] as const))('%s', (_name, write) => {
    const { kind = '', apiVersion = '', ...live } = write.live
    const [version = '', group = ''] = apiVersion.split('/').toReversed()
    const gvk = { group, version, kind }
    const decode = (object: KubeObject): KubeObject =>
      decodeStruct<KubeObject>(types.kind(gvk)!.schema, object as unknown as JsonObject).object
    const manager = createStorageFieldManager({ scheme: new Scheme(), types, kind: gvk, storage: { gvk }, subresource: '', now: () => 0 })!
    const run = (): KubeObject => {
      if (write.op === 'apply') return manager.apply(live, write.given as unknown as JsonObject, write.manager, write.force === true)
      const newObject = decode(write.given)
      void manager.update(live, newObject, write.manager)
      return newObject
    }
    expect(JSON.stringify(runToOutcome(run, decode))).toBe(JSON.stringify(write.want))
  })
})
