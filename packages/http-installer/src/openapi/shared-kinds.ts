import type { GroupVersion } from '@keelson/apimachinery'
import type { OpenAPISchema } from '@keelson/api/openapi'

const shared: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions': 'DeleteOptions',
  'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent': 'WatchEvent',
}

/** Lists the group versions of the document that a kind of meta/v1 belongs to. */
export function withGroupVersions(definition: string, schema: OpenAPISchema, versions: readonly GroupVersion[]): OpenAPISchema {
  if (!Object.hasOwn(shared, definition)) return schema
  const all = [{ group: '', version: 'v1' }, ...versions.filter(({ group, version }) => group !== '' || version !== 'v1')]
  return {
    ...schema,
    'x-kubernetes-group-version-kind': all.map(({ group, version }) => ({ group, kind: shared[definition]!, version })),
  }
}
