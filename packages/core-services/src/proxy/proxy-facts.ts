import { posix } from 'node:path'
import type { GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import { restFacts } from '@keelson/registry'
import type { Connecter, RESTStorage } from '@keelson/registry'

const proxyMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** What the three proxies have in common: any method, any path behind them. */
export function proxyFacts(
  kind: string,
  facts: { readonly namespaced: boolean },
): RESTStorage & Pick<Connecter, 'connectMethods' | 'connectOptions'> {
  const gvk: GroupVersionKind = { group: '', version: 'v1', kind }
  return { ...restFacts(gvk, facts), connectMethods: proxyMethods, connectOptions: { kind, members: { path: 'string' }, path: true } }
}

/** The path that is asked for behind the proxy, without ways up. "" when none is. */
export function proxiedPath(options: KubeObject): string {
  const { path = '' } = options as unknown as { readonly path?: string }
  return path === '' ? '' : posix.join(path)
}
