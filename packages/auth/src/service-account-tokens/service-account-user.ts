import type { UserInfo } from '@keelson/apimachinery'
import { credentialIdKey } from '../users.ts'
import { listServiceAccountGroups, formatServiceAccountUserName } from '../well-known-user-names.ts'
import type { TokenPayload } from './claims.ts'

/** Builds the user of a service account token. The bound objects are in `extra`. */
export function buildServiceAccountUser({ jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: TokenPayload): UserInfo {
  const extra: Record<string, readonly string[]> = {}
  if (pod?.uid) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name]
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid]
  }
  if (jti !== '') extra[credentialIdKey] = [`JTI=${jti}`]
  if (node !== undefined) {
    extra['authentication.kubernetes.io/node-name'] = [node.name]
    if (node.uid) extra['authentication.kubernetes.io/node-uid'] = [node.uid]
  }
  return {
    name: formatServiceAccountUserName(namespace, serviceaccount.name),
    ...(serviceaccount.uid && { uid: serviceaccount.uid }),
    groups: listServiceAccountGroups(namespace),
    extra,
  }
}
