import type { GroupVersion } from '@keelson/apimachinery'
import type { OpenAPISchema } from '@keelson/api/openapi'

const shared: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions': 'DeleteOptions',
  'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent': 'WatchEvent',
}

/** Kinds of meta/v1 that belong to every group version say of which ones of those here. */
export function withGroupVersions(definition: string, schema: OpenAPISchema, versions: readonly GroupVersion[]): OpenAPISchema {
  if (!Object.hasOwn(shared, definition)) return schema
  const all = [{ group: '', version: 'v1' }, ...versions.filter(({ group, version }) => group !== '' || version !== 'v1')]
  return {
    ...schema,
    'x-kubernetes-group-version-kind': all.map(({ group, version }) => ({ group, kind: shared[definition]!, version })),
  }
}
