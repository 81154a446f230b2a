import type { Node } from '@keelson/api/core/v1'
import { isPathSegmentName, getErrorMessage, quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes } from './admission.ts'
import type { PluginDependencies } from './admission-plugins.ts'
import { newForbiddenWrite } from './forbidden.ts'

const nodes = { group: '', resource: 'nodes' }

/**
 * Reads a node from the watch cache. Returns undefined if the name is invalid. Does not use an informer, because nodes change too often.
 */
export function findNode({ client }: PluginDependencies, name: string): Promise<DeepReadonly<Node> | undefined> | undefined {
  return isPathSegmentName(name).length > 0 ? undefined : client.resource<Node>(nodes)?.get('', name)
}

/** Runs a check on the node of a pod. Rejects the write if the node does not exist. */
export async function checkNode(
  dependencies: PluginDependencies,
  attributes: AdmissionAttributes,
  name: string,
  check: (node: DeepReadonly<Node>) => void,
): Promise<void> {
  let node: DeepReadonly<Node> | undefined
  try {
    node = await findNode(dependencies, name)
  } catch (error) {
    throw newForbiddenWrite(attributes, `failed to get node ${quote(name)}: ${getErrorMessage(error)}`)
  }
  if (node === undefined) throw newForbiddenWrite(attributes, `node ${quote(name)} not found`)
  check(node)
}
