import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { readDefinitions } from '@keelson/tooling-e2e/definitions'
import type { ServerUnderTest } from '../server-under-test.ts'

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export interface Definition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: { readonly plural: string; readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly [field: string]: unknown }[]
  }
}

/**
 * Returns definitions of real projects, evenly chosen. If there are fewer than `count`, also returns copies of them in other groups.
 */
export async function readRealDefinitions(count: number): Promise<readonly Definition[]> {
  const definitions = (await readDefinitions()).map(({ json }) => JSON.parse(json) as Definition)
  const step = Math.max(1, definitions.length / count)
  return Array.from({ length: count }, (_, index) => {
    const definition = definitions[Math.floor(index * step) % definitions.length]!
    return index * step < definitions.length
      ? definition
      : copyInGroup(definition, `copy${Math.floor((index * step) / definitions.length)}`)
  })
}

function copyInGroup({ metadata, spec, ...rest }: Definition, prefix: string): Definition {
  const group = `${prefix}.${spec.group}`
  return { ...rest, metadata: { ...metadata, name: `${spec.names.plural}.${group}` }, spec: { ...spec, group } }
}

/** Sends requests to a server over connections that stay open. */
export function openApi({ url, token }: ServerUnderTest): HttpsClient {
  return new HttpsClient(url, token)
}

/** Creates definitions and waits until the objects of all accepted ones can be listed. Returns the accepted ones. */
export async function install(api: HttpsClient, definitions: readonly Definition[]): Promise<readonly Definition[]> {
  const accepted: Definition[] = []
  for (const definition of definitions) {
    const { status } = await api.request('POST', definitionsPath, { body: definition })
    // Servers refuse definitions whose schemas are not structural.
    // A running server can have the definition from an earlier benchmark.
    if (status === 201 || status === 409) accepted.push(definition)
    else if (status !== 422) throw new Error(`${definition.metadata.name} returned ${status}`)
  }
  for (const definition of accepted) await waitUntilServed(api, definition)
  return accepted
}

/** Polls until the objects of a definition can be listed. */
export async function waitUntilServed(api: HttpsClient, { metadata, spec }: Definition): Promise<void> {
  const { name } = spec.versions.find(({ served }) => served)!
  const deadline = performance.now() + 60_000
  while ((await api.request('GET', `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`)).status !== 200)
    if (performance.now() > deadline) throw new Error(`the objects of ${metadata.name} are not served after a minute`)
}

/** Sends an object to each served version, so that the server compiles all schemas. The objects may be refused. */
export async function touchVersions(api: HttpsClient, definitions: readonly Definition[]): Promise<void> {
  for (const { spec } of definitions) {
    const place = spec.scope === 'Namespaced' ? '/namespaces/default' : ''
    for (const { name } of spec.versions.filter(({ served }) => served)) {
      const object = { apiVersion: `${spec.group}/${name}`, kind: spec.names.kind, metadata: { name: 'touched' }, spec: {} }
      const { status } = await api.request('POST', `/apis/${spec.group}/${name}${place}/${spec.names.plural}`, { body: object })
      if (status >= 500) throw new Error(`an object of ${spec.names.plural}.${spec.group} returned ${status}`)
    }
  }
}
