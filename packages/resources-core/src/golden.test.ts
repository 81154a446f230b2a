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
import type { JsonObject, KubeObject, RequestContext, Status } from '@keelson/apimachinery'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { registerCore } from './register-core.ts'
import { coreResources } from './resources.ts'

/** What the original answered, recorded; beside the repository, and skipped where it is absent. */
const recorded = new URL('../../../../shared/golden/objects.jsonl', import.meta.url)
const kinds = new Set(['ConfigMap', 'Secret', 'Namespace', 'ServiceAccount', 'Event'])

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
registerCore(scheme)

/** Decoding, defaults, the strategy and validation, as a create goes through them; without names, uids and times. */
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
  const hub = scheme.hubOf(gvk)!
  const definition = coreResources.find((resource) => resource.kind === hub.kind && resource.group === hub.group)!
  const namespaced = definition.scope === 'Namespaced'
  const context = { info: { apiGroup: gvk.group, apiVersion: gvk.version } } as RequestContext
  if (namespaced) object.metadata.namespace ??= 'golden'
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
  return JSON.parse(encodeJson(type.schema, scheme.fromHub(gvk, object))) as JsonObject
}

function comparable(body: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = body
  const {
    uid: _uid,
    creationTimestamp: _created,
    managedFields: _managed,
    resourceVersion: _version,
    ...metadata
  } = rest['metadata'] as JsonObject
  return { ...rest, metadata }
}

describe.skipIf(cases.length === 0)('recorded creates', () => {
  it.each(cases.map((recordedCase) => [recordedCase.id, recordedCase] as const))('%s', (_id, { steps }) => {
    const step = steps[0]!
    const answer = create(step)
    if (step.expect.code >= 400) expect(answer).toBe(step.expect.body.message!)
    else expect(comparable(answer as JsonObject)).toEqual(comparable(step.expect.body))
  })
})
