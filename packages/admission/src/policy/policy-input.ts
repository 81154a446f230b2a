import type { Namespace } from '@keelson/api/core/v1'
import { runAfter } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import { Lazy } from '@keelson/cel'
import type { EvaluateOptions } from '@keelson/cel'
import type { VersionedObject, VersionedObjects } from '@keelson/registry'
import type { AdmissionAttributes } from '../admission.ts'
import { buildAuthorizerVariables } from '../matching/authorizer-value.ts'
import type { MatchedResource } from '../matching/match-criteria.ts'
import { buildRequestValue } from '../matching/request-value.ts'
import type { RequestVariables } from './evaluate-expressions.ts'

/** The variables that depend on the binding and on the kind of expression. */
export interface VariableSelection {
  readonly params: object | null
  /** The namespace of the request. Undefined for cluster-wide objects, and for expressions that do not see it. */
  readonly namespace: DeepReadonly<Namespace> | undefined
  readonly hasAuthorizer: boolean
  /** Whether the variable `request` has the resource of the request itself. Default: that of the rule that matched. */
  readonly usesRequestResource?: boolean
}

/** The values of one request for the expressions of policies. Policies that match the same kind share the converted objects. */
export class PolicyInput {
  readonly attributes: AdmissionAttributes
  /** Aborts evaluations that pause, when the request ends. */
  readonly evaluation: EvaluateOptions
  readonly #authorizer: Readonly<Record<string, unknown>>
  /** The values by resource and kind. */
  readonly #matches = new Map<string, PolicyMatch | Promise<PolicyMatch>>()

  constructor(attributes: AdmissionAttributes, authorizer: Authorizer) {
    const { context } = attributes
    this.attributes = attributes
    // A getter, because the first access to `context.signal` creates the signal, and most evaluations do not pause.
    this.evaluation = {
      get signal() {
        return context.signal
      },
    }
    this.#authorizer = { ...buildAuthorizerVariables(authorizer, attributes) }
  }

  /**
   * Returns the values in the version of a matched kind. Throws if the objects cannot be converted. Returns a promise only if a webhook
   * converts them.
   */
  in(matched: MatchedResource): PolicyMatch | Promise<PolicyMatch> {
    const { resource, kind } = matched
    const key = resource === this.attributes.resource ? '' : `${resource.group}/${resource.version}/${resource.resource} ${kind.kind}`
    let match = this.#matches.get(key)
    if (match === undefined) {
      match = runAfter(this.attributes.as(matched.kind), (objects) => new PolicyMatch(this.attributes, matched, objects, this.#authorizer))
      this.#matches.set(key, match)
    }
    return match
  }

  /** Drops the converted objects, because the object has changed. */
  forget(): void {
    this.#matches.clear()
  }
}

/** The values of one request in the version of a matched kind. */
export class PolicyMatch {
  readonly #objects: VersionedObjects
  readonly #request: unknown
  readonly #ownRequest: unknown
  readonly #authorizer: Readonly<Record<string, unknown>>
  /** The last result of `variables`, which most policies share, because they have no parameters. */
  #last: { readonly selection: VariableSelection; readonly variables: RequestVariables } | undefined

  constructor(
    attributes: AdmissionAttributes,
    { resource, kind }: MatchedResource,
    objects: VersionedObjects,
    authorizer: Readonly<Record<string, unknown>>,
  ) {
    this.#objects = objects
    this.#authorizer = authorizer
    this.#ownRequest = new Lazy(() => buildRequestValue(attributes, kind))
    this.#request =
      resource === attributes.resource ? this.#ownRequest : new Lazy(() => ({ ...buildRequestValue(attributes, kind), resource }))
  }

  /** The new object in the version of the kind. */
  get object(): VersionedObject | undefined {
    return this.#objects.object
  }

  /** Returns the variables of an evaluation. */
  variables(selection: VariableSelection): RequestVariables {
    if (this.#last !== undefined && isSame(this.#last.selection, selection)) return this.#last.variables
    const { params, namespace, hasAuthorizer, usesRequestResource = false } = selection
    const { object, oldObject } = this.#objects
    const variables = {
      object: object ?? null,
      oldObject: oldObject ?? null,
      params,
      request: usesRequestResource ? this.#ownRequest : this.#request,
      namespaceObject: namespace === undefined ? null : convertNamespace(namespace),
      variables: noVariables,
      ...(hasAuthorizer ? this.#authorizer : undefined),
    }
    this.#last = { selection, variables }
    return variables
  }
}

const noVariables = {}

function isSame(a: VariableSelection, b: VariableSelection): boolean {
  return (
    a.params === b.params &&
    a.namespace === b.namespace &&
    a.hasAuthorizer === b.hasAuthorizer &&
    a.usesRequestResource === b.usesRequestResource
  )
}

const hiddenMetadata: ReadonlySet<string> = new Set(['managedFields', 'ownerReferences', 'selfLink'])
const namespaceValues = new WeakMap<DeepReadonly<Namespace>, unknown>()

/** Returns the variable `namespaceObject`. It is cached, because informers keep objects for a long time. */
function convertNamespace(namespace: DeepReadonly<Namespace>): unknown {
  let value = namespaceValues.get(namespace)
  if (value === undefined) {
    const { metadata, spec = {}, status = {} } = namespace
    const shown = Object.fromEntries(Object.entries(metadata).filter(([name]) => !hiddenMetadata.has(name)))
    namespaceValues.set(namespace, (value = { metadata: shown, spec, status }))
  }
  return value
}
