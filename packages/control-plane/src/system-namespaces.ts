import { isApiError } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'

/** There from the first start on, and made again at the next when somebody managed to remove one. */
export const systemNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'default']

export async function createSystemNamespaces(client: LoopbackClient): Promise<void> {
  const namespaces = client.resource({ group: '', resource: 'namespaces' })
  if (namespaces === undefined) return
  await Promise.all(
    systemNamespaces.map(async (name) => {
      if ((await namespaces.get('', name)) !== undefined) return
      try {
        await namespaces.create('', { metadata: { name } })
      } catch (error) {
        // Another server on the same store was faster.
        if (!isApiError(error, 'AlreadyExists')) throw error
      }
    }),
  )
}
