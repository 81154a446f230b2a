import type { Event as CoreEvent } from '@keelson/api/core/v1'
import type { Event as NewEvent } from '@keelson/api/events/v1'
import type { KubeObject } from '@keelson/apimachinery'

/** Members that have one name in events.k8s.io/v1 and another in core/v1. All others are the same. */
const renamed: readonly (readonly [keyof NewEvent & string, keyof CoreEvent & string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]
const toCore = new Map<string, string>(renamed)
const toNew = new Map<string, string>(renamed.map(([newName, coreName]) => [coreName, newName]))

export function eventToHub(event: KubeObject): KubeObject {
  return rename(event, toCore)
}

export function eventFromHub(event: KubeObject): KubeObject {
  return rename(event, toNew)
}

/** A field selector's labels: events.k8s.io names to those of core/v1. */
const fieldLabels: ReadonlyMap<string, string> = new Map([
  ...['reason', 'type', 'metadata.namespace', 'metadata.name'].map((label): [string, string] => [label, label]),
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((member): [string, string] => [
    `regarding.${member}`,
    `involvedObject.${member}`,
  ]),
  ['reportingController', 'reportingComponent'],
])

export function eventFieldLabel(label: string): string | undefined {
  return fieldLabels.get(label)
}

function rename(event: KubeObject, names: ReadonlyMap<string, string>): KubeObject {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value])) as unknown as KubeObject
}
