import type { Node } from '@keelson/api/core/v1'
import { isPathSegmentName, quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes } from './admission.ts'
import type { PluginDependencies } from './admission-plugins.ts'
import { messageOf } from './find-object.ts'
import { forbidden } from './forbidden.ts'

const nodes = { group: '', resource: 'nodes' }

/** From the cache: nodes change too often for each of them to be followed. Of a name that no node can have there is none. */
export function nodeNamed({ client }: PluginDependencies, name: string): Promise<DeepReadonly<Node> | undefined> | undefined {
  return isPathSegmentName(name).length > 0 ? undefined : client.resource<Node>(nodes)?.get('', name)
}

/** Looks at the node that a pod is on. Refuses when there is none. */
export async function checkNodeOf(
  dependencies: PluginDependencies,
  attributes: AdmissionAttributes,
  name: string,
  check: (node: DeepReadonly<Node>) => void,
): Promise<void> {
  let node: DeepReadonly<Node> | undefined
  try {
    node = await nodeNamed(dependencies, name)
  } catch (error) {
    throw forbidden(attributes, `failed to get node ${quote(name)}: ${messageOf(error)}`)
  }
  if (node === undefined) throw forbidden(attributes, `node ${quote(name)} not found`)
  check(node)
}
