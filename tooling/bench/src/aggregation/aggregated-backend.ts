import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '@keelson/apimachinery'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

const group = 'aggregated.example.com'
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
const patienceMs = 60_000

/** Path of a resource of the aggregated group. */
export const aggregatedPath = `/apis/${group}/v1/things`

/**
 * Registers a backend on this machine as the server of the aggregated group, and waits until its requests are forwarded. The previous backend is
 * replaced. The service is an external name, so any API server can reach it without a network for services.
 */
export async function registerBackend(server: ServerUnderTest, backend: ServerUnderTest): Promise<void> {
  const { hostname, port } = new URL(backend.url)
  const name = `backend-${port}`
  await createObject(server, '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { type: 'ExternalName', externalName: hostname },
  })
  await ask(server, 'DELETE', `${apiServices}/v1.${group}`)
  await createObject(server, apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name, port: Number(port) },
    },
  })
  for (const deadline = Date.now() + patienceMs; ; await wait(50)) {
    const { status, body } = await ask(server, 'GET', `/apis/${group}/v1`)
    if (status === 200) return
    if (Date.now() > deadline) throw new Error(`${server.name} does not forward requests: ${status} ${body.toString()}`)
  }
}

/** Creates an object unless it exists. */
async function createObject(server: ServerUnderTest, path: string, object: JsonObject): Promise<void> {
  const { status, body } = await ask(server, 'POST', path, object)
  if (status !== 201 && status !== 409) throw new Error(`${path}: ${status}: ${body.toString()}`)
}
