import { isObject } from '../cases/locations.ts'
import type { Step } from '../cases/case.ts'
import { cleanUp } from './clean-up.ts'
import { explain } from './server.ts'
import type { Server } from './server.ts'

/** Returns the steps that create the namespace and the default service account, which pods require. */
export function createNamespaceSteps(name: string): Step[] {
  return [
    { method: 'POST', path: '/api/v1/namespaces', body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } },
    {
      method: 'POST',
      path: `/api/v1/namespaces/${name}/serviceaccounts`,
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
    },
  ]
}

/** Creates the namespace of a run on a server. Disposing the result deletes the namespace. */
export async function openNamespace(server: Server, name: string): Promise<AsyncDisposable> {
  for (const step of createNamespaceSteps(name)) {
    const answer = await server.send(step)
    const { code } = answer
    // A controller may have created the service account already.
    if (code !== 201 && !(code === 409 && step.path.endsWith('serviceaccounts')))
      throw new Error(`${server.url} refused to create the namespace of the run: ${explain(answer)}`)
  }
  return {
    [Symbol.asyncDispose]: () => cleanUp(server, [`/api/v1/namespaces/${name}/serviceaccounts/default`, `/api/v1/namespaces/${name}`]),
  }
}

/** Throws if the server has nodes, because they would run the pods of the comparison. */
export async function refuseNodes(server: Server): Promise<void> {
  const list = await server.get('/api/v1/nodes?limit=500')
  const nodes = isObject(list) && Array.isArray(list['items']) ? list['items'] : []
  if (nodes.length > 0)
    throw new Error(`${server.url} has nodes, which would run the pods of this comparison. Use a server without nodes, or set --with-nodes`)
}
