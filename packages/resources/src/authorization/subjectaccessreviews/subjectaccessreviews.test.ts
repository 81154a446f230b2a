import type { SubjectAccessReview } from '@keelson/api/authorization/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { testContext } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import type { AccessAuthorizer } from '../access-authorizer.ts'
import { accessReviews } from './index.ts'

const dryRun = false
/**
 * A fake authorizer. It allows alice's requests whose label selector requires a=b, and denies non-resource requests. The reason contains
 * the field selector.
 */
const authorizer: AccessAuthorizer = {
  authorize({ user, action }) {
    if (!action.isResourceRequest) return { decision: 'deny', reason: 'no paths' }
    const required = action.labelSelector?.find(({ key }) => key === 'a')
    const reason = (action.fieldSelector ?? []).map(({ field, operator, value }) => `${field} ${operator} ${value}`).join('; ')
    return { decision: user.name === 'alice' && required?.values.join() === 'b' ? 'allow' : 'noOpinion', reason }
  },
}
const review = (spec: SubjectAccessReview['spec'], metadata: KubeObject['metadata'] = {}): KubeObject => ({ metadata, spec }) as KubeObject
const createReview = async (object: KubeObject): Promise<unknown> => {
  const answer = await accessReviews(authorizer, 'SubjectAccessReview').create(testContext(''), object, { dryRun })
  return (answer as SubjectAccessReview).status
}

it('returns the decision of the authorizer', async () => {
  const labelSelector = { requirements: [{ key: 'a', operator: 'In', values: ['c'] }] }
  const spec = { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods', labelSelector: { rawSelector: 'a=b' } } }
  expect(await createReview(review(spec))).toEqual({ allowed: true })
  expect(await createReview(review({ user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods', labelSelector } }))).toEqual({
    allowed: false,
  })
  expect(await createReview(review({ groups: ['dev'], nonResourceAttributes: { path: '/x', verb: 'get' } }))).toEqual({
    allowed: false,
    denied: true,
    reason: 'no paths',
  })
})

it('passes the requirements of field selectors to the authorizer unchanged', async () => {
  const reviewFieldSelector = async (fieldSelector: object): Promise<unknown> =>
    createReview(review({ user: 'bob', resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector } }))
  expect(await reviewFieldSelector({ rawSelector: 'spec.nodeName=n,a!=b' })).toEqual({
    allowed: false,
    reason: 'a != b; spec.nodeName = n',
  })
  const requirements = [
    { key: 'x', operator: 'In', values: ['1,2=3'] },
    { key: 'y', operator: 'NotIn', values: ['4'] },
  ]
  expect(await reviewFieldSelector({ requirements })).toEqual({ allowed: false, reason: 'x = 1,2=3; y != 4' })
  expect(await reviewFieldSelector({ requirements: [...requirements, { key: 'z', operator: 'Exists' }] })).toEqual({
    allowed: false,
    reason: 'x = 1,2=3; y != 4',
    evaluationError: 'spec.resourceAttributes.fieldSelector partially ignored due to parse error',
  })
})

it('reports selectors that are not valid', async () => {
  const resourceAttributes = { verb: 'get', resource: 'pods', labelSelector: { rawSelector: 'a in' } }
  expect(await createReview(review({ user: 'alice', resourceAttributes }))).toEqual({
    allowed: false,
    evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
  })
})

it.each([
  [{ user: 'alice' }, 'spec.resourceAttributes'],
  [{ nonResourceAttributes: {} }, 'spec.user'],
  [{ user: 'alice', resourceAttributes: {}, nonResourceAttributes: {} }, 'spec.nonResourceAttributes'],
  [{ user: 'alice', resourceAttributes: { fieldSelector: {} } }, 'spec.resourceAttributes.fieldSelector.requirements'],
  [
    { user: 'alice', resourceAttributes: { fieldSelector: { requirements: [{ key: 'a', operator: 'In' }] } } },
    'spec.resourceAttributes.fieldSelector.requirements[0].values',
  ],
  [
    { user: 'alice', resourceAttributes: { labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['/'] }] } } },
    'spec.resourceAttributes.labelSelector.requirements[0].values[0]',
  ],
])('rejects %j', async (spec, field) => {
  await expect(createReview(review(spec))).rejects.toMatchObject({ reason: 'Invalid', details: { causes: [{ field }] } })
})

it('requires the namespace of the request in a local review', async () => {
  const local = accessReviews(authorizer, 'LocalSubjectAccessReview')
  const spec = { user: 'alice', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'pods' } }
  const creating = local.create(testContext('ns'), review(spec, { namespace: 'ns' }), { dryRun })
  await expect(creating).rejects.toMatchObject({ details: { causes: [{ field: 'spec.resourceAttributes.namespace' }] } })
})
