import { isObject } from '../cases/sites.ts'
import type { Step } from '../cases/case.ts'
import { cleanUp } from './clean-up.ts'
import { explain } from './server.ts'
import type { Server } from './server.ts'

/** The least that cases need: their namespace, and the account without which pods are refused. */
export function namespaceSteps(name: string): Step[] {
  return [
    { method: 'POST', path: '/api/v1/namespaces', body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } },
    {
      method: 'POST',
      path: `/api/v1/namespaces/${name}/serviceaccounts`,
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
    },
  ]
}

/** Makes the namespace of a run. Disposing of it removes it. */
export async function openNamespace(server: Server, name: string): Promise<AsyncDisposable> {
  for (const step of namespaceSteps(name)) {
    const answer = await server.send(step)
    const { code } = answer
    // A controller may have been faster.
    if (code !== 201 && !(code === 409 && step.path.endsWith('serviceaccounts')))
      throw new Error(`${server.url} does not let us make what a run needs: ${explain(answer)}`)
  }
  return {
    [Symbol.asyncDispose]: () => cleanUp(server, [`/api/v1/namespaces/${name}/serviceaccounts/default`, `/api/v1/namespaces/${name}`]),
  }
}

/** Pods of a run must not be run: throws when there are nodes of anybody. */
export async function refuseNodes(server: Server): Promise<void> {
  const list = await server.get('/api/v1/nodes?limit=500')
  const nodes = isObject(list) && Array.isArray(list['items']) ? list['items'] : []
  if (nodes.length > 0)
    throw new Error(`${server.url} has nodes, on which pods of this comparison would run. Take a server by itself, or say --with-nodes`)
}
