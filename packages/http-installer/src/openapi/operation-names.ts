import type { ServedResource } from '../routing/served-resource.ts'

/** Returns the part of operation names that stands for the group, such as "core", "apps" or "rbacAuthorization". */
export function formatGroupWord(group: string): string {
  return group === '' ? 'core' : formatWord(group.replace(/\.k8s\.io$/, ''))
}

/** Joins the words of a name that other characters than letters, digits and "_" separate: "cert-manager.io" becomes "certManagerIo". */
export function formatWord(name: string): string {
  const words = name.replace(/^\p{Nd}/u, '-').split(/[^\p{L}\p{Nd}_]/u)
  return words.map((word, index) => (index === 0 ? word : capitalize(word))).join('')
}

/** Returns the tag of a version's operations. */
export function formatVersionTag({ group, version }: { readonly group: string; readonly version: string }): string {
  return `${formatGroupWord(group)}_${version}`
}

const verbs: Readonly<Record<string, string>> = {
  get: 'read',
  post: 'create',
  put: 'replace',
  watchlist: 'watch',
  deletecollection: 'delete',
}

/** Subject of an OpenAPI operation. `kind` is the kind of the resource, even if a subresource has another kind. */
export interface OperationSubject {
  readonly served: ServedResource
  readonly kind: string
  /** Path after the prefix of the group version, with the placeholders "{namespace}" and "{name}". */
  readonly path: string
}

/** Returns kube-apiserver's operation id, which is unique in the document. `part` is inserted after the version. */
export function formatOperationId(action: string, { served, kind, path }: OperationSubject, part = ''): string {
  const { gvr, namespaced, subresource } = served
  const namespacedWord = path.includes('/namespaces/{namespace}/') ? 'Namespaced' : ''
  const allNamespacesWord = namespaced && namespacedWord === '' ? 'ForAllNamespaces' : ''
  const collection = action === 'deletecollection' ? 'Collection' : ''
  const list = action === 'watchlist' ? 'List' : ''
  const location = `${capitalize(formatGroupWord(gvr.group))}${capitalize(gvr.version)}${part}${collection}${namespacedWord}`
  return `${verbs[action] ?? action}${location}${kind}${capitalize(subresource)}${list}${allNamespacesWord}`
}

/** Returns the description of an operation in kube-apiserver's words. */
export function describeAction(action: string, subresource: string, kind: string): string {
  const part = subresource === '' ? '' : ` ${subresource} of`
  switch (action) {
    case 'list':
      return `list${part} objects of kind ${kind}`
    case 'watch':
      return `watch changes to the specified ${kind}`
    case 'watchlist':
      return `watch changes to objects of kind ${kind}`
    case 'patch':
      return `partially update${part} the specified ${kind}`
    case 'deletecollection':
      return `delete collection of ${kind}`
    case 'post':
    case 'delete':
      return `${verbs[action] ?? action}${part} ${chooseArticle(kind)}${kind}`
    case 'connect':
      return `connect to${part} the specified ${kind}`
    default:
      return `${verbs[action] ?? action}${part} the specified ${kind}`
  }
}

/** Returns the article before a noun, and a space. Plurals have no article. */
function chooseArticle(noun: string): string {
  if (noun.endsWith('s') && !noun.endsWith('ss')) return ''
  return /^[aeiou]/i.test(noun) ? 'an ' : 'a '
}

export function capitalize(word: string): string {
  return word === '' ? '' : word[0]!.toUpperCase() + word.slice(1)
}
