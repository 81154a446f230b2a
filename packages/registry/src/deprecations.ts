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

/** What is said of a version by whoever serves it. */
export interface DeprecationNotice {
  /** For those who use it. */
  readonly warning: string
  /** "1.37"; absent where that is not known. */
  readonly gone?: string
}

/** By apiVersion. */
export function deprecationsOf<T extends KubeObject>(definition: ResourceDefinition<T>): Readonly<Record<string, DeprecationNotice>> {
  const { kind, deprecation, alsoServedAs = [] } = definition
  const others = alsoServedAs.flatMap((served) => {
    const apiVersion = formatGroupVersion(served)
    if (served.deprecated === undefined) return []
    const notice: DeprecationNotice = { warning: deprecationText(apiVersion, kind, served.deprecated), gone: served.deprecated.gone }
    return [[apiVersion, notice] as const]
  })
  const own = deprecation === undefined ? [] : [[formatGroupVersion(definition), { warning: deprecation }] as const]
  return Object.fromEntries([...own, ...others])
}

function deprecationText(apiVersion: string, kind: string, { since, gone, replacement }: Deprecation): string {
  const instead = replacement === undefined ? '' : `; use ${replacement} ${kind}`
  return `${apiVersion} ${kind} is deprecated in v${since}+, unavailable in v${gone}+${instead}`
}
