import { createApiTypes } from '@keelson/api'
import { appsV1 } from '@keelson/api/apps/v1'
import { batchV1 } from '@keelson/api/batch/v1'
import { coreV1 } from '@keelson/api/core/v1'
import type { PodTemplateSpec } from '@keelson/api/core/v1'
import { decodeStruct, encodeJson, formatFieldErrorBody, newFieldPath, parseGroupVersionKind, parseJson } from '@keelson/apimachinery'
import type { JsonObject, JsonValue, KubeObject, Status } from '@keelson/apimachinery'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { setPodTemplateDefaults } from './pod-spec-defaults.ts'
import { validatePodTemplateSpec } from './validate-pod-template.ts'

/** Recorded responses of kube-apiserver. They are not in the repository; without them, these tests are skipped. */
const recorded = new URL('../../../../../shared/golden/objects.jsonl', import.meta.url)

/** Path of the pod template for each workload kind. */
const templatePaths: Readonly<Record<string, readonly [string, ...string[]]>> = {
  PodTemplate: ['template'],
  ReplicationController: ['spec', 'template'],
  Deployment: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
}

interface Step {
  readonly body: JsonObject
  readonly expect: { readonly code: number; readonly body: Status & JsonObject }
}
interface Case {
  readonly id: string
  readonly steps: readonly Step[]
}

const types = createApiTypes([coreV1, appsV1, batchV1])

const cases: Case[] = existsSync(recorded)
  ? readFileSync(recorded, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Case)
      .filter(({ steps: [step] }) => {
        const kind = String(step?.body['kind'])
        return (
          templatePaths[kind] !== undefined &&
          !hasTemplateChange(step!) &&
          types.kind(parseGvk(step!)) !== undefined &&
          step!.expect.code !== 400
        )
      })
  : []

function parseGvk({ body }: Step): ReturnType<typeof parseGroupVersionKind> {
  return parseGroupVersionKind(String(body['apiVersion']), String(body['kind']))
}

/**
 * Returns whether the server changes the pod template of the kind before validation. StatefulSets get volumes for their claims, Jobs get
 * labels.
 */
function hasTemplateChange({ body }: Step): boolean {
  const longName = String(locateAt(body, ['metadata', 'name']) ?? '').length > 63
  return locateAt(body, ['spec', 'volumeClaimTemplates']) !== undefined || (body['kind'] === 'Job' && longName)
}

function locateAt(value: unknown, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (foundJsonValue, name) => (foundJsonValue as JsonObject | undefined)?.[name],
    value as JsonValue,
  )
}

/** Returns whether the rule for this error applies only to pod templates of some kinds. */
function isKindSpecific(field: string, path: string): boolean {
  return ['spec.restartPolicy', 'spec.activeDeadlineSeconds', 'metadata.labels'].some((member) => field === `${path}.${member}`)
}

describe.skipIf(cases.length === 0)('pod templates have the errors that kube-apiserver returned', () => {
  it.each(cases.map((recordedCase) => [recordedCase.id, recordedCase] as const))('has the recorded errors: %s', (_id, { steps }) => {
    const step = steps[0]!
    const { code, body } = step.expect
    const { schema } = types.kind(parseGvk(step))!
    const path = templatePaths[String(step.body['kind'])]!
    const { object } = decodeStruct<KubeObject>(schema, parseJson(JSON.stringify(step.body)), { strict: 'Ignore' })
    const template = locateAt(object, path) as PodTemplateSpec | undefined
    if (template === undefined) return
    setPodTemplateDefaults(template)
    const errors = validatePodTemplateSpec(template, newFieldPath(...path))
    const prefix = path.join('.')
    if (code >= 400) {
      const causes = (body.details?.causes ?? []).filter(
        ({ field = '' }) => field.startsWith(`${prefix}.`) && !isKindSpecific(field, prefix),
      )
      expect(errors.map((error) => ({ reason: error.type, message: formatFieldErrorBody(error), field: error.field }))).toEqual(causes)
      return
    }
    expect(errors).toEqual([])
    const answer = JSON.parse(encodeJson(schema, object)) as JsonObject
    expect(locateAt(answer, [...path, 'spec'])).toEqual(locateAt(body, [...path, 'spec']))
  })
})
