import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type { JsonObject, JsonValue, KubeObject, Span, SpanAttributes } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { OutboundError } from '@keelson/outbound'
import type { OutboundAnswer, OutboundRequest } from '@keelson/outbound'
import { describe, expect, it } from 'vitest'
import { createConversionMetrics } from './conversion-metrics.ts'
import type { ConversionInput, Converted } from './object-converter.ts'
import { WebhookConverter } from './webhook-converter.ts'

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly KubeObject[] }
}

type Answer = (review: Review) => JsonValue | { readonly status: number; readonly body: string; readonly type?: string } | OutboundError

function createSuccess(review: Review, convertedObjects: unknown): JsonObject {
  const { apiVersion, kind, request } = review
  return {
    apiVersion,
    kind,
    response: { uid: request.uid, convertedObjects: convertedObjects as JsonValue, result: { status: 'Success' } },
  }
}

function convertReview(review: Review, change: (object: KubeObject) => unknown = (object) => object): JsonObject {
  return createSuccess(
    review,
    review.request.objects.map((object) => change({ ...object, apiVersion: review.request.desiredAPIVersion })),
  )
}

interface Hook {
  readonly converter: WebhookConverter
  readonly reviews: Review[]
  readonly requests: OutboundRequest[]
  readonly metrics: () => string
  convert(count?: number, to?: string): Promise<readonly Converted[]>
}

function createHook(answer: Answer, reviewVersions: readonly string[] = ['v1']): Hook {
  const reviews: Review[] = []
  const requests: OutboundRequest[] = []
  const registry = createMetricsRegistry()
  const definition = {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Thing', plural: 'things' },
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://127.0.0.1:9443/convert' }, conversionReviewVersions: [...reviewVersions] },
      },
    },
  } as unknown as CustomResourceDefinition
  const respond = (request: OutboundRequest): OutboundAnswer => {
    const review = JSON.parse(Buffer.from(request.body as Uint8Array).toString()) as Review
    reviews.push(review)
    requests.push(request)
    const reply = answer(review)
    if (reply instanceof OutboundError)
      return { failed: true, error: reply, message: `Post "https://127.0.0.1:9443${request.path}": ${reply.message}` }
    const plain = typeof reply === 'object' && reply !== null && 'status' in reply && 'body' in reply
    const { status, body, type } = (plain ? reply : { status: 200, body: JSON.stringify(reply) }) as {
      status: number
      body: string
      type?: string
    }
    return { failed: false, status, headers: { 'content-type': type ?? 'application/json' }, body: Buffer.from(body) }
  }
  const dialer = {
    client: () => ({ request: (request: OutboundRequest) => Promise.resolve(respond(request)), [Symbol.dispose]: () => undefined }),
  }
  const converter = new WebhookConverter({ definition, dialer, metrics: createConversionMetrics(registry) })
  return {
    converter,
    reviews,
    requests,
    metrics: () => registry.text(),
    convert: (count = 1, to = 'v1') =>
      converter.convert(
        Array.from({ length: count }, (_, i) => createInput(`t${i}`)),
        to,
        undefined,
      ),
  }
}

function createInput(name: string, version = 'v2'): ConversionInput {
  const metadata = { name, namespace: 'ns', uid: `uid-${name}`, labels: { l: '1' }, generation: 1 }
  return { version, body: Buffer.from(JSON.stringify({ metadata, spec: { a: 'b' } })), metadata: () => structuredClone(metadata) }
}

const withMetadata =
  (change: object): Answer =>
  (review) =>
    convertReview(review, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, ...change } }))
const withMembers =
  (change: object): Answer =>
  (review) => ({ ...convertReview(review), ...change })
