import type { Decision } from '@keelson/auth'
import { formatGroupVersion, parseGroupVersionKind, quote, createResourceAction, equalsSemantically } from '@keelson/apimachinery'
import type { KubeObject, OwnerReference, RequestedAction } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'

/**
 * Creates the plugin OwnerReferencesPermissionEnforcement, which is disabled by default. Users who change the owners of an object must have
 * the permission to delete the object. Users who set `blockOwnerDeletion` must have the permission to update finalizers of the owner.
 */
export function createOwnerReferencesPermissionEnforcementPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    validate(attributes: AdmissionAttributes) {
      const { resource, subresource, object, oldObject } = attributes
      // Updates of pods/status never change the owners.
      if (resource.group === '' && resource.resource === 'pods' && subresource === 'status') return
      const owners = listOwners(object)
      const oldOwners = listOwners(oldObject)
      if (owners.length === oldOwners.length && owners.every((owner, i) => equalsSemantically(owner, oldOwners[i]))) return
      return checkOwners(dependencies, attributes, findNewlyBlocking(owners, oldOwners))
    },
  }
}

async function checkOwners(
  dependencies: PluginDependencies,
  attributes: AdmissionAttributes,
  blocking: readonly OwnerReference[],
): Promise<void> {
  const { context, operation, resource, subresource, namespace, name } = attributes
  const decide = async (action: RequestedAction): Promise<Decision> => dependencies.authorizer.authorize({ user: context.user, action })
  // A creation needs no permission to delete, because the user could instead not create the object.
  if (operation !== 'CREATE') {
    const { group: apiGroup, version: apiVersion } = resource
    const deletion = createResourceAction({
      verb: 'delete',
      apiGroup,
      apiVersion,
      namespace,
      resource: resource.resource,
      subresource,
      name,
    })
    const { decision, reason } = await decide(deletion)
    if (decision !== 'allow') throw newForbiddenWrite(attributes, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`)
  }
  if (blocking.length === 0) return
  const finalizers = { verb: 'update', subresource: 'finalizers' } as const
  const anything = createResourceAction({ ...finalizers, apiGroup: '*', apiVersion: '*', resource: '*', name: '*' })
  if ((await decide(anything)).decision === 'allow') return
  for (const owner of blocking) {
    for (const target of findResources(dependencies, attributes, owner)) {
      const { decision, reason } = await decide(createResourceAction({ ...finalizers, ...target, name: owner.name }))
      if (decision === 'allow') continue
      const message = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
      throw newForbiddenWrite(attributes, `${message}: ${reason}, <nil>`)
    }
  }
}

/**
 * Returns the resources that have the owner's kind. Rejects the write if there are none. A namespaced owner is in the namespace of the
 * object.
 */
function findResources(
  { client }: PluginDependencies,
  attributes: AdmissionAttributes,
  { apiVersion, kind }: OwnerReference,
): readonly Pick<RequestedAction, 'apiGroup' | 'apiVersion' | 'namespace' | 'resource'>[] {
  const { group, version } = parseGroupVersionKind(apiVersion, kind)
  const served = client.listDeletableResources().filter((resource) => resource.group === group && resource.kind === kind)
  if (served.length === 0) {
    const subject = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`
    throw newForbiddenWrite(
      attributes,
      `${subject}: no matches for kind ${quote(kind)} in version ${quote(formatGroupVersion({ group, version }))}`,
    )
  }
  return served.map(({ resource, namespaced }) => {
    return { apiGroup: group, apiVersion: version, namespace: namespaced ? attributes.namespace : '', resource }
  })
}

function listOwners(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata?.ownerReferences ?? []
}

/** Returns the owners whose deletion the new object blocks and the old object did not. */
function findNewlyBlocking(owners: readonly OwnerReference[], old: readonly OwnerReference[]): OwnerReference[] {
  const blockedBefore = new Map(old.map(({ uid, blockOwnerDeletion }) => [uid, blockOwnerDeletion === true]))
  return owners.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && blockedBefore.get(uid) !== true)
}
