import type { PriorityLevelConfigurationSpec } from '@keelson/api/flowcontrol/v1'
import { copyObject, equalsSemantically, isApiError, parseBoolean, pause } from '@keelson/apimachinery'
import type { Clock, DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import {
  autoUpdateAnnotation,
  bootstrapFlowSchemas,
  bootstrapPriorityLevels,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from '@keelson/resources'

const group = 'flowcontrol.apiserver.k8s.io'
const fieldManager = 'api-priority-and-fairness-config-producer-v1'
const retryMs = 1000
const longestStartMs = 5 * 60_000
const checkMs = 60_000
/** The number of times that the removal of an object that changes all the time is tried. The next check tries again. */
const mostDeletions = 3

type Configuration = KubeObject & { spec?: object }
type Names = Pick<ReadonlySet<string>, 'has'>

export interface KeepOptions {
  readonly client: LoopbackClient
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * Keeps the built-in objects until the signal aborts. Resolves when all of them exist, and then checks them every minute. Retries a failed
 * check after a second. Rejects if the objects cannot be created within five minutes.
 */
export async function startKeepingObjects({ client, clock, signal, onError }: KeepOptions): Promise<void> {
  const started = clock.now()
  for (;;) {
    try {
      await keepBuiltInObjects(client)
      break
    } catch (error) {
      if (signal.aborted || clock.now() - started >= longestStartMs) throw error
      onError(error)
    }
    await pause(clock, retryMs, { signal })
  }
  void checkRegularly({ client, clock, signal, onError })
}

async function checkRegularly({ client, clock, signal, onError }: KeepOptions): Promise<void> {
  for (;;) {
    await pause(clock, checkMs, { signal })
    if (signal.aborted) return
    await keepBuiltInObjects(client).catch(onError)
  }
}

/**
 * Creates the built-in FlowSchemas and PriorityLevelConfigurations that are missing, and updates outdated ones. The specs of mandatory objects
 * are always restored. Those of suggested ones are restored unless an administrator has changed them or has set the annotation to "false".
 * Removes objects that an earlier version of the server has created and that are not built in any more.
 */
export async function keepBuiltInObjects(client: LoopbackClient): Promise<void> {
  const levels = client.resource<Configuration>({ group, resource: 'prioritylevelconfigurations' })
  const schemas = client.resource<Configuration>({ group, resource: 'flowschemas' })
  if (levels === undefined || schemas === undefined) return
  const [presentLevels, presentSchemas] = await Promise.all([listByName(levels), listByName(schemas)])
  await ensureObjects(levels, presentLevels, { builtIn: bootstrapPriorityLevels, mandatory: mandatoryPriorityLevels })
  await ensureObjects(schemas, presentSchemas, { builtIn: bootstrapFlowSchemas, mandatory: mandatoryFlowSchemas })
  await removeUnknown(schemas, presentSchemas, bootstrapFlowSchemas)
  await removeUnknown(levels, presentLevels, bootstrapPriorityLevels)
}

type Present = ReadonlyMap<string, DeepReadonly<Configuration>>

async function listByName(resource: LoopbackResource<Configuration>): Promise<Present> {
  return new Map((await resource.list({ resourceVersion: '' })).items.map((object) => [object.metadata.name!, object]))
}

async function ensureObjects(
  resource: LoopbackResource<Configuration>,
  present: Present,
  { builtIn, mandatory }: { readonly builtIn: readonly DeepReadonly<Configuration>[]; readonly mandatory: Names },
): Promise<void> {
  await Promise.all(
    builtIn.map((object) => {
      const name = object.metadata.name!
      const current = present.get(name)
      return current === undefined
        ? createMissing(resource, object)
        : updateOutdated(resource, object, { current, isMandatory: mandatory.has(name) })
    }),
  )
}

async function createMissing(resource: LoopbackResource<Configuration>, object: DeepReadonly<Configuration>): Promise<void> {
  try {
    await resource.create('', copyObject(object) as Configuration, { fieldManager })
  } catch (error) {
    // Another server has created the object. The next check compares its spec.
    if (!isApiError(error, 'AlreadyExists')) throw error
  }
}

interface Revision {
  readonly current: DeepReadonly<Configuration>
  readonly isMandatory: boolean
}

/** Restores the spec and the annotation of an object if necessary. */
async function updateOutdated(
  resource: LoopbackResource<Configuration>,
  builtIn: DeepReadonly<Configuration>,
  { current, isMandatory }: Revision,
): Promise<void> {
  if (findOutdated(current, builtIn, isMandatory) === undefined) return
  const change = (object: Configuration): Configuration => {
    const outdated = findOutdated(object, builtIn, isMandatory)
    if (outdated?.spec !== undefined) object.spec = outdated.spec
    if (outdated?.annotation !== undefined) {
      object.metadata.annotations = { ...object.metadata.annotations, [autoUpdateAnnotation]: outdated.annotation }
    }
    return object
  }
  try {
    await resource.update('', builtIn.metadata.name!, change, { fieldManager })
  } catch (error) {
    // The object was deleted. The next check creates it.
    if (!isApiError(error, 'NotFound')) throw error
  }
}

/** Returns the new values of the outdated members of an object. Returns undefined if the object is up to date. */
function findOutdated(
  object: DeepReadonly<Configuration>,
  builtIn: DeepReadonly<Configuration>,
  isMandatory: boolean,
): { readonly spec: object | undefined; readonly annotation: string | undefined } | undefined {
  const isAutomatic = isMandatory || isUpdatedAutomatically(object)
  const wantedSpec = withOwnShares(builtIn.spec as ExemptSpec, object.spec as ExemptSpec | undefined)
  const spec = isAutomatic && !equalsSemantically(object.spec, wantedSpec) ? copyObject(builtIn.spec as object) : undefined
  const isAnnotated = readAutoUpdate(object) === isAutomatic
  if (spec === undefined && isAnnotated) return undefined
  return { spec, annotation: isAnnotated ? undefined : String(isAutomatic) }
}

type ExemptSpec = DeepReadonly<PriorityLevelConfigurationSpec>

/** Returns the built-in spec with the shares of the exempt level as they are, because administrators may set them. */
function withOwnShares(builtIn: ExemptSpec, present: ExemptSpec | undefined): ExemptSpec {
  return builtIn.exempt !== undefined && present?.exempt !== undefined ? { ...builtIn, exempt: present.exempt } : builtIn
}

/** Returns whether the server maintains the spec of a suggested object: the annotation says so, or nobody has changed the spec. */
function isUpdatedAutomatically(object: DeepReadonly<Configuration>): boolean {
  return readAutoUpdate(object) ?? object.metadata.generation === 1
}

/** Returns the value of the annotation. Undefined if it is not a boolean. */
function readAutoUpdate({ metadata }: DeepReadonly<Configuration>): boolean | undefined {
  return parseBoolean(metadata.annotations?.[autoUpdateAnnotation] ?? '')
}

/** Removes objects that are not built in and that the server maintains. */
async function removeUnknown(
  resource: LoopbackResource<Configuration>,
  present: Present,
  builtIn: readonly DeepReadonly<Configuration>[],
): Promise<void> {
  const builtInNames = new Set(builtIn.map(({ metadata }) => metadata.name))
  for (const [name, object] of present) if (!builtInNames.has(name)) await removeMaintained(resource, object)
}

/** Removes an object as it was read. Reads it again if it has changed since then, because an administrator may have taken it over. */
async function removeMaintained(resource: LoopbackResource<Configuration>, object: DeepReadonly<Configuration>): Promise<void> {
  let current: DeepReadonly<Configuration> | undefined = object
  for (let attempt = 0; attempt < mostDeletions && current !== undefined && readAutoUpdate(current) === true; attempt++) {
    const { name, uid, resourceVersion }: DeepReadonly<Configuration['metadata']> = current.metadata
    try {
      return await resource.delete('', name!, { preconditions: { uid: uid!, resourceVersion: resourceVersion! } })
    } catch (error) {
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error
      current = await resource.get('', name!, { resourceVersion: '' })
    }
  }
}