const name = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`
const typeMeta = 'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
const hook = 'conversion webhook for example.com/v2, Kind=Thing'
const failed = `${hook} failed: `

/** The responses of a webhook that kube-apiserver 1.36.4 refuses, with its texts. */
const refused: Readonly<Record<string, readonly [Answer, string]>> = {
  'a failure with a message': [
    (r) => ({ ...r, response: { uid: r.request.uid, result: { status: 'Failure', message: 'no' } } }) as never,
    `${failed}no`,
  ],
  'a failure without a message': [
    (r) => ({ ...r, response: { uid: r.request.uid, result: { status: 'Failure' } } }) as never,
    `${failed}response.result.status was 'Failure', not 'Success'`,
  ],
  'no result': [(r) => ({ ...r, response: { uid: r.request.uid } }) as never, `${failed}response.result.status was '', not 'Success'`],
  'too few objects': [(r) => createSuccess(r, []), `${hook} returned 0 objects, expected 1`],
  'no objects': [(r) => createSuccess(r, null), `${hook} returned 0 objects, expected 1`],
  'too many objects': [(r) => createSuccess(r, [1, 2]), `${hook} returned 2 objects, expected 1`],
  'a null': [(r) => createSuccess(r, [null]), 'unexpected end of JSON input'],
  'a text': [(r) => createSuccess(r, ['x']), 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
  'a list': [(r) => createSuccess(r, [[]]), 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  'objects of a wrong type': [
    (r) => createSuccess(r, {}),
    `${failed}json: cannot unmarshal object into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension`,
  ],
  'no kind': [(r) => createSuccess(r, [{ apiVersion: 'example.com/v1' }]), `Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'`],
  'another kind': [
    (r) => convertReview(r, (object) => ({ ...object, kind: 'Other' })),
    `${hook} returned invalid object at index 0: invalid kind (expected Thing, received Other)`,
  ],
  'no apiVersion': [
    (r) => convertReview(r, (object) => ({ ...object, apiVersion: 1 })),
    `${hook} returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received )`,
  ],
  'the same version': [
    (r) => createSuccess(r, r.request.objects),
    `${hook} returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v2)`,
  ],
  'another name': [withMetadata({ name: 'renamed' }), `${hook} returned invalid object: must have the same name: t0 != renamed`],
  'another namespace': [withMetadata({ namespace: 'zz' }), `${hook} returned invalid object: must have the same namespace: ns != zz`],
  'another uid': [withMetadata({ uid: 'zz' }), `${hook} returned invalid object: must have the same UID: uid-t0 != zz`],
  'no metadata': [
    (r) => convertReview(r, ({ metadata: _metadata, ...rest }) => rest),
    `${hook} returned invalid object: must have the same name: t0 != `,
  ],
  'a label that is a number': [
    withMetadata({ labels: { a: 1 } }),
    `${hook} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
  ],
  'a label that is an object': [
    withMetadata({ labels: { a: {} } }),
    `${hook} returned invalid metadata: metadata.labels[a] must be a string, but is map[string]interface {} in converted object`,
  ],
  'labels that are a list': [
    withMetadata({ labels: [] }),
    `${hook} returned invalid metadata: invalid metadata.labels of type []interface {} in converted object`,
  ],
  'an invalid label': [
    withMetadata({ labels: { 'a b': 'x' } }),
    `${hook} returned invalid metadata: metadata.labels: Invalid value: "a b": ${name}`,
  ],
  'an invalid annotation': [
    withMetadata({ annotations: { 'a b': 'x' } }),
    `${hook} returned invalid metadata: metadata.annotation: Invalid value: "a b": ${name}`,
  ],
  'no response': [withMembers({ response: null }), `${failed}no response provided`],
  'a response of a wrong type': [
    withMembers({ response: 'x' }),
    `${failed}json: cannot unmarshal string into Go struct field ConversionReview.response of type v1.ConversionResponse`,
  ],
  'no type': [
    withMembers({ apiVersion: undefined, kind: undefined }),
    `${failed}expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
  ],
  'no review kind': [
    withMembers({ kind: undefined }),
    `${failed}expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1, Kind=`,
  ],
  'another review version': [
    withMembers({ apiVersion: 'apiextensions.k8s.io/v1beta1' }),
    `${failed}converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
  ],
  'an unknown review kind': [
    withMembers({ kind: 'Foo' }),
    `${failed}no kind "Foo" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`,
  ],
  'a Status': [
    () => ({ kind: 'Status', apiVersion: 'v1' }),
    `${failed}converting (v1.Status) to (v1.ConversionReview): unknown conversion`,
  ],
  'an empty object': [() => ({}), `${failed}expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`],
  'a null document': [() => null, `${failed}expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`],
  HTML: [
    () => ({ status: 200, body: '<html>hello</html>' }),
    `${failed}couldn't get version/kind; json parse error: json: cannot unmarshal string into ${typeMeta}`,
  ],
  'a list document': [() => [], `${failed}couldn't get version/kind; json parse error: json: cannot unmarshal array into ${typeMeta}`],
  'truncated JSON': [
    () => ({ status: 200, body: '{"kind":"Con' }),
    `${failed}couldn't get version/kind; json parse error: unexpected end of JSON input`,
  ],
  'an empty body': [
    () => ({ status: 204, body: '' }),
    `${failed}0-length response with status code: 204 and content type: application/json`,
  ],
  'status 500': [
    () => ({ status: 500, body: 'no' }),
    `${failed}an error on the server ("unknown") has prevented the request from succeeding`,
  ],
  'status 404': [() => ({ status: 404, body: 'no' }), `${failed}the server could not find the requested resource`],
  'status 403': [() => ({ status: 403, body: 'no' }), `${failed}unknown`],
  'status 301': [
    () => ({ status: 301, body: '' }),
    `${failed}the server responded with the status code 301 but did not return more information`,
  ],
  'status 403 with a Status': [
    () => ({ status: 403, body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'teapot', code: 403 }) }),
    `${failed}teapot`,
  ],
  'a refused connection': [
    () => new OutboundError('dial', 'dial tcp 127.0.0.1:9443: connect: connection refused'),
    `${failed}Post "https://127.0.0.1:9443/convert?timeout=30s": dial tcp 127.0.0.1:9443: connect: connection refused`,
  ],
  'a timeout': [
    () => new OutboundError('timeout', 'context deadline exceeded'),
    `${failed}Post "https://127.0.0.1:9443/convert?timeout=30s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
  ],
}

describe('WebhookConverter', () => {
  it.each(Object.entries(refused))(
    'rejects a response with %s, with the error text of kube-apiserver',
    async (_title, [answer, message]) => {
      const [error] = await createHook(answer).convert()
      expect(error).toBeInstanceOf(Error)
      expect((error as Error).message).toBe(message)
    },
  )

  it('rejects a response with the uid of another request', async () => {
    const [error] = await createHook((r) => ({ ...r, response: { uid: 'other', result: { status: 'Success' } } }) as never).convert()
    expect((error as Error).message).toMatch(
      /^conversion webhook for example.com\/v2, Kind=Thing failed: expected response.uid="[0-9a-f-]{36}", got "other"$/,
    )
  })
})

describe('WebhookConverter', () => {
  it('sends objects without resourceVersion, and keeps all metadata except labels and annotations', async () => {
    const changed = { labels: { x: 'y' }, annotations: { z: '1' }, generation: 7, finalizers: ['a/b'] }
    const { convert, reviews, requests } = createHook(withMetadata(changed))
    expect(await convert()).toEqual([
      {
        metadata: { name: 't0', namespace: 'ns', uid: 'uid-t0', labels: { x: 'y' }, annotations: { z: '1' }, generation: 1 },
        spec: { a: 'b' },
      },
    ])
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/convert?timeout=30s', timeoutMs: 30_000 })
    expect(reviews[0]).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        desiredAPIVersion: 'example.com/v1',
        objects: [
          {
            apiVersion: 'example.com/v2',
            kind: 'Thing',
            metadata: { name: 't0', namespace: 'ns', uid: 'uid-t0', labels: { l: '1' }, generation: 1 },
            spec: { a: 'b' },
          },
        ],
      },
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    })
  })

  it('removes labels and annotations that are not in the response', async () => {
    const [object] = await createHook(withMetadata({ labels: null })).convert()
    expect((object as KubeObject).metadata.labels).toBeUndefined()
  })

  it('uses the first known version of the review, and does not check the uid of v1beta1', async () => {
    const { convert, reviews } = createHook(
      (r) => ({ response: { ...(convertReview(r)['response'] as object), uid: 'other' } }),
      ['v7', 'v1beta1', 'v1'],
    )
    expect(await convert()).toHaveLength(1)
    expect(reviews[0]!.apiVersion).toBe('apiextensions.k8s.io/v1beta1')
    const [error] = await createHook(convertReview, ['v7']).convert()
    expect((error as Error).message).toBe('no supported conversion review versions')
  })

  it('sends many objects in batches, in order', async () => {
    const { convert, reviews } = createHook(convertReview)
    const objects = await convert(250)
    expect(objects.map((object) => (object as KubeObject).metadata.name)).toEqual(Array.from({ length: 250 }, (_, i) => `t${i}`))
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([100, 100, 50])
  })

  it('sends each object alone if the webhook rejects a batch, and returns the error of each object', async () => {
    const { convert, reviews } = createHook((review) => {
      const [first] = review.request.objects
      return first!.metadata.name === 't1'
        ? withMetadata({ name: 'x' })(review)
        : createSuccess(review, [{ ...first, apiVersion: 'example.com/v1' }])
    })
    const [a, b, c] = await convert(3)
    expect([(a as KubeObject).metadata.name, (c as KubeObject).metadata.name]).toEqual(['t0', 't2'])
    expect((b as Error).message).toBe(`${hook} returned invalid object: must have the same name: t1 != x`)
    expect(reviews).toHaveLength(4)
  })

  it('records calls in the trace of the request', async () => {
    const steps: unknown[] = []
    const step = { addEvent: (name: string) => steps.push(name), end: (ms: number) => steps.push(ms) } as unknown as Span
    const span = { startChild: (name: string, attributes: SpanAttributes) => (steps.push(name, attributes), step) } as unknown as Span
    const { converter, requests } = createHook((review) => convertReview(review))
    const input: ConversionInput = { version: 'v1', body: Buffer.from('{"metadata":{"name":"a"}}'), metadata: () => ({ name: 'a' }) }
    await converter.convert([input, input], 'v2', { span })
    expect(steps).toEqual([
      'Call conversion webhook',
      {
        'custom-resource-definition': 'things.example.com',
        'desired-api-version': 'example.com/v2',
        'object-count': 2,
        UID: expect.any(String),
      },
      'Request completed',
      66,
    ])
    expect(requests[0]!.span).toBe(step)
  })

  it('calls an unreachable webhook only once', async () => {
    const { convert, reviews } = createHook(() => new OutboundError('dial', 'refused'))
    expect((await convert(250)).every((each) => each instanceof Error)).toBe(true)
    expect(reviews).toHaveLength(1)
  })

  it('has the metrics of kube-apiserver', async () => {
    const { convert, metrics } = createHook((review) =>
      review.request.desiredAPIVersion === 'example.com/v1' ? convertReview(review) : createSuccess(review, []),
    )
    await convert(1, 'v1')
    await convert(1, 'v3')
    const lines = metrics().split('\n')
    const labels = 'crd_name="things.example.com",from_version="v2"'
    expect(lines).toContain(`apiserver_crd_conversion_webhook_duration_seconds_count{${labels},succeeded="true",to_version="v1"} 1`)
    expect(lines).toContain(`apiserver_crd_conversion_webhook_duration_seconds_count{${labels},succeeded="false",to_version="v3"} 1`)
    expect(lines).toContain('apiserver_conversion_webhook_request_total{failure_type="",result="success"} 1')
    const failure = 'failure_type="conversion_webhook_partial_response_failure",result="failure"'
    expect(lines).toContain(`apiserver_conversion_webhook_request_total{${failure}} 1`)
    expect(lines).toContain(`apiserver_conversion_webhook_duration_seconds_count{${failure}} 1`)
  })
})
