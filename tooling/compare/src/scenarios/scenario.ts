import { namespace } from '../cases/case.ts'
import type { Step } from '../cases/case.ts'
import type { Random } from '../cases/random.ts'
import type { Subject } from '../cases/subjects.ts'

export interface Scenario {
  readonly name: string
  /** Frequency relative to other scenarios. */
  readonly weight: number
  /** Which resources it can be about. */
  suits(subject: Subject): boolean
  steps(random: Random, subject: Subject): Step[]
}

const filled = encodeURIComponent(namespace)

export const forms = {
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  metadataList: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
} as const

/** A path with query parameters; those without a value are left out. The namespace is filled in later. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (set.length === 0) return path
  return `${path}?${set.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll(filled, namespace)}`).join('&')}`
}
