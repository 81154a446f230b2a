import { isApiError, runAfter, getErrorMessage, newInternal, newNotFound } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, LabelsSelector } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObject } from '../find-object.ts'
import type { MatchCriteria, MatchedResource } from './match-criteria.ts'

const namespaces = { group: '', resource: 'namespaces' }

/** Decides whether writes match the criteria of webhooks and policies. */
export interface Matcher {
  /**
   * Returns the resource of the rule that matches a write, or undefined if the criteria do not match. Throws a 404 if the namespace does not
   * exist, and a 500 if it cannot be read. Returns a promise only if the namespace is not in the informer yet; then the promise rejects.
   */
  match(attributes: AdmissionAttributes, criteria: MatchCriteria): MatchedResource | undefined | Promise<MatchedResource | undefined>
  /** Returns the namespace of a write, from the informer or from the store. Undefined if it does not exist. */
  findNamespace(name: string): DeepReadonly<KubeObject> | undefined | Promise<DeepReadonly<KubeObject> | undefined>
}

export function createMatcher(dependencies: PluginDependencies): Matcher {
  const findNamespace: Matcher['findNamespace'] = (name) => findObject(dependencies, namespaces, { name })
  return {
    findNamespace,
    match(attributes, criteria) {
      const matchedResource = criteria.matchRules(attributes)
      if (matchedResource === undefined) return undefined
      const { namespace, object } = readSelectors(criteria)
      if (!object.empty && !matchesObject(object, attributes)) return undefined
      if (namespace.empty || isExempt(attributes)) return matchedResource
      return runAfter(findLabels(attributes, findNamespace), (labels) => (namespace.matches(labels) ? matchedResource : undefined))
    },
  }
}

function readSelectors(criteria: MatchCriteria): MatchCriteria['selectors'] {
  try {
    return criteria.selectors
  } catch (error) {
    throw newInternal(getErrorMessage(error), { cause: error })
  }
}

/** Returns whether the selector of the namespace does not apply, because the write is to an object without a namespace. */
function isExempt({ namespace, resource }: AdmissionAttributes): boolean {
  return namespace === '' && resource.resource !== 'namespaces'
}

/** Returns whether the selector matches the new or the old object. The options of a connection have no labels, so nothing matches them. */
function matchesObject(selector: LabelsSelector, { operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation === 'CONNECT') return false
  return (
    (object !== undefined && selector.matches(object.metadata?.labels)) ||
    (oldObject !== undefined && selector.matches(oldObject.metadata?.labels))
  )
}

type Labels = Readonly<Record<string, string>> | undefined

/** Returns the labels of the namespace of a write. For a new or changed Namespace, those are its own labels. */
function findLabels(attributes: AdmissionAttributes, findNamespace: Matcher['findNamespace']): Labels | Promise<Labels> {
  const { operation, resource, subresource, namespace, object } = attributes
  if (resource.resource === 'namespaces' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')) {
    return object?.metadata.labels
  }
  const readLabels = (found: DeepReadonly<KubeObject> | undefined): Labels => {
    if (found === undefined) throw newNotFound(namespaces, namespace)
    return found.metadata.labels
  }
  const found = findNamespace(namespace)
  if (!(found instanceof Promise)) return readLabels(found)
  return found.then(readLabels, (error: unknown) => {
    throw isApiError(error, 'NotFound') ? error : newInternal(getErrorMessage(error), { cause: error })
  })
}
