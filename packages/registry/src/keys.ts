import { isDNS1123Label, isPathSegmentName, newBadRequest, quote } from '@keelson/apimachinery'
import type { FieldSelector, RequestContext } from '@keelson/apimachinery'

export interface KeyFunctions {
  /** The prefix of all keys of the resource in the context's namespace, or in all namespaces; ends in "/". */
  root(context: Pick<RequestContext, 'namespace'>): string
  /** One object's key. Throws BadRequest for a missing namespace or name, and for a name that would leave the prefix. */
  key(context: Pick<RequestContext, 'namespace'>, name: string): string
}

/** `prefix` has no final slash: "/registry/configmaps" → "/registry/configmaps/NAMESPACE/NAME". */
export function namespacedKeys(prefix: string): KeyFunctions {
  return {
    root: ({ namespace }) => (namespace === '' ? `${prefix}/` : `${prefix}/${namespace}/`),
    key: ({ namespace }, name) => {
      if (namespace === '') throw newBadRequest('Namespace parameter required.')
      return `${prefix}/${namespace}/${checkedName(name)}`
    },
  }
}

export function clusterKeys(prefix: string): KeyFunctions {
  return {
    root: () => `${prefix}/`,
    key: (_context, name) => `${prefix}/${checkedName(name)}`,
  }
}

function checkedName(name: string): string {
  if (name === '') throw newBadRequest('Name parameter required.')
  const messages = isPathSegmentName(name)
  if (messages.length > 0) throw newBadRequest(`Name parameter invalid: ${quote(name)}: ${messages.join(';')}`)
  return name
}

/** The range of a list or watch: one key if the selector names one object, else a prefix. A continued list always has a prefix. */
export interface Scope {
  readonly key: string
  readonly recursive: boolean
}

export function scopeOf(keys: KeyFunctions, context: Pick<RequestContext, 'namespace'>, fields: FieldSelector, continued = false): Scope {
  const namespace = context.namespace === '' ? (fields.requiresExactMatch('metadata.namespace') ?? '') : context.namespace
  const within = { namespace: isDNS1123Label(namespace).length === 0 ? namespace : context.namespace }
  const name = continued ? undefined : fields.requiresExactMatch('metadata.name')
  if (name !== undefined && name !== '') {
    try {
      return { key: keys.key(within, name), recursive: false }
    } catch {
      // Context and selector give no valid key: read the whole prefix, and let the predicate decide.
    }
  }
  return { key: keys.root(within), recursive: true }
}
