import type { Pod } from '@keelson/api/core/v1'
import { copyObject, nameIsDNSSubdomain, validateObjectMeta } from '@keelson/apimachinery'
import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { createRecordCodecs, createStorageFieldManager } from '@keelson/registry'
import { pods } from '@keelson/resources-core'
import { decodePod, createDefaultedPod, gvk, podType, scheme, types } from './pod-kind.ts'

/** One step of a write, for example decoding. `prepare` creates the input of the step and is not measured. */
export interface Step<T = unknown> {
  prepare(): T
  run(prepared: T): void
}

const context = { warn() {} } as unknown as RequestContext

function step<T>(prepare: () => T, run: (prepared: T) => void): Step {
  return { prepare, run }
}

/** Returns the steps by the name of their item. */
export function createSteps(): Readonly<Record<string, Step>> {
  const manager = createStorageFieldManager({
    scheme,
    types,
    kind: gvk,
    storage: { gvk, resetFields: withoutFields('status') },
    subresource: '',
    now: () => 0,
  })!
  const stored = createDefaultedPod()
  void manager.update(undefined, stored, 'kube-controller-manager')
  Object.assign(stored.metadata, { uid: '0d4f2b1e-6a43-4a1f-9a1e-5b7d3c2f1a90', creationTimestamp: '2026-03-14T09:26:53Z' })
  const codec = createRecordCodecs({ schemaVersion: 1 })({ kind: podType, selectableFields: pods.selectableFields as never })
  const config = { kind: 'Pod', apiVersion: 'v1', metadata: { name: stored.metadata.name!, labels: { more: '1' } } }
  return {
    decode: step(() => {}, decodePod),
    validate: step(decodePod, validate),
    managers: step(createDefaultedPod, (pod) => void manager.update(undefined, pod, 'kube-controller-manager')),
    'managers-update': step(
      () => addLabel(stored),
      (pod) => void manager.update(stored, pod, 'kubelet'),
    ),
    'managers-apply': step(
      () => copyObject(stored),
      (pod) => void manager.apply(pod, config, 'applier', false),
    ),
    encode: step(
      () => copyObject(stored),
      (pod) => void codec.encode(pod as KubeObject),
    ),
  }
}

function addLabel(pod: Pod): Pod {
  const copy = copyObject(pod)
  copy.metadata.labels = { ...copy.metadata.labels, more: '1' }
  return copy
}

function validate(pod: Pod): void {
  scheme.setDefaults(gvk, pod)
  const errors = [
    ...validateObjectMeta(pod.metadata, { namespaced: true, validateName: pods.validateName ?? nameIsDNSSubdomain }),
    ...(pods.strategy.validateCreate?.(context, pod) ?? []),
  ]
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
}
