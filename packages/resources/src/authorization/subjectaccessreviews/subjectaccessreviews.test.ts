import type { SubjectAccessReview } from '@keelson/api/authorization/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { testContext } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import type { AccessAuthorizer } from '../access-authorizer.ts'
import { accessReviews } from './index.ts'

const dryRun = false
/** Allows alice what has a selector that it can read, and denies paths. */
const authorizer: AccessAuthorizer = {
  authorize({ user, info }) {
    if (!info.isResourceRequest) return { decision: 'deny', reason: 'no paths' }
    return { decision: user.name === 'alice' && info.labelSelector === 'a=b' ? 'allow' : 'noOpinion', reason: '' }
  },
}
const review = (spec: SubjectAccessReview['spec'], metadata: KubeObject['metadata'] = {}): KubeObject => ({ metadata, spec }) as KubeObject
const ask = async (object: KubeObject): Promise<unknown> => {
  const answer = await accessReviews(authorizer, 'SubjectAccessReview').create(testContext(''), object, { dryRun })
  return (answer as SubjectAccessReview).status
}

it('answers as the authorizer decides', async () => {
  const labelSelector = { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] }
  const spec = { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods', labelSelector: { rawSelector: 'a=b' } } }
  expect(await ask(review(spec))).toEqual({ allowed: true })
  expect(await ask(review({ user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods', labelSelector } }))).toEqual({
    allowed: false,
  })
  expect(await ask(review({ groups: ['dev'], nonResourceAttributes: { path: '/x', verb: 'get' } }))).toEqual({
    allowed: false,
    denied: true,
    reason: 'no paths',
  })
})

it('says which selectors it could not read', async () => {
  const resourceAttributes = { verb: 'get', resource: 'pods', labelSelector: { rawSelector: 'a in' } }
  expect(await ask(review({ user: 'alice', resourceAttributes }))).toEqual({
    allowed: false,
    evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
  })
})

it.each([
  [{ user: 'alice' }, 'spec.resourceAttributes'],
  [{ nonResourceAttributes: {} }, 'spec.user'],
  [{ user: 'alice', resourceAttributes: {}, nonResourceAttributes: {} }, 'spec.nonResourceAttributes'],
  [{ user: 'alice', resourceAttributes: { fieldSelector: {} } }, 'spec.resourceAttributes.fieldSelector.requirements'],
])('refuses %j', async (spec, field) => {
  await expect(ask(review(spec))).rejects.toMatchObject({ reason: 'Invalid', details: { causes: [{ field }] } })
})

it('belongs to its namespace when it is a local one', async () => {
  const local = accessReviews(authorizer, 'LocalSubjectAccessReview')
  const spec = { user: 'alice', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'pods' } }
  const creating = local.create(testContext('ns'), review(spec, { namespace: 'ns' }), { dryRun })
  await expect(creating).rejects.toMatchObject({ details: { causes: [{ field: 'spec.resourceAttributes.namespace' }] } })
})
