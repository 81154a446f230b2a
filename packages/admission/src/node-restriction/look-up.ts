import { isPathSegmentName, newNotFound } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { PluginDependencies } from '../admission-plugins.ts'

interface LookedUp {
  readonly group?: string
  /** Plural name of the resource. The NotFound error uses the singular name, like kube-apiserver's listers. */
  readonly resource: string
  readonly namespace?: string
  readonly name: string
}

/** Reads an object from the watch cache. Throws NotFound if it does not exist. */
export async function lookUp<T extends KubeObject>(
  { client }: PluginDependencies,
  { group = '', resource, namespace = '', name }: LookedUp,
): Promise<DeepReadonly<T>> {
  const isName = name !== '' && isPathSegmentName(name).length === 0
  const found = isName ? await client.resource<T>({ group, resource })?.get(namespace, name) : undefined
  if (found === undefined) throw newNotFound({ group, resource: resource.slice(0, -1) }, name)
  return found
}
