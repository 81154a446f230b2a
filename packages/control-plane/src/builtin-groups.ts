import type { Authorizer } from '@keelson/auth'
import { newRESTStorage } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { apiGroups, authenticationReviews, authorizationReviews } from '@keelson/resources'
import type { RuleResolver } from '@keelson/resources'
import { coreGroups } from '@keelson/resources-core'
import type { GroupServices } from './group-services.ts'
import { deviceParts, policyParts } from './group-parts.ts'
import { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'

type Factory = NonNullable<ApiGroup<GroupServices>['newRESTStorage']>

/** REST storage factories of groups that need services of the server or store nothing. Other groups need only their definitions. */
const factories: Readonly<Record<string, (group: ApiGroup) => Factory>> = {
  '': () => (host) => {
    const { config, legacy } = host.services
    return newLegacyRESTStorage({ ...config, restOptionsGetter: host.restOptions }, legacy)
  },
  'authentication.k8s.io':
    () =>
    ({ services }) =>
      authenticationReviews(services.config.authentication.tokenReviewer),
  'authorization.k8s.io':
    () =>
    ({ services }) =>
      authorizationReviews(services.authorizer, createRuleResolver(services.authorizer)),
  'resource.k8s.io':
    ({ resources }) =>
    (host) =>
      newRESTStorage(host, resources, deviceParts(host.services)),
  'admissionregistration.k8s.io':
    ({ resources }) =>
    (host) =>
      newRESTStorage(host, resources, policyParts(resources, host.services)),
}

/** All built-in groups. Types, kinds, stores, routes and discovery derive from this list. */
export const builtinGroups: readonly ApiGroup<GroupServices>[] = [...coreGroups, ...apiGroups].map(withFactory)

function withFactory(group: ApiGroup): ApiGroup<GroupServices> {
  const factory = factories[group.name]
  return factory === undefined ? group : { ...group, newRESTStorage: factory(group) }
}

/** Lists the rules of a user, if the authorizer supports that. */
function createRuleResolver(authorizer: Authorizer): RuleResolver {
  const unsupported = {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'the authorizer does not support user rule resolution',
  }
  return { rulesFor: (user, namespace) => authorizer.rulesFor?.(user, namespace) ?? unsupported }
}
