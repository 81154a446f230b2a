import { posix } from 'node:path'
import type { GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import type { Connecter, RESTStorage } from '@keelson/registry'

const proxyMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** Describes a proxy subresource. It supports all HTTP methods, and a path can follow the object's name. */
export function describeProxy(
  kind: string,
  facts: { readonly namespaced: boolean },
): RESTStorage & Pick<Connecter, 'connectMethods' | 'connectOptions'> {
  const gvk: GroupVersionKind = { group: '', version: 'v1', kind }
  return {
    ...describeRESTStorage(gvk, facts),
    connectMethods: proxyMethods,
    connectOptions: { kind, members: { path: 'string' }, path: true },
  }
}

/** Returns the requested path, normalized so that it contains no ".."; "" if there is none. */
export function getProxiedPath(options: KubeObject): string {
  const { path = '' } = options as unknown as { readonly path?: string }
  return path === '' ? '' : posix.join(path)
}
