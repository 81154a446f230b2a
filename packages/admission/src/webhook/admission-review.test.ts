import { expect, it } from 'vitest'
import { update, write } from '../plugin.fixture.ts'
import { decodeReview, encodeReview, selectReviewVersion } from './admission-review.ts'

const kind = { group: 'apps', version: 'v1', kind: 'Deployment' }
const matched = { resource: { group: 'apps', version: 'v1', resource: 'deployments' }, subresource: 'scale', kind }

it('encodes the request of kube-apiserver', () => {
  const user = { name: 'jane', uid: '7', groups: ['a'], extra: { 'x/y': ['z'] } }
  const { context } = write('deployments', undefined)
  const attributes = update(
    'deployments',
    { metadata: { name: 'd' } },
    { metadata: { name: 'd', labels: { a: 'ü' } } },
    {
      context: { ...context, user },
      subresource: 'scale',
      dryRun: true,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
      kind: { ...kind, version: 'v2' },
      resource: { group: 'apps', version: 'v2', resource: 'deployments' },
    },
  )
  const typed = { kind: 'Deployment', apiVersion: 'apps/v1' }
  const objects = {
    kind,
    object: { ...typed, metadata: { name: 'd', labels: { a: 'ü' } } },
    oldObject: { ...typed, metadata: { name: 'd' } },
  }
  const text = encodeReview({ version: 'v1', uid: 'u', attributes, matched, objects })
  expect(text.endsWith('}\n')).toBe(true)
  expect(JSON.parse(text)).toEqual({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'u',
      kind,
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      subResource: 'scale',
      requestKind: { ...kind, version: 'v2' },
      requestResource: { group: 'apps', version: 'v2', resource: 'deployments' },
      requestSubResource: 'scale',
      name: 'd',
      namespace: 'ns',
      operation: 'UPDATE',
      userInfo: { username: 'jane', uid: '7', groups: ['a'], extra: { 'x/y': ['z'] } },
      object: objects.object,
      oldObject: objects.oldObject,
      dryRun: true,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
    },
  })
})

it('sends null for absent objects, and for the options of a connection', () => {
  const attributes = write('pods', undefined, { operation: 'CONNECT', subresource: 'exec', namespace: '', name: '' })
  const objects = { kind, object: undefined, oldObject: undefined }
  const { request } = JSON.parse(encodeReview({ version: 'v1beta1', uid: 'u', attributes, matched, objects })) as { request: object }
  expect(request).toMatchObject({ object: null, oldObject: null, options: null })
  expect(Object.keys(request)).not.toContain('namespace')
  expect(Object.keys(request)).not.toContain('name')
})

it('selects the first review version that the server speaks', () => {
  expect([['v2', 'v1beta1', 'v1'], ['v1'], ['v2'], []].map(selectReviewVersion)).toEqual(['v1beta1', 'v1', undefined, undefined])
})

const options = { version: 'v1', uid: 'u', isMutating: true } as const
const typed = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }

function decode(
  response: unknown,
  overrides: Partial<Parameters<typeof decodeReview>[1]> = {},
  head: object = typed,
): ReturnType<typeof decodeReview> {
  return decodeReview(Buffer.from(JSON.stringify({ ...head, ...(response !== undefined && { response }) })), { ...options, ...overrides })
}

const patch = Buffer.from('[]').toString('base64')

it.each<[string, unknown, Partial<Parameters<typeof decodeReview>[1]>, object?]>([
  ['received invalid webhook response: webhook response was absent', undefined, {}],
  ['received invalid webhook response: expected response.uid="u", got "v"', { uid: 'v', allowed: true }, {}],
  ['received invalid webhook response: expected response.uid="u", got ""', { allowed: true }, {}],
  [
    'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
    { uid: 'u' },
    {},
    {},
  ],
  [
    'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
    { uid: 'u' },
    {},
    { ...typed, apiVersion: 'admission.k8s.io/v1beta1' },
  ],
  ['received invalid webhook response: webhook returned response.patch but not response.patchType', { uid: 'u', patch }, {}],
  [
    'received invalid webhook response: webhook returned response.patchType but not response.patch',
    { uid: 'u', patchType: 'JSONPatch' },
    {},
  ],
  ['received invalid webhook response: webhook returned invalid response.patchType of ""', { uid: 'u', patch, patchType: '' }, {}],
  ['received invalid webhook response: validating webhook may not return response.patch', { uid: 'u', patch }, { isMutating: false }],
  [
    'received invalid webhook response: validating webhook may not return response.patchType',
    { uid: 'u', patchType: 'JSONPatch' },
    { isMutating: false },
  ],
  [
    'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    { uid: 'u', allowed: 'yes' },
    {},
  ],
])('reports %j', (problem, response, overrides, head) => {
  expect(decode(response, overrides, head)).toEqual({ problem })
})

it('accepts responses of v1beta1 without uid and kind, and ignores a patch for a validating webhook', () => {
  const { response } = decode({ allowed: true, patch }, { version: 'v1beta1', isMutating: false }, {})
  expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' })
  expect(response?.patch).toHaveLength(0)
  expect(decode({ patch }, { version: 'v1beta1' }, {}).response?.patch.toString()).toBe('[]')
})
