import { runAfter, getErrorMessage, newForbidden, newInternal } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import type { VersionedObjects } from '@keelson/registry'
import type { AdmissionAttributes } from '../admission.ts'
import { buildAuthorizerVariables } from '../matching/authorizer-value.ts'
import type { Matcher } from '../matching/create-matcher.ts'
import type { MatchedResource } from '../matching/match-criteria.ts'
import { buildRequestValue } from '../matching/request-value.ts'
import type { Hook } from './hook.ts'

/** A webhook that has to be called, and the resource whose version it gets. */
export interface Invocation {
  readonly hook: Hook
  readonly matched: MatchedResource
  readonly objects: VersionedObjects
}

export interface HookMatching {
  readonly matcher: Matcher
  readonly authorizer: Authorizer
}

/** Decides whether a write has to be sent to a webhook. Throws the error with which the write is refused if that cannot be decided. */
export function matchHook(
  hook: Hook,
  attributes: AdmissionAttributes,
  { matcher, authorizer }: HookMatching,
): Invocation | undefined | Promise<Invocation | undefined> {
  return runAfter(matcher.match(attributes, hook.criteria), (matched) => {
    if (matched === undefined) return undefined
    return runAfter(convertObjects(attributes, matched), (objects) => {
      const invocation = { hook, matched, objects }
      if (hook.conditions.isEmpty) return invocation
      const activation = {
        object: objects.object ?? null,
        oldObject: objects.oldObject ?? null,
        request: buildRequestValue(attributes, objects.kind),
        namespaceObject: null,
        ...buildAuthorizerVariables(authorizer, attributes),
      }
      return runAfter(hook.conditions.match(activation, attributes.operation), ({ matches, error }) => {
        if (error === undefined) return matches ? invocation : undefined
        const { resource, name } = attributes
        throw newForbidden({ group: resource.group, resource: resource.resource }, name, error)
      })
    })
  })
}

function convertObjects(attributes: AdmissionAttributes, { kind }: MatchedResource): VersionedObjects | Promise<VersionedObjects> {
  const fail = (error: unknown): never => {
    throw newInternal(getErrorMessage(error), { cause: error })
  }
  try {
    const objects = attributes.as(kind)
    return objects instanceof Promise ? objects.catch(fail) : objects
  } catch (error) {
    return fail(error)
  }
}
