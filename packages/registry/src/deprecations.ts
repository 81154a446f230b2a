import { formatGroupVersion } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { ResourceDefinition } from './resource-definition.ts'

/** Since when a version is better not used, and until when it is there. */
export interface Deprecation {
  /** "1.34". */
  readonly since: string
  /** "1.37": the release that does not have it any longer. */
  readonly gone: string
  /** "storage.k8s.io/v1": what has the same kind. Default: not said. */
  readonly replacement?: string
}

/** By apiVersion, what those who use it are warned of. */
export function deprecationsOf<T extends KubeObject>(definition: ResourceDefinition<T>): Readonly<Record<string, string>> {
  const { kind, deprecation, alsoServedAs = [] } = definition
  const others = alsoServedAs.flatMap((served) => {
    const apiVersion = formatGroupVersion(served)
    return served.deprecated === undefined ? [] : [[apiVersion, deprecationText(apiVersion, kind, served.deprecated)] as const]
  })
  return Object.fromEntries([...(deprecation === undefined ? [] : [[formatGroupVersion(definition), deprecation] as const]), ...others])
}

function deprecationText(apiVersion: string, kind: string, { since, gone, replacement }: Deprecation): string {
  const instead = replacement === undefined ? '' : `; use ${replacement} ${kind}`
  return `${apiVersion} ${kind} is deprecated in v${since}+, unavailable in v${gone}+${instead}`
}
