import type { KubeObject } from '@keelson/apimachinery'

/** Fields of metadata that differ in each run, with the text that stands for them in a snapshot. */
const volatileFields = {
  uid: '<uid>',
  resourceVersion: '<resourceVersion>',
  creationTimestamp: '<creationTimestamp>',
  deletionTimestamp: '<deletionTimestamp>',
} as const

/** Names of fields that hold times, in all parts of an object. */
const timeFields = new Set([
  'lastTransitionTime',
  'lastUpdateTime',
  'lastProbeTime',
  'lastHeartbeatTime',
  'startTime',
  'completionTime',
  'time',
])
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/**
 * Returns a copy of a value in which objects have no fields that differ in each run: uids, resource versions and times become names in angle
 * brackets, the end of a generated name becomes `<generated>`, and managed fields are left out. Works on objects, lists and values that contain them.
 *
 * @example
 * assert.deepEqual(normalizeVolatileFields(await cluster.resource('configmaps').get('settings')), expected)
 */
export function normalizeVolatileFields<T>(value: T): T {
  return normalize(value) as T
}

function normalize(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return timeFields.has(field) && timePattern.test(value) ? `<${field}>` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => normalize(item, field === 'ownerReferences' ? field : ''))
  const copy = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, normalize(child, name)]))
  if (field === 'metadata') return normalizeMetadata(copy)
  if (field === 'ownerReferences' && typeof copy['uid'] === 'string') copy['uid'] = volatileFields.uid
  return copy
}

function normalizeMetadata({ managedFields: _managedFields, ...metadata }: Record<string, unknown>): Record<string, unknown> {
  for (const [field, text] of Object.entries(volatileFields)) if (typeof metadata[field] === 'string') metadata[field] = text
  const { name, generateName } = metadata
  if (typeof generateName === 'string' && typeof name === 'string' && name.startsWith(generateName))
    metadata['name'] = `${generateName}<generated>`
  return metadata
}

/** A serializer for `expect.addSnapshotSerializer` of Vitest and Jest: snapshots of objects do not contain fields that differ in each run. */
export const snapshotSerializer: {
  readonly test: (value: unknown) => boolean
  readonly serialize: (
    value: unknown,
    config: unknown,
    indentation: string,
    depth: number,
    refs: unknown[],
    printer: (value: unknown, config: never, indentation: string, depth: number, refs: unknown[]) => string,
  ) => string
} = {
  test: hasVolatileFields,
  serialize: (value, config, indentation, depth, refs, printer) =>
    printer(normalizeVolatileFields(value), config as never, indentation, depth, refs),
}

/** Returns whether a value is an object that is not normalized yet. */
function hasVolatileFields(value: unknown): boolean {
  const { metadata } = (typeof value === 'object' && value !== null ? value : {}) as Partial<KubeObject>
  if (typeof metadata !== 'object' || metadata === null) return false
  if (metadata.managedFields !== undefined) return true
  return Object.entries(volatileFields).some(([field, text]) => {
    const current = (metadata as Record<string, unknown>)[field]
    return typeof current === 'string' && current !== text
  })
}
