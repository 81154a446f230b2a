import type { ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import type { Namespace } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import type { LoopbackClient } from '@keelson/loopback'
import type { ResourceDefinition, RESTStorageParts, StoreHooksFactory, SubresourceFactory } from '@keelson/registry'
import { adminAccessHooks, claimStatusFactory, policyBindingHooks, policyHooks } from '@keelson/resources'
import type { NamespaceLabels, ParamAuthority } from '@keelson/resources'
import type { GroupServices } from './group-services.ts'

/** Hooks of resource.k8s.io, which check the namespace label for admin access to devices. */
export function deviceParts({ client }: Pick<GroupServices, 'client'>): RESTStorageParts {
  const labelsOf = namespaceLabels(client)
  const { claims, templates } = adminAccessHooks(labelsOf)
  // Each hook is called only with objects of its own kind, so the casts are safe.
  return {
    hooks: {
      resourceclaims: () => claims,
      resourceclaimtemplates: () => templates,
    },
    subresources: { resourceclaims: { status: claimStatusFactory(labelsOf) as unknown as SubresourceFactory } },
  }
}

/** Hooks of admission policies and bindings, which check that the author may read the parameters. */
export function policyParts(
  resources: readonly ResourceDefinition[],
  { client, authorizer }: Pick<GroupServices, 'client' | 'authorizer'>,
): RESTStorageParts {
  const hooks = resources.flatMap((definition): [string, StoreHooksFactory<KubeObject>][] => {
    const policies = /^(mutating|validating)admissionpolic(ies|ybindings)$/.exec(definition.plural)
    if (policies === null) return []
    const authority = paramAuthority(client, authorizer, `${policies[1]}admissionpolicies`)
    const make = policies[2] === 'ies' ? policyHooks : policyBindingHooks
    return [[definition.plural, () => make(definition, authority)]]
  })
  return { hooks: Object.fromEntries(hooks) }
}

function namespaceLabels(client: LoopbackClient): NamespaceLabels {
  return async (namespace) => {
    const found = await client.resource<Namespace>({ group: '', resource: 'namespaces' })?.get('', namespace, { resourceVersion: '' })
    return found === undefined ? undefined : (found.metadata.labels ?? {})
  }
}

function paramAuthority(client: LoopbackClient, authorizer: Authorizer, policies: string): ParamAuthority {
  return {
    async allows({ user }, { verb, group, version, resource, namespace, name }) {
      const info = {
        isResourceRequest: true,
        path: '',
        verb,
        apiPrefix: group === '' ? 'api' : 'apis',
        apiGroup: group,
        apiVersion: version,
        namespace,
        resource,
        subresource: '',
        name,
        parts: [],
      }
      return (await authorizer.authorize({ user, info })).decision === 'allow'
    },
    resourceOf: ({ group, version, kind }) =>
      client.deletableResources().find((served) => served.group === group && served.version === version && served.kind === kind)?.resource,
    policy: async (name) =>
      client
        .resource<ValidatingAdmissionPolicy>({ group: 'admissionregistration.k8s.io', resource: policies })
        ?.get('', name, { resourceVersion: '' }),
  }
}
