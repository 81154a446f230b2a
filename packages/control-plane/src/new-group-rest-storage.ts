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

/** Lists a user's rules, as far as the authorizer can. */
function ruleResolver(authorizer: Authorizer): RuleResolver {
  const unsupported = {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'the authorizer does not support user rule resolution',
  }
  return { rulesFor: (user, namespace) => authorizer.rulesFor?.(user, namespace) ?? unsupported }
}
