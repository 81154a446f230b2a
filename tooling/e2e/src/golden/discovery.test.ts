// Needs the recordings in ../shared/golden; skipped without them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { hasRecordings } from './play.ts'
import { readCases } from './read-cases.ts'

interface Resource {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}
interface ResourceList {
  readonly groupVersion: string
  readonly resources: readonly Resource[]
}
interface Group {
  readonly name: string
  readonly versions: readonly { readonly version: string }[]
}

interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}
interface AggregatedSubresource {
  readonly subresource: string
  readonly responseKind?: GroupVersionKind
  readonly verbs: readonly string[]
}
interface AggregatedResource {
  readonly resource: string
  readonly responseKind?: GroupVersionKind
  readonly scope: 'Namespaced' | 'Cluster'
  readonly singularResource: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly AggregatedSubresource[]
}
interface AggregatedGroup {
  readonly metadata: { readonly name?: string }
  readonly versions: readonly { readonly version: string; readonly resources: readonly AggregatedResource[]; readonly freshness: string }[]
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const steps = hasRecordings ? readCases(['scenarios.jsonl']).find(({ id }) => id === 'scenario/discovery')!.steps : []
const lists = steps.filter((step) => (step.expect.body as { kind?: string }).kind === 'APIResourceList')
const groups = (steps.find(({ path }) => path === '/apis')?.expect.body as { readonly groups: readonly Group[] } | undefined)?.groups ?? []

/**
 * Converts the resources of an aggregated discovery document to the format of APIResourceList. Leaves out `storageVersionHash`, which
 * aggregated documents do not have.
 */
function flattenResources(
  group: string,
  version: string,
  resources: readonly AggregatedResource[],
): Omit<Resource, 'storageVersionHash'>[] {
  const readKind = (kind: GroupVersionKind | undefined): Pick<Resource, 'group' | 'version' | 'kind'> => {
    const isOwnKind = kind === undefined || kind.version === '' || (kind.group === group && kind.version === version)
    return { ...(isOwnKind ? {} : { ...(kind.group !== '' && { group: kind.group }), version: kind.version }), kind: kind?.kind ?? '' }
  }
  return resources.flatMap(({ resource, responseKind, scope, singularResource, verbs, shortNames, categories, subresources = [] }) => [
    {
      name: resource,
      singularName: singularResource,
      namespaced: scope === 'Namespaced',
      ...readKind(responseKind),
      verbs,
      ...(shortNames && { shortNames }),
      ...(categories && { categories }),
    },
    ...subresources.map((sub) => ({
      name: `${resource}/${sub.subresource}`,
      singularName: '',
      namespaced: scope === 'Namespaced',
      ...readKind(sub.responseKind),
      verbs: sub.verbs,
    })),
  ])
}

describe.skipIf(!hasRecordings)('discovery', () => {
  let server: KeelsonProcess
  let http: HttpsClient

  beforeAll(async () => {
    server = await startKeelsonProcess({ controllers: 'none' })
    http = new HttpsClient(server.url, server.token)
  })
  afterAll(async () => {
    http[Symbol.dispose]()
    await server.stop()
  })

  test('serves the recorded groups in order, with their preferred versions', async () => {
    const answer = await http.request('GET', '/apis')
    expect(answer.parseJson()).toEqual({ kind: 'APIGroupList', apiVersion: 'v1', groups })
  })

  test.each(groups)('serves group $name as recorded', async (group) => {
    expect((await http.request('GET', `/apis/${group.name}`)).parseJson()).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...group })
  })

  test.each(lists)('serves $path as recorded', async ({ path, expect: { body } }) => {
    expect((await http.request('GET', path)).parseJson()).toEqual(body)
  })

  test('serves only group versions that were recorded', () => {
    const served = groups.flatMap(({ name, versions }) => versions.map(({ version }) => `/apis/${name}/${version}`))
    expect(lists.map(({ path }) => path).toSorted()).toEqual(['/api/v1', ...served].toSorted())
  })

  test('serves the recorded aggregated document of the core group', async () => {
    const step = steps.find(({ path, headers }) => path === '/api' && headers?.['accept'] === aggregated)!
    expect((await http.request('GET', '/api', { headers: { accept: aggregated } })).parseJson()).toEqual(step.expect.body)
  })

  test('serves the same resources in aggregated documents and in lists, in the recorded order', async () => {
    const { items } = (await http.request('GET', '/apis', { headers: { accept: aggregated } })).parseJson<{ items: AggregatedGroup[] }>()
    expect(items.map(({ metadata, versions }) => [metadata.name, versions.map(({ version }) => version)])).toEqual(
      groups.map(({ name, versions }) => [name, versions.map(({ version }) => version)]),
    )
    for (const { metadata, versions } of items)
      for (const { version, resources, freshness } of versions) {
        const { resources: recorded } = lists.find(({ path }) => path === `/apis/${metadata.name}/${version}`)!.expect.body as ResourceList
        const withoutHashes = recorded.map(({ storageVersionHash: _hash, ...rest }) => rest)
        expect(flattenResources(metadata.name ?? '', version, resources)).toEqual(withoutHashes)
        expect(freshness).toBe('Current')
      }
  })
})
