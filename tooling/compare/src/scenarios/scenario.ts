import { namespace } from '../cases/case.ts'
import type { Step } from '../cases/case.ts'
import type { Random } from '../cases/random.ts'
import type { Subject } from '../cases/subjects.ts'

export interface Scenario {
  readonly name: string
  /** Frequency of the scenario relative to other scenarios. */
  readonly weight: number
  /** Returns whether the scenario works with a resource. */
  suits(subject: Subject): boolean
  steps(random: Random, subject: Subject): Step[]
}

const filled = encodeURIComponent(namespace)

export const forms = {
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  metadataList: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
} as const

/** Adds query parameters to a path. Leaves out parameters whose value is undefined. Does not encode the placeholder of the namespace. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (set.length === 0) return path
  return `${path}?${set.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll(filled, namespace)}`).join('&')}`
}
