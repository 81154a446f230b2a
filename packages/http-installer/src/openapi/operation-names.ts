import type { ResourceScope } from '../routing/scope.ts'

/** Returns a group's part of operation names: "core", "apps", "rbacAuthorization". */
export function groupWord(group: string): string {
  const words = group === '' ? ['core'] : group.split('.').filter((word) => word !== 'k8s' && word !== 'io')
  return words.map((word, index) => (index === 0 ? word : capital(word))).join('')
}

/** Returns the tag of a version's operations. */
export function versionTag({ group, version }: { readonly group: string; readonly version: string }): string {
  return `${groupWord(group)}_${version}`
}

const verbs: Readonly<Record<string, string>> = {
  get: 'read',
  post: 'create',
  put: 'replace',
  watchlist: 'watch',
  deletecollection: 'delete',
}

/** The subject of an operation. `kind` is the resource's, even if a subresource has another. */
export interface OperationSubject {
  readonly scope: ResourceScope
  readonly kind: string
  /** The path with "{namespace}" and "{name}", after the group version's prefix. */
  readonly path: string
}

/** Returns kube-apiserver's name of an operation, which is unique in the document. `part` follows the version. */
export function operationId(action: string, { scope, kind, path }: OperationSubject, part = ''): string {
  const { gvr, namespaced, subresource } = scope
  const within = path.includes('/namespaces/{namespace}/') ? 'Namespaced' : ''
  const everywhere = namespaced && within === '' ? 'ForAllNamespaces' : ''
  const collection = action === 'deletecollection' ? 'Collection' : ''
  const list = action === 'watchlist' ? 'List' : ''
  const where = `${capital(groupWord(gvr.group))}${capital(gvr.version)}${part}${collection}${within}`
  return `${verbs[action] ?? action}${where}${kind}${capital(subresource)}${list}${everywhere}`
}

export function capital(word: string): string {
  return word === '' ? '' : word[0]!.toUpperCase() + word.slice(1)
}
