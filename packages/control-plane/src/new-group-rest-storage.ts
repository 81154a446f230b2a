import type { Authorizer } from '@keelson/auth'
import type { LoopbackClient } from '@keelson/loopback'
import type { ApiGroup, RESTStorage } from '@keelson/registry'
import { authenticationReviews, authorizationReviews } from '@keelson/resources'
import type { RuleResolver } from '@keelson/resources'
import type { GenericConfig } from './build-generic-config.ts'
import { groupParts } from './group-parts.ts'
import { newRESTStorage } from './new-rest-storage.ts'

/** The paths of a group beyond core: the stores of its resources, or what answers where nothing is stored. */
export function newGroupRESTStorage(config: GenericConfig, group: ApiGroup, client: LoopbackClient): ReadonlyMap<string, RESTStorage> {
  const { authentication, authorizer } = config
  const { name, resources } = group
  if (name === 'authentication.k8s.io') return authenticationReviews(authentication.tokenReviewer)
  if (name === 'authorization.k8s.io') return authorizationReviews(authorizer, ruleResolver(authorizer))
  return newRESTStorage(config, resources, groupParts(group, client, authorizer))
}

/** An authorizer by roles can say all that somebody may do; others only answer what they are asked. */
function ruleResolver(authorizer: Authorizer & Partial<RuleResolver>): RuleResolver {
  const { rulesFor } = authorizer
  if (rulesFor !== undefined) return { rulesFor: (user, namespace) => rulesFor.call(authorizer, user, namespace) }
  const error = 'the authorizer does not support user rule resolution'
  return { rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: true, error }) }
}
