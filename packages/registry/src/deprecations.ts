import { formatGroupVersion } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { ResourceDefinition } from './resource-definition.ts'

/** The releases that deprecate and remove a version. */
export interface Deprecation {
  /** "1.34". */
  readonly since: string
  /** "1.37": the first release without it. */
  readonly gone: string
  /** "storage.k8s.io/v1": the version to use instead. Default: the warning names none. */
  readonly replacement?: string
}

/** The warning about a deprecated version. */
export interface DeprecationNotice {
  /** Sent to clients that use the version. */
  readonly warning: string
  /** "1.37"; absent if unknown. */
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
