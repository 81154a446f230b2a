export interface ServedResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly string[]
}

interface Discovered {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** Returns all resources in the discovery documents of a server. `get` reads the document at a path. */
export async function readServedResources(get: (path: string) => Promise<unknown>): Promise<ServedResource[]> {
  const { groups } = (await get('/apis')) as {
    readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
  }
  const found: ServedResource[] = []
  for (const apiVersion of ['v1', ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))]) {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
    const { resources } = (await get(root)) as { readonly resources: readonly Discovered[] }
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
    for (const { name, kind, namespaced, verbs } of resources) {
      if (name.includes('/')) continue
      const subresources = resources.filter((other) => other.name.startsWith(`${name}/`)).map((other) => other.name.slice(name.length + 1))
      found.push({ group: group!, version: version!, kind, plural: name, namespaced, verbs, subresources })
    }
  }
  return found
}

export function formatApiVersion({ group, version }: Pick<ServedResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`
}

export function buildCollectionPath(resource: ServedResource, namespace: string): string {
  const root = resource.group === '' ? '/api/v1' : `/apis/${formatApiVersion(resource)}`
  return `${root}${resource.namespaced ? `/namespaces/${namespace}` : ''}/${resource.plural}`
}
