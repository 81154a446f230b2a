import type { GroupVersionKind, UserInfo } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'

/**
 * Returns the variable `request` of expressions. `kind` is the version to which the objects were converted. Empty texts are absent, as in
 * kube-apiserver, so reading them is an error.
 */
export function buildRequestValue(attributes: AdmissionAttributes, kind: GroupVersionKind): Readonly<Record<string, unknown>> {
  const { resource, subresource, name, namespace, operation, dryRun, options, context } = attributes
  return {
    uid: '',
    kind,
    resource,
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: attributes.kind,
    requestResource: resource,
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: buildUserValue(context.user),
    dryRun,
    options: operation === 'CONNECT' ? null : options,
  }
}

/** Returns a user as in a review: without empty members. */
export function buildUserValue({ name, uid = '', groups, extra = {} }: UserInfo): Readonly<Record<string, unknown>> {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}
