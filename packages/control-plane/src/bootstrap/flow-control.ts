import type { FlowSchema } from '@keelson/api/flowcontrol/v1'
import { copyObject, formatTime, isApiError, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { autoUpdateAnnotation, bootstrapFlowSchemas, bootstrapPriorityLevels } from '@keelson/resources'
import { createIfAbsent } from './create-if-absent.ts'

const group = 'flowcontrol.apiserver.k8s.io'
const consumer = 'api-priority-and-fairness-config-consumer-v1'

type Configuration = KubeObject & { spec?: object }

/** Creates the built-in FlowSchemas and PriorityLevelConfigurations. Updates existing ones if they are annotated for automatic updates. */
export async function createFlowControl(client: LoopbackClient, now: () => number): Promise<void> {
  await ensureAll(client.resource({ group, resource: 'prioritylevelconfigurations' }), bootstrapPriorityLevels)
  const schemas = client.resource<FlowSchema>({ group, resource: 'flowschemas' })
  const created = await ensureAll(schemas, bootstrapFlowSchemas)
  await Promise.all(created.map((schema) => setFoundCondition(schemas!, schema, now)))
}

/** Creates missing objects and updates outdated ones. Returns the objects that were missing. */
async function ensureAll<T extends Configuration>(
  resource: LoopbackResource<T> | undefined,
  desired: readonly DeepReadonly<T>[],
): Promise<readonly DeepReadonly<T>[]> {
  if (resource === undefined) return []
  const present = new Map((await resource.list({ resourceVersion: '' })).items.map((object) => [object.metadata.name, object]))
  const missing = desired.filter(({ metadata }) => !present.has(metadata.name))
  await Promise.all([
    ...missing.map((object) => createIfAbsent(resource, '', copyObject(object) as T)),
    ...desired.map((object) => updateSpec(resource, object, present.get(object.metadata.name))),
  ])
  return missing
}

async function updateSpec<T extends Configuration>(
  resource: LoopbackResource<T>,
  desired: DeepReadonly<T>,
  present: DeepReadonly<T> | undefined,
): Promise<void> {
  const isAutoUpdated = (object: DeepReadonly<T> | T): boolean => object.metadata.annotations?.[autoUpdateAnnotation] === 'true'
  if (present === undefined || !isAutoUpdated(present) || equalsSemantically(present.spec, desired.spec)) return
  const changeSpec = (object: T): T => (isAutoUpdated(object) ? { ...object, spec: copyObject(desired).spec } : object)
  await resource.update('', desired.metadata.name!, changeSpec).catch((error: unknown) => {
    // The object was deleted in the meantime; the next start creates it again.
    if (!isApiError(error, 'NotFound')) throw error
  })
}

async function setFoundCondition(
  schemas: LoopbackResource<FlowSchema>,
  { metadata, spec }: DeepReadonly<FlowSchema>,
  now: () => number,
): Promise<void> {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named "${spec?.priorityLevelConfiguration.name}" and it exists`
  const dangling = { type: 'Dangling', status: 'False', lastTransitionTime: formatTime(now()), reason: 'Found', message }
  const config: FlowSchema = { metadata: { name: metadata.name! }, status: { conditions: [dangling] } }
  await schemas.apply('', config, { fieldManager: consumer, subresource: 'status' })
}
