import { isObject } from '../cases/locations.ts'
import type { Step } from '../cases/case.ts'
import type { Answer, Server } from './server.ts'

/** Returns the path of the object that a step created. Returns undefined if the step created no object or was a dry run. */
export function findCreatedPath({ method, path }: Step, { code, body }: Answer): string | undefined {
  const [address = '', query = ''] = path.split('?')
  if (code !== 201 || query.includes('dryRun=')) return undefined
  const parts = address.split('/')
  const root = address.startsWith('/api/') ? 3 : 4
  const collection = parts[root] === 'namespaces' && parts.length > root + 2 ? root + 3 : root + 1
  // Cut off the subresource.
  if (method !== 'POST') return parts.slice(0, collection + 1).join('/')
  const metadata = isObject(body) ? body['metadata'] : undefined
  if (parts.length > collection || !isObject(metadata) || typeof metadata['name'] !== 'string') return undefined
  return `${address}/${metadata['name']}`
}

/** Deletes objects from a server. Removes the finalizers of an object if needed. */
export async function cleanUp(server: Server, paths: Iterable<string>): Promise<void> {
  server.forgetWatches()
  for (const path of paths) await removeObject(server, path)
}

async function removeObject(server: Server, path: string): Promise<void> {
  const gone = { method: 'DELETE', path: `${path}?gracePeriodSeconds=0&propagationPolicy=Background` }
  const released = { metadata: { finalizers: null } }
  for (let attempt = 0; attempt < 3; attempt++) {
    const { code, body: answered } = await server.send(gone)
    // A Status means that the object is gone. Any other body can be an object with finalizers.
    if (code === 404 || (code === 200 && isObject(answered) && answered['kind'] === 'Status')) return
    const { code: remaining, body } = await server.send({ method: 'GET', path })
    if (remaining === 404) return
    await server.send({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body: released })
    // Finalize namespaces here, because the server may run without the namespace controller.
    if (isObject(body) && body['kind'] === 'Namespace')
      await server.send({ method: 'PUT', path: `${path}/finalize`, body: { ...body, spec: { finalizers: [] } } })
    if ((await server.send({ method: 'GET', path })).code === 404) return
  }
  throw new Error(`${server.url}${path} cannot be removed`)
}
