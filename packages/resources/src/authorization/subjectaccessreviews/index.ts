import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from '@keelson/api/authorization/v1'
import { aggregateMessages, collectFieldErrors, copyObject, newBadRequest, newInvalid } from '@keelson/apimachinery'
import type { KubeObject, RequestContext, UserInfo } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import type { Creater, RESTStorage } from '@keelson/registry'
import type { AccessAuthorizer } from '../access-authorizer.ts'
import { buildReviewedAction } from './reviewed-action.ts'
import { validateAccessReview } from './validate.ts'

const group = 'authorization.k8s.io'
const version = 'v1'

export type AccessReview = SubjectAccessReview | LocalSubjectAccessReview | SelfSubjectAccessReview
export type AccessReviewKind = 'SubjectAccessReview' | 'LocalSubjectAccessReview' | 'SelfSubjectAccessReview'

/**
 * Creates the implementation of the access reviews, which report whether a user may perform an action. Depending on `kind`, the user is any
 * user, the caller, or any user within one namespace.
 */
export function accessReviews(authorizer: AccessAuthorizer, kind: AccessReviewKind): RESTStorage & Creater {
  const namespaced = kind === 'LocalSubjectAccessReview'
  return {
    ...describeRESTStorage({ group, version, kind }, { namespaced, singularName: kind.toLowerCase() }),
    async create(context, object, { validate }): Promise<KubeObject> {
      const review = object as AccessReview
      const errors = collectFieldErrors(() => validateAccessReview(review, kind))
      // kube-apiserver omits the kind in this error.
      if (errors.length > 0) throw newInvalid({ group, kind: '' }, '', errors)
      if (namespaced) requireNamespace(review, context)
      await validate?.(copyObject(review), undefined)
      const { action, evaluationError } = buildReviewedAction(review.spec)
      const user = kind === 'SelfSubjectAccessReview' ? context.user : getSubject(review)
      const { decision, reason, error = '' } = await authorizer.authorize({ user, action })
      const evaluationErrors = aggregateMessages([evaluationError, error].filter((text) => text !== ''))
      review.status = {
        allowed: decision === 'allow',
        ...(decision === 'deny' && { denied: true }),
        ...(reason !== '' && { reason }),
        ...(evaluationErrors !== '' && { evaluationError: evaluationErrors }),
      }
      return { ...review, kind, apiVersion: `${group}/${version}` }
    },
  }
}

function requireNamespace({ metadata }: AccessReview, { namespace }: RequestContext): void {
  if (namespace === metadata.namespace) return
  throw newBadRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`)
}

function getSubject({ spec }: { readonly spec: SubjectAccessReview['spec'] }): UserInfo {
  const { user = '', groups = [], uid = '', extra } = spec
  return { name: user, groups, ...(uid !== '' && { uid }), ...(extra && { extra }) }
}
