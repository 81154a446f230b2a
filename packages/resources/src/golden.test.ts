import { createApiTypes } from '@keelson/api'
import { decodeStruct, encodeJson, isApiError, newBadRequest, parseGroupVersionKind, parseJson, Scheme } from '@keelson/apimachinery'
import type { JsonObject, KubeObject, Status } from '@keelson/apimachinery'
import type { ResourceDefinition } from '@keelson/registry'
import { openTestStore, getPlainObject, testContext } from '@keelson/registry/testing'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { apiGroups } from './api-groups.ts'

/** File with recorded responses of kube-apiserver. It is not in the repository; without it, these tests are skipped. */
const recorded = new URL('../../../../shared/golden/objects.jsonl', import.meta.url)

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

const definitions = new Map<string, ResourceDefinition>(
  apiGroups
    .flatMap(({ resources }) => resources)
    .flatMap((resource) =>
      [resource, ...(resource.alsoServedAs ?? [])]
        // The recorded server had beta versions switched off.
        .filter(({ version }) => /^v\d+$/.test(version))
        .map(({ group, version }) => [`${group}/${version} ${resource.kind}`, resource] as const),
    ),
)
const findDefinition = ({ body }: Step): ResourceDefinition | undefined =>
  definitions.get(`${String(body['apiVersion'])} ${String(body['kind'])}`)
const cases: Case[] = existsSync(recorded)
  ? readFileSync(recorded, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Case)
      .filter(({ setup, steps }) => !setup && findDefinition(steps[0]!) !== undefined)
  : []

const types = createApiTypes(apiGroups.flatMap((group) => group.types))
const scheme = new Scheme()
for (const group of apiGroups) group.register(scheme)

/** Changes that the admission plugins of the recorded server make. */
const admit: Readonly<Record<string, (object: KubeObject) => void>> = {
  VolumeAttributesClass({ metadata }) {
    metadata.finalizers = [...(metadata.finalizers ?? []), 'kubernetes.io/vac-protection']
  },
}

/** Decodes strictly, sets defaults and creates the object in a dry run. */
async function create(step: Step): Promise<string | JsonObject> {
  const definition = findDefinition(step)!
  const { kind } = definition
  const gvk = parseGroupVersionKind(String(step.body['apiVersion']), kind)
  const { schema } = types.kind(gvk)!
  const fail = (message: string): string =>
    newBadRequest(`${kind} in version "${gvk.version}" cannot be handled as a ${kind}: ${message}`).message
  let decoded: { object: KubeObject; strictErrors: readonly string[] }
  try {
    decoded = decodeStruct<KubeObject>(schema, parseJson(JSON.stringify(step.body)), { strict: 'Strict' })
  } catch (error) {
    return fail((error as Error).message)
  }
  const isStrict = step.path.includes('fieldValidation=Strict')
  if (isStrict && decoded.strictErrors.length > 0) return fail(`strict decoding error: ${decoded.strictErrors.join(', ')}`)
  scheme.setDefaults(gvk, decoded.object)
  const object = scheme.toHub(gvk, decoded.object)
  admit[kind]?.(object)
  await using test = openTestStore(definition, { types })
  try {
    const context = testContext(definition.scope === 'Namespaced' ? 'golden' : '')
    const created = await test.store.create(context, object, { dryRun: true })
    const answer = { ...scheme.fromHub(gvk, getPlainObject(created)), apiVersion: String(step.body['apiVersion']) }
    return JSON.parse(encodeJson(schema, answer)) as JsonObject
  } catch (error) {
    if (isApiError(error)) return error.message
    throw error
  }
}

/** Removes random values, such as the UID in the labels of jobs. */
function toComparable({ metadata, ...rest }: JsonObject): JsonObject {
  const { uid, creationTimestamp: _created, managedFields: _managed, ...kept } = metadata as JsonObject
  return JSON.parse(JSON.stringify({ ...rest, metadata: kept }).replaceAll(String(uid), 'UID')) as JsonObject
}

describe.skipIf(cases.length === 0)('recorded create requests', () => {
  it.each(cases.map((recordedCase) => [recordedCase.id, recordedCase.steps[0]!] as const))(
    'has the recorded result: %s',
    async (_id, step) => {
      const answer = await create(step)
      if (step.expect.code >= 400) expect(answer).toBe(step.expect.body.message!)
      else expect(toComparable(answer as JsonObject)).toEqual(toComparable(step.expect.body))
    },
  )
})
