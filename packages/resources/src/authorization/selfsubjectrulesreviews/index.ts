import type { SelfSubjectRulesReview } from '@keelson/api/authorization/v1'
import { copyObject, newBadRequest } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import type { Creater, RESTStorage } from '@keelson/registry'
import type { RuleResolver } from '../access-authorizer.ts'

const reviewKind: GroupVersionKind = { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview' }

/** Creates the implementation of SelfSubjectRulesReview, which lists the actions that the caller may perform in a namespace. */
export function createSelfSubjectRulesReviews(rules: RuleResolver): RESTStorage & Creater {
  return {
    ...describeRESTStorage(reviewKind, { namespaced: false, singularName: 'selfsubjectrulesreview' }),
    async create({ user }, object, { validate }): Promise<KubeObject> {
      const namespace = (object as SelfSubjectRulesReview).spec?.namespace ?? ''
      if (namespace === '') throw newBadRequest('no namespace on request')
      await validate?.(copyObject(object), undefined)
      const { resourceRules, nonResourceRules, incomplete, error = '' } = await rules.rulesFor(user, namespace)
      const review: SelfSubjectRulesReview = {
        kind: reviewKind.kind,
        apiVersion: `${reviewKind.group}/${reviewKind.version}`,
        metadata: {},
        spec: {},
        status: {
          resourceRules: [...resourceRules],
          nonResourceRules: [...nonResourceRules],
          incomplete,
          ...(error !== '' && { evaluationError: error }),
        },
      }
      return review
    },
  }
}
