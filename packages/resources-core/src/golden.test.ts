import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { eventsV1 } from '@keelson/api/events/v1'
import {
  decodeStruct,
  encodeJson,
  newBadRequest,
  newInvalid,
  parseGroupVersionKind,
  parseJson,
  Scheme,
  validateObjectMeta,
} from '@keelson/apimachinery'
import type { JsonObject, KubeObject, ObjectMeta, RequestContext, Status } from '@keelson/apimachinery'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { core } from './api-groups.ts'

/** Recorded responses of kube-apiserver. They are not in the repository; without them, these tests are skipped. */
const recorded = new URL('../../../../shared/golden/objects.jsonl', import.meta.url)
const kinds = new Set([
  'ConfigMap',
  'Secret',
  'Namespace',
  'ServiceAccount',
  'Event',
  'Node',
  'LimitRange',
  'ResourceQuota',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'PodTemplate',
  'ReplicationController',
  'Endpoints',
])

interface Step {
  readonly path: string
  readonly body: JsonObject
  readonly expect: { readonly code: number; readonly body: Status & JsonObject }
}
interface Case {
  readonly id: string
  readonly setup?: boolean
  readonly steps: readonly Step[]
}

const cases: Case[] = existsSync(recorded)
  ? readFileSync(recorded, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Case)
      .filter((recordedCase) => !recordedCase.setup && kinds.has(String(recordedCase.steps[0]?.body.kind)))
  : []

const types = createApiTypes([coreV1, eventsV1])
const scheme = new Scheme()
core.register(scheme)

/** Changes that the admission plugins of the recorded kube-apiserver make to new objects, by kind. */
const admit: Readonly<Record<string, (object: KubeObject & { spec?: { taints?: unknown[] } }) => void>> = {
  Node(node) {
    const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
    node.spec = { ...node.spec, taints: [...(node.spec?.taints ?? []), notReady] }
  },
  PersistentVolume: ({ metadata }) => protect(metadata, 'kubernetes.io/pv-protection'),
  PersistentVolumeClaim: ({ metadata }) => protect(metadata, 'kubernetes.io/pvc-protection'),
}

function protect(metadata: ObjectMeta, finalizer: string): void {
  metadata.finalizers = [...(metadata.finalizers ?? []), finalizer]
}

/**
 * Runs the steps of a create request without storing the object: decoding, defaults, preparation and validation. The result has no names,
 * UIDs and times.
 */
function create(step: Step): string | JsonObject {
  const { apiVersion, kind } = step.body
  const gvk = parseGroupVersionKind(String(apiVersion), String(kind))
  const type = types.kind(gvk)!
  const fail = (message: string): string =>
    newBadRequest(`${kind} in version "${gvk.version}" cannot be handled as a ${kind}: ${message}`).message
  let decoded: { object: KubeObject; strictErrors: readonly string[] }
  try {
    decoded = decodeStruct<KubeObject>(type.schema, parseJson(JSON.stringify(step.body)), { strict: 'Strict' })
  } catch (error) {
    return fail((error as Error).message)
  }
  if (decoded.strictErrors.length > 0) return fail(`strict decoding error: ${decoded.strictErrors.join(', ')}`)
  scheme.setDefaults(gvk, decoded.object)
  const object = scheme.toHub(gvk, decoded.object)
  const hub = scheme.findHub(gvk)!
  const definition = core.resources.find((resource) => resource.kind === hub.kind && resource.group === hub.group)!
  const namespaced = definition.scope === 'Namespaced'
  const context = { attributes: { apiGroup: gvk.group, apiVersion: gvk.version } } as RequestContext
  if (namespaced) object.metadata.namespace ??= 'golden'
  if (!object.metadata.name && object.metadata.generateName)
    object.metadata.name = `${object.metadata.generateName}${readGeneratedSuffix(step)}`
  admit[hub.kind]?.(object)
  definition.strategy.prepareForCreate?.(context, object)
  const errors = [
    ...validateObjectMeta(object.metadata, {
      namespaced,
      ...(definition.validateName === undefined ? undefined : { validateName: definition.validateName }),
    }),
    ...(definition.strategy.validateCreate?.(context, object) ?? []),
  ]
  if (errors.length > 0) return newInvalid(hub, object.metadata.name ?? '', errors).message
  definition.strategy.canonicalize?.(object)
  const { defaultOnRead } = definition.storage ?? {}
  if (defaultOnRead?.isDue(object) === true) defaultOnRead.fill(object)
  return JSON.parse(encodeJson(type.schema, scheme.fromHub(gvk, object))) as JsonObject
}

/** Returns the random suffix of a name that kube-apiserver generated. */
function readGeneratedSuffix({ body, expect: { body: answer } }: Step): string {
  const { generateName = '' } = body['metadata'] as { readonly generateName?: string }
  const name = answer.details?.name ?? (answer.metadata as { readonly name?: string }).name
  return name?.slice(generateName.length) || 'x'
}

function toComparable(body: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = body
  const {
    uid: _uid,
    creationTimestamp: _created,
    managedFields: _managed,
    resourceVersion: _version,
    ...metadata
  } = rest['metadata'] as JsonObject
  // A LimitRange without a name gets a UID as name.
  const name = String(metadata['name']).replace(/^[0-9a-f-]{36}$/, '<uid>')
  const { lastPhaseTransitionTime: _time, ...status } = (rest['status'] ?? {}) as JsonObject
  return { ...rest, metadata: { ...metadata, name }, status }
}

describe.skipIf(cases.length === 0)('create requests have the results that kube-apiserver returned', () => {
  it.each(cases.map((recordedCase) => [recordedCase.id, recordedCase] as const))('has the recorded result: %s', (_id, { steps }) => {
    const step = steps[0]!
    const answer = create(step)
    if (step.expect.code >= 400) expect(answer).toBe(step.expect.body.message!)
    else expect(toComparable(answer as JsonObject)).toEqual(toComparable(step.expect.body))
  })
})
