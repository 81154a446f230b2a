import type { LoopbackClient } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

/** Namespaces that the server creates on each start if they are missing. */
export const systemNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'default']

export async function createSystemNamespaces(client: LoopbackClient): Promise<void> {
  const namespaces = client.resource({ group: '', resource: 'namespaces' })
  if (namespaces === undefined) return
  await Promise.all(systemNamespaces.map((name) => createIfAbsent(namespaces, '', { metadata: { name } })))
}
