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

/** Groups that ask something of the server, or answer where nothing is stored. The others are the stores of their definitions. */
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
      authorizationReviews(services.authorizer, ruleResolver(services.authorizer)),
  'resource.k8s.io':
    ({ resources }) =>
    (host) =>
      newRESTStorage(host, resources, deviceParts(host.services)),
  'admissionregistration.k8s.io':
    ({ resources }) =>
    (host) =>
      newRESTStorage(host, resources, policyParts(resources, host.services)),
}

/** Every group that is built in. Their types, kinds, stores, routes and discovery follow from this list. */
export const builtinGroups: readonly ApiGroup<GroupServices>[] = [...coreGroups, ...apiGroups].map(withFactory)

function withFactory(group: ApiGroup): ApiGroup<GroupServices> {
  const factory = factories[group.name]
  return factory === undefined ? group : { ...group, newRESTStorage: factory(group) }
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
