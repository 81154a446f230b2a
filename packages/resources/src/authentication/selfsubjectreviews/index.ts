import type { SelfSubjectReview } from '@keelson/api/authentication/v1'
import { copyObject, requestTime } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import type { Creater, RESTStorage } from '@keelson/registry'
import { toApiUserInfo } from '../user-info.ts'

const reviewKind: GroupVersionKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview' }

/** Creates the implementation of SelfSubjectReview, which returns the authenticated identity of the caller. */
export function createSelfSubjectReviews(): RESTStorage & Creater {
  return {
    ...describeRESTStorage(reviewKind, { namespaced: false, singularName: 'selfsubjectreview' }),
    async create(context, object, { validate }): Promise<KubeObject> {
      await validate?.(copyObject(object), undefined)
      const review: SelfSubjectReview = {
        kind: reviewKind.kind,
        apiVersion: `${reviewKind.group}/${reviewKind.version}`,
        metadata: { creationTimestamp: requestTime(context) },
        status: { userInfo: toApiUserInfo(context.user) },
      }
      return review
    },
  }
}
