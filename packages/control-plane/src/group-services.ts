import type { ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import type { Namespace } from '@keelson/api/core/v1'
import { newUnknownError, quote, createResourceAction } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { ClusterRole, Role } from '@keelson/api/rbac/v1'
import { createForbiddenError, getServiceAccountNode } from '@keelson/auth'
import type { Authorizer, RbacPolicy } from '@keelson/auth'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type {
  ClaimStatusAuthorizer,
  NamespaceLabels,
  ParamAuthority,
  ResourceServices,
  RoleAuthority,
  RuleResolver,
} from '@keelson/resources'
import type { GenericConfig } from './build-generic-config.ts'
import type { LegacyRESTStorageOptions } from './new-legacy-rest-storage.ts'

/** Services that the server offers to its API groups. */
export interface GroupServices extends ResourceServices {
  /** In-process client with the identity `system:apiserver`. Its requests see the groups that are installed at the time of the call. */
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  readonly authorizer: Authorizer
  readonly clock: Clock
  readonly config: GenericConfig
  /** Options for the storages of the core group. */
  readonly legacy: LegacyRESTStorageOptions
}

export function createGroupServices(config: GenericConfig, offered: Pick<GroupServices, 'client' | 'informers' | 'legacy'>): GroupServices {
  const { authentication, clock } = config
  const { authorizer, roles } = config.authorization
  const { client } = offered
  return {
    ...offered,
    authorizer,
    clock,
    config,
    tokenReviewer: authentication.tokenReviewer,
    ruleResolver: createRuleResolver(authorizer),
    namespaceLabels: createNamespaceLabels(client),
    claimStatusAuthorizer: claimStatusAuthorizer(authorizer),
    createParamAuthority: (policies) => createParamAuthority(client, authorizer, policies),
    roleAuthority: createRoleAuthority(client, authorizer, roles),
  }
}

/**
 * Returns a function that lists the rules that apply to a user, for SelfSubjectRulesReview. The list is marked as incomplete if the
 * authorizer cannot list rules.
 */
function createRuleResolver(authorizer: Authorizer): RuleResolver {
  const unsupported = {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'the authorizer does not support user rule resolution',
  }
  return { rulesFor: (user, namespace) => authorizer.rulesFor?.(user, namespace) ?? unsupported }
}

function createNamespaceLabels(client: LoopbackClient): NamespaceLabels {
  return async (namespace) => {
    const namespaceObject = await client
      .resource<Namespace>({ group: '', resource: 'namespaces' })
      ?.get('', namespace, { resourceVersion: '' })
    return namespaceObject === undefined ? undefined : (namespaceObject.metadata.labels ?? {})
  }
}

function claimStatusAuthorizer(authorizer: Authorizer): ClaimStatusAuthorizer {
  return {
    async findRefusal({ user, attributes: info }, replaced) {
      const attributes = { user, action: { ...info, ...replaced } }
      const { decision, reason } = await authorizer.authorize(attributes)
      return decision === 'allow' ? undefined : createForbiddenError(attributes, reason).message
    },
    findNode: getServiceAccountNode,
  }
}

function createParamAuthority(client: LoopbackClient, authorizer: Authorizer, policies: string): ParamAuthority {
  return {
    async allows({ user }, { verb, group, version, resource, namespace, name }) {
      const action = createResourceAction({ verb, apiGroup: group, apiVersion: version, namespace, resource, name })
      return (await authorizer.authorize({ user, action })).decision === 'allow'
    },
    findResource: ({ group, version, kind }) =>
      client.listDeletableResources().find((served) => served.group === group && served.version === version && served.kind === kind)
        ?.resource,
    findPolicy: async (name) =>
      client
        .resource<ValidatingAdmissionPolicy>({ group: 'admissionregistration.k8s.io', resource: policies })
        ?.get('', name, { resourceVersion: '' }),
  }
}

function createRoleAuthority(client: LoopbackClient, authorizer: Authorizer, policy: RbacPolicy): RoleAuthority {
  const rbac = 'rbac.authorization.k8s.io'
  return {
    async allows({ user }, verb, { group, resource, namespace, name }) {
      const action = createResourceAction({ verb, apiGroup: group, apiVersion: '*', namespace, resource, name })
      return (await authorizer.authorize({ user, action })).decision === 'allow'
    },
    listUserRules: (user, namespace) => policy.listRules(user, namespace),
    async listRoleRules({ kind, name }, bindingNamespace) {
      if (kind !== 'Role' && kind !== 'ClusterRole') throw newUnknownError(`unsupported role reference kind: ${quote(kind)}`)
      const resource = { group: rbac, resource: kind === 'Role' ? 'roles' : 'clusterroles' }
      const namespace = kind === 'Role' ? bindingNamespace : ''
      const role = await client.resource<Role | ClusterRole>(resource)?.get(namespace, name, { resourceVersion: '' })
      return role === undefined ? undefined : (role.rules ?? [])
    },
  }
}
