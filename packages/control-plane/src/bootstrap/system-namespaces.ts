import type { LoopbackClient } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

/** There from the first start on, and made again at the next when somebody managed to remove one. */
export const systemNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'default']

export async function createSystemNamespaces(client: LoopbackClient): Promise<void> {
  const namespaces = client.resource({ group: '', resource: 'namespaces' })
  if (namespaces === undefined) return
  await Promise.all(systemNamespaces.map((name) => createIfAbsent(namespaces, '', { metadata: { name } })))
}
