import type { KubeObject } from '@keelson/apimachinery'
import { fromHub } from '@keelson/registry'
import type { RestResult } from '@keelson/registry'
import { isStoredObject } from '@keelson/storagebackend'
import { apiVersionOf, parseApiVersion } from './scope.ts'
import type { ResourceScope } from './scope.ts'
import type { GroupVersionKind } from '@keelson/apimachinery'

/** An object in the version that it is served in, without kind and apiVersion. Shared: never write to it. */
export interface Versioned {
  readonly gvk: GroupVersionKind
  readonly object: KubeObject
}

/**
 * A plain result that carries a kind of its own (a Status, a Scale) is served as that; what has none, or the hub's, is the scope's.
 */
export function versionedOf(scope: ResourceScope, result: RestResult): Versioned {
  if (isStoredObject(result)) return { gvk: scope.gvk, object: fromHub(scope, result.copy()) }
  const { kind, apiVersion, ...object } = result
  if (kind === undefined || (kind === scope.hub.kind && (apiVersion === undefined || apiVersion === apiVersionOf(scope.hub)))) {
    return { gvk: scope.gvk, object: fromHub(scope, object) }
  }
  return { gvk: { ...parseApiVersion(apiVersion ?? ''), kind }, object: object }
}
