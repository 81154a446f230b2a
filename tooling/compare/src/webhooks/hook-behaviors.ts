import type { JsonObject, JsonValue } from '@keelson/apimachinery'

/** The request of a review, as a webhook gets it. */
export interface ReviewRequest {
  readonly uid: string
  readonly object: (JsonObject & { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } }) | null
  readonly [member: string]: unknown
}

/** The answer of a webhook to one call. */
export interface HookAnswer {
  /** Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Members of the review's response, besides its uid. The body is then a whole review. */
  readonly response?: JsonObject
  /** Members that replace those of the whole review. */
  readonly review?: JsonObject
  /** "before" closes the connection instead of answering, "within" closes it after the first bytes of the body, "never" does not answer. */
  readonly closes?: 'before' | 'within' | 'never'
}

type Behavior = HookAnswer | ((request: ReviewRequest) => HookAnswer)

const createAllowed = (response: JsonObject = {}): HookAnswer => ({ response: { allowed: true, ...response } })
const createDenied = (status?: JsonObject, response: JsonObject = {}): HookAnswer => ({
  response: { allowed: false, ...(status && { status }), ...response },
})
const encodePatch = (patch: JsonValue): JsonObject => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
})
const createPatched = (...operations: readonly JsonObject[]): HookAnswer => createAllowed(encodePatch([...operations]))

function addLabel({ object }: ReviewRequest, key: string, value: string): HookAnswer {
  const missing = object?.metadata?.labels === undefined ? [{ op: 'add', path: '/metadata/labels', value: {} }] : []
  return createPatched(...missing, { op: 'add', path: `/metadata/labels/${key}`, value })
}

/** Behaviors of webhooks that answer as they should and do not change the object. */
export const allowing: Readonly<Record<string, Behavior>> = {
  allow: createAllowed(),
  'allow-with-status': createAllowed({ status: { message: 'fine', code: 200 } }),
  annotate: createAllowed({ auditAnnotations: { seen: 'yes', 'bad key!': 'x' } }),
  'without-type': { response: { allowed: true }, headers: {} },
  yaml: ({ uid }) => ({
    headers: { 'content-type': 'application/yaml' },
    body: `apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse:\n  uid: ${uid}\n  allowed: true\n`,
  }),
  'unknown-members': { response: { allowed: true, Allowed: true, more: { a: 1 } }, review: { extra: 'x' } },
}

/** Behaviors of mutating webhooks that change the object. Some patches do not fit every object. */
export const changing: Readonly<Record<string, Behavior>> = {
  label: (request) => addLabel(request, 'hooked', 'yes'),
  'label-team': (request) => addLabel(request, 'team', 'a'),
  count: (request) => addLabel(request, 'count', String(Number(request.object?.metadata?.labels?.['count'] ?? 0) + 1)),
  unlabel: createPatched({ op: 'remove', path: '/metadata/labels' }),
  sidecar: createPatched({ op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'busybox' } }),
  data: createPatched({ op: 'add', path: '/data', value: { max: '5', hooked: 'yes' } }),
  replicas: createPatched({ op: 'replace', path: '/spec/replicas', value: 7 }),
  finalizer: createPatched({ op: 'add', path: '/metadata/finalizers', value: ['example.com/hooked'] }),
  copy: createPatched({ op: 'copy', from: '/metadata/name', path: '/metadata/annotations' }),
  move: createPatched({ op: 'move', from: '/metadata/labels', path: '/metadata/annotations' }),
  annotation: createPatched({ op: 'add', path: '/metadata/annotations', value: { 'example.com/a': 'ü<&>', b: '' } }),
  'failed-test': createPatched({ op: 'test', path: '/metadata/name', value: 'other' }),
  rename: createPatched({ op: 'replace', path: '/metadata/name', value: 'renamed' }),
  'invalid-name': createPatched({ op: 'replace', path: '/metadata/name', value: 'Not A Name!' }),
  'other-namespace': createPatched({ op: 'replace', path: '/metadata/namespace', value: 'default' }),
  'unknown-field': createPatched({ op: 'add', path: '/spec', value: { nosuchfield: 1 } }),
  'wrong-type': createPatched({ op: 'add', path: '/metadata/labels', value: 'text' }),
  'missing-path': createPatched({ op: 'remove', path: '/metadata/labels/absent/deeper' }),
  'other-kind': createPatched({ op: 'replace', path: '/kind', value: 'Other' }),
  'other-version': createPatched({ op: 'replace', path: '/apiVersion', value: 'example.com/v9' }),
  status: createPatched({ op: 'add', path: '/status', value: { phase: 'Running' } }),
  managers: createPatched({ op: 'add', path: '/metadata/managedFields', value: [] }),
  'whole-document': createPatched({ op: 'replace', path: '', value: { metadata: { name: 'a1' } } }),
  uid: createPatched({ op: 'add', path: '/metadata/uid', value: '00000000-0000-0000-0000-000000000001' }),
  version: createPatched({ op: 'add', path: '/metadata/resourceVersion', value: '1' }),
  'no-operations': createPatched(),
  'null-patch': createAllowed(encodePatch(null)),
  'two-operations': createPatched({ op: 'test', path: '/kind', value: 'Pod' }, { op: 'add', path: '/spec/hostname', value: 'hooked' }),
  'unknown-operation': createPatched({ op: 'change', path: '/metadata/labels', value: {} }),
  'garbage-patch': createAllowed({ patchType: 'JSONPatch', patch: Buffer.from('garbage').toString('base64') }),
  'object-patch': createAllowed(encodePatch({})),
  'patch-without-type': createAllowed({ patch: Buffer.from('[]').toString('base64') }),
  'type-without-patch': createAllowed({ patchType: 'JSONPatch' }),
  'merge-patch': createAllowed({ ...encodePatch([{ op: 'test', path: '/kind', value: 'x' }]), patchType: 'MergePatch' }),
  'not-base64': createAllowed({ patchType: 'JSONPatch', patch: '***' }),
  'patch-and-deny': createDenied({ message: 'no' }, encodePatch([{ op: 'remove', path: '/metadata/labels' }])),
}

