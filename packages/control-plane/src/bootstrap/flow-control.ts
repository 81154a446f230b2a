import type { FlowSchema } from '@keelson/api/flowcontrol/v1'
import { copyObject, formatTime, isApiError, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { autoUpdateAnnotation, bootstrapFlowSchemas, bootstrapPriorityLevels } from '@keelson/resources'
import { createIfAbsent } from './create-if-absent.ts'

const group = 'flowcontrol.apiserver.k8s.io'
const consumer = 'api-priority-and-fairness-config-consumer-v1'

type Configuration = KubeObject & { spec?: object }

/** The configuration of priority and fairness that every cluster has. Made when it is absent; brought up to date where that is left to the server. */
export async function createFlowControl(client: LoopbackClient, now: () => number): Promise<void> {
  await ensure(client.resource({ group, resource: 'prioritylevelconfigurations' }), bootstrapPriorityLevels)
  const schemas = client.resource<FlowSchema>({ group, resource: 'flowschemas' })
  const made = await ensure(schemas, bootstrapFlowSchemas)
  await Promise.all(made.map((schema) => markFound(schemas!, schema, now)))
}

/** Those that were not there before. */
async function ensure<T extends Configuration>(
  resource: LoopbackResource<T> | undefined,
  wanted: readonly DeepReadonly<T>[],
): Promise<readonly DeepReadonly<T>[]> {
  if (resource === undefined) return []
  const present = new Map((await resource.list({ resourceVersion: '' })).items.map((object) => [object.metadata.name, object]))
  const absent = wanted.filter(({ metadata }) => !present.has(metadata.name))
  await Promise.all([
    ...absent.map((object) => createIfAbsent(resource, '', copyObject(object) as T)),
    ...wanted.map((object) => bringUpToDate(resource, object, present.get(object.metadata.name))),
  ])
  return absent
}

async function bringUpToDate<T extends Configuration>(
  resource: LoopbackResource<T>,
  wanted: DeepReadonly<T>,
  present: DeepReadonly<T> | undefined,
): Promise<void> {
  const isLeftToUs = (object: DeepReadonly<T> | T): boolean => object.metadata.annotations?.[autoUpdateAnnotation] === 'true'
  if (present === undefined || !isLeftToUs(present) || semanticEqual(present.spec, wanted.spec)) return
  const change = (object: T): T => (isLeftToUs(object) ? { ...object, spec: copyObject(wanted).spec } : object)
  await resource.update('', wanted.metadata.name!, change).catch((error: unknown) => {
    // Whoever took it away meanwhile has it made again at the next start.
    if (!isApiError(error, 'NotFound')) throw error
  })
}

async function markFound(
  schemas: LoopbackResource<FlowSchema>,
  { metadata, spec }: DeepReadonly<FlowSchema>,
  now: () => number,
): Promise<void> {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named "${spec?.priorityLevelConfiguration.name}" and it exists`
  const dangling = { type: 'Dangling', status: 'False', lastTransitionTime: formatTime(now()), reason: 'Found', message }
  const config: FlowSchema = { metadata: { name: metadata.name! }, status: { conditions: [dangling] } }
  await schemas.apply('', config, { fieldManager: consumer, subresource: 'status' })
}
