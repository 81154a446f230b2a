import type { GroupVersionKind, GroupVersionResource, UserInfo } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'

/** The version in which a policy or a webhook sees a write. */
interface RequestVersion {
  readonly uid: string
  /** Version to which the objects were converted. */
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
}

/** Returns the variable `request` of expressions. `kind` is the version to which the objects were converted. */
export function buildRequestValue(attributes: AdmissionAttributes, kind: GroupVersionKind): Readonly<Record<string, unknown>> {
  const { dryRun, resource } = attributes
  return { ...buildRequestMembers(attributes, { uid: '', kind, resource }), dryRun, options: buildOptionsValue(attributes) }
}

/**
 * Returns the members of an admission request up to its objects. Empty texts are absent, as in kube-apiserver, so an expression that reads
 * them fails.
 */
export function buildRequestMembers(
  attributes: AdmissionAttributes,
  { uid, kind, resource }: RequestVersion,
): Readonly<Record<string, unknown>> {
  const { subresource, name, namespace, operation, context } = attributes
  return {
    uid,
    kind,
    resource,
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: attributes.kind,
    requestResource: attributes.resource,
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: buildUserValue(context.user),
  }
}

/** Returns the options of an admission request. A connect has none. */
export function buildOptionsValue({ operation, options }: AdmissionAttributes): unknown {
  return operation === 'CONNECT' ? null : options
}

/** Returns a user as in a review: without empty members. */
function buildUserValue({ name, uid = '', groups, extra = {} }: UserInfo): Readonly<Record<string, unknown>> {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}