/** Behaviors of webhooks that warn, refuse, fail or answer wrongly. */
export const failing: Readonly<Record<string, Behavior>> = {
  warn: createAllowed({ warnings: ['first warning', 'second "quoted" warning', '', 'ünï\ncode'] }),
  'long-warning': createAllowed({ warnings: ['w'.repeat(300), 'x'.repeat(5000)] }),
  deny: createDenied(),
  'deny-and-warn': createDenied({ message: 'denied' }, { warnings: ['warned'] }),
  'deny-reason': createDenied({ reason: 'NotFound' }),
  'deny-message': createDenied({ message: 'not on a Sunday', reason: 'Conflict' }),
  'deny-code': createDenied({
    code: 418,
    reason: 'Teapot',
    message: 'short and stout',
    details: { causes: [{ reason: 'B', field: 'f' }] },
  }),
  'deny-success': createDenied({ status: 'Success', code: 200, message: 'fine but no' }),
  'deny-details': createDenied({ code: 429, details: { name: 'n', kind: 'k', retryAfterSeconds: 7 } }),
  'deny-metadata': createDenied({ metadata: { resourceVersion: '7', continue: 'c' }, status: 'Odd', code: 499 }),
  absent: { body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}' },
  'null-response': { review: { response: null } },
  empty: { body: '' },
  'empty-object': { body: '{}' },
  html: { headers: { 'content-type': 'text/html' }, body: '<html>hello</html>' },
  text: { headers: { 'content-type': 'text/plain' }, body: 'hello' },
  truncated: { body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":' },
  list: { body: '[]' },
  number: { body: '7' },
  'no-uid': { response: { allowed: true, uid: '' } },
  'wrong-uid': { response: { allowed: true, uid: '00000000-0000-0000-0000-000000000000' } },
  'number-uid': { response: { allowed: true, uid: 7 } },
  'allowed-text': { response: { allowed: 'yes' } },
  'warnings-text': { response: { allowed: true, warnings: 'one' } },
  'other-version': { response: { allowed: true }, review: { apiVersion: 'admission.k8s.io/v1beta1' } },
  'unknown-version': { response: { allowed: true }, review: { apiVersion: 'admission.k8s.io/v7' } },
  'other-kind': { response: { allowed: true }, review: { kind: 'ConversionReview' } },
  'other-group': { response: { allowed: true }, review: { apiVersion: 'example.com/v1' } },
  untyped: { response: { allowed: true }, review: { apiVersion: null, kind: null } },
  'validating-patch': createAllowed(encodePatch([{ op: 'test', path: '/kind', value: 'x' }])),
  'validating-type': createAllowed({ patchType: 'JSONPatch' }),
  'status-object': {
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'a failure', reason: 'Forbidden', code: 403 }),
  },
  'status-success': { body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Success' }) },
  'server-error': { status: 500, headers: { 'content-type': 'text/plain' }, body: 'broken' },
  'server-error-json': { status: 500, body: '{"a":1}' },
  'error-without-type': { status: 500, headers: {}, body: 'broken' },
  'empty-without-type': { headers: {}, body: '' },
  unavailable: { status: 503, body: '' },
  'too-many': { status: 429, body: 'slow down' },
  'bad-request': { status: 400, body: 'bad' },
  unauthorized: { status: 401, body: 'who' },
  forbidden: { status: 403, body: 'no' },
  'forbidden-status': {
    status: 403,
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'my words', reason: 'Forbidden', code: 403 }),
  },
  'not-found': { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>gone</h1>' },
  conflict: { status: 409, body: '' },
  'no-content': { status: 204 },
  created: { status: 201, response: { allowed: true } },
  'not-modified': { status: 304 },
  'close-before': { closes: 'before' },
  'close-within': { closes: 'within', response: { allowed: true } },
}

/** The behavior that never answers. A call takes the whole timeout of the webhook. */
export const hanging = 'hang'

const behaviors = new Map<string, Behavior>([
  ...Object.entries(allowing),
  ...Object.entries(changing).map(([name, behavior]) => [`change-${name}`, behavior] as const),
  ...Object.entries(failing).map(([name, behavior]) => [`fail-${name}`, behavior] as const),
  [hanging, { closes: 'never' }],
])

/** Returns the answer of a behavior to a request. Returns a 404 for an unknown name. */
export function answerReview(name: string, request: ReviewRequest): HookAnswer {
  const behavior = behaviors.get(name) ?? { status: 404 }
  return typeof behavior === 'function' ? behavior(request) : behavior
}
