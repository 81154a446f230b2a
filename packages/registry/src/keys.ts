import { isDNS1123Label, isPathSegmentName, newBadRequest, quote } from '@keelson/apimachinery'
import type { FieldSelector, RequestContext } from '@keelson/apimachinery'

export interface KeyFunctions {
  /** Every key of the resource in the context's namespace, or of all of it; ends in "/". */
  root(context: Pick<RequestContext, 'namespace'>): string
  /** One object's key. Throws BadRequest for a missing namespace, a missing name or one that would leave its place in the key space. */
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

/** Where a list or watch looks: one key when the selector names one object, else a prefix. What goes on with a list has a place in a prefix. */
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
      // No key can be made of what the context and the selector say: look at all of them, the predicate decides.
    }
  }
  return { key: keys.root(within), recursive: true }
}
