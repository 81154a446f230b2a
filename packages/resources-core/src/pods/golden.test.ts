import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { Pod, PodSpec } from '@keelson/api/core/v1'
import { decodeStruct, encodeJson, newBadRequest, newInvalid, parseJson, Scheme, validateObjectMeta } from '@keelson/apimachinery'
import type { JsonObject, RequestContext, Status } from '@keelson/apimachinery'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { core } from '../api-groups.ts'
import { pods } from './index.ts'

/** Recorded responses of kube-apiserver. They are not in the repository; without them, these tests are skipped. */
const recorded = new URL('../../../../../shared/golden/objects.jsonl', import.meta.url)
const gvk = { group: '', version: 'v1', kind: 'Pod' }

interface Step {
  readonly body: JsonObject
  readonly expect: { readonly code: number; readonly body: Status & JsonObject; readonly warning?: string }
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
      .filter(({ setup, steps }) => setup !== true && steps[0]?.body['kind'] === 'Pod')
  : []

const schema = createApiTypes([coreV1]).kind(gvk)!.schema
const scheme = new Scheme()
core.register(scheme)

interface Answer {
  readonly message?: string
  readonly pod?: Pod
  readonly warnings: readonly string[]
}

/** Runs the steps of a create request without storing the pod: decoding, defaults, service account, preparation and validation. */
function create({ body }: Step): Answer {
  const warnings: string[] = []
  const refuse = (message: string): Answer => ({
    message: newBadRequest(`Pod in version "v1" cannot be handled as a Pod: ${message}`).message,
    warnings,
  })
  let decoded: { object: Pod; strictErrors: readonly string[] }
  try {
    decoded = decodeStruct<Pod>(schema, parseJson(JSON.stringify(body)), { strict: 'Strict' })
  } catch (error) {
    return refuse((error as Error).message)
  }
  if (decoded.strictErrors.length > 0) return refuse(`strict decoding error: ${decoded.strictErrors.join(', ')}`)
  scheme.setDefaults(gvk, decoded.object)
  const pod = scheme.toHub(gvk, decoded.object) as Pod
  const context = { attributes: { apiGroup: '', apiVersion: 'v1' }, warn: (text: string) => void warnings.push(text) } as RequestContext
  pod.metadata.namespace ??= 'golden'
  pod.spec!.serviceAccountName ||= 'default'
  pods.strategy.prepareForCreate?.(context, pod)
  const errors = [...validateObjectMeta(pod.metadata, { namespaced: true }), ...(pods.strategy.validateCreate?.(context, pod) ?? [])]
  if (errors.length > 0) return { message: newInvalid(gvk, pod.metadata.name ?? '', errors).message, warnings }
  warnings.push(...((pods.strategy.warningsOnCreate?.(context, pod) ?? []) as readonly string[]))
  return { pod: JSON.parse(encodeJson(schema, pod)) as Pod, warnings }
}

/** Removes fields that admission plugins add to every pod: token volume, priority and tolerations. */
function withoutAdmission({ spec }: { readonly spec?: PodSpec }): unknown {
  const { priority: _p, preemptionPolicy: _e, tolerations, volumes, containers, initContainers, ...rest } = spec ?? { containers: [] }
  const isOwn = ({ name }: { readonly name: string }): boolean => !name.startsWith('kube-api-access-')
  const omitTokenMounts = (list: PodSpec['containers'] | undefined): unknown =>
    list?.map(({ volumeMounts, ...container }) => ({ ...container, volumeMounts: (volumeMounts ?? []).filter(isOwn) }))
  const trouble = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'node.kubernetes.io/memory-pressure'])
  return {
    ...rest,
    volumes: (volumes ?? []).filter(isOwn),
    containers: omitTokenMounts(containers),
    initContainers: omitTokenMounts(initContainers),
    tolerations: (tolerations ?? []).filter(({ key }) => !trouble.has(key ?? '')),
  }
}

describe.skipIf(cases.length === 0)('create requests of pods have the results that kube-apiserver returned', () => {
  it.each(cases.map((recordedCase) => [recordedCase.id, recordedCase] as const))('has the recorded result: %s', (_id, { steps }) => {
    const step = steps[0]!
    const { code, body, warning = '' } = step.expect
    const answer = create(step)
    if (code >= 400) {
      expect(answer.message).toBe(body.message)
      return
    }
    expect(answer.message).toBeUndefined()
    expect(withoutAdmission(answer.pod!)).toEqual(withoutAdmission(body as unknown as Pod))
    expect(answer.pod!.status).toEqual((body as unknown as Pod).status)
    const warnings = [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text!.replaceAll('\\"', '"'))
    expect(answer.warnings).toEqual(warnings)
  })
})
