import type { Pod, PodSpec } from '@keelson/api/core/v1'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { OutboundError } from '@keelson/outbound'
import type { Dialer, OutboundAnswer, OutboundRequest } from '@keelson/outbound'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createImagePolicyWebhookPlugin } from './index.ts'
import { writeKubeconfig } from './kubeconfig.fixture.ts'

const kubeConfigFile = writeKubeconfig('https://images.example.com/review')

type Status = { readonly allowed?: boolean; readonly reason?: string; readonly auditAnnotations?: Record<string, string> }

let cluster: TestCluster
let clock: ManualClock
let requests: OutboundRequest[]
let answer: Status | OutboundError | number | string
let isClosed: boolean
beforeEach(() => {
  cluster = openTestCluster([])
  clock = createManualClock()
  requests = []
  answer = { allowed: true }
  isClosed = false
})
afterEach(() => cluster[Symbol.asyncDispose]())

async function request(sent: OutboundRequest): Promise<OutboundAnswer> {
  requests.push(sent)
  if (answer instanceof OutboundError)
    return { failed: true, error: answer, message: `Post "https://images.example.com/review": ${answer.message}` }
  if (typeof answer === 'number') return { failed: false, status: answer, headers: {}, body: Buffer.from('told to fail') }
  const body = typeof answer === 'string' ? answer : JSON.stringify({ ...(JSON.parse(sent.body as string) as object), status: answer })
  return { failed: false, status: 200, headers: {}, body: Buffer.from(body) }
}
const dialer: Dialer = { client: () => ({ request, [Symbol.dispose]: () => void (isClosed = true) }) }
const open = (settings: object = {}): Promise<AdmissionPlugin> =>
  createImagePolicyWebhookPlugin({ ...cluster, clock, dialer }, { imagePolicy: { kubeConfigFile, ...settings } })
const createPod = (spec: Partial<PodSpec>, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name: 'p', annotations },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
})
const validate = async (plugin: AdmissionPlugin, object = createPod({}), overrides: Partial<AdmissionAttributes> = {}): Promise<void> =>
  plugin.validate!(write('pods', object, overrides))
const readReview = (i = 0): unknown => JSON.parse(requests[i]!.body as string)

it('sends the images of containers and init containers, the namespace and the annotations for the webhook', async () => {
  const annotations = { 'b.image-policy.k8s.io/x': '1', 'a.image-policy.k8s.io/y': '2', 'example.com/z': '3' }
  const spec = { initContainers: [{ name: 'i', image: 'busybox' }], ephemeralContainers: [{ name: 'e', image: 'debug' }] }
  await validate(await open(), createPod(spec, annotations))
  expect(readReview()).toEqual({
    kind: 'ImageReview',
    apiVersion: 'imagepolicy.k8s.io/v1alpha1',
    metadata: {},
    spec: {
      containers: [{ image: 'nginx' }, { image: 'busybox' }],
      annotations: { 'a.image-policy.k8s.io/y': '2', 'b.image-policy.k8s.io/x': '1' },
      namespace: 'ns',
    },
    status: { allowed: false },
  })
  expect(requests[0]).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer secret' } })
})

it('sends only the ephemeral containers of a pod to which they are added', async () => {
  const spec = { ephemeralContainers: [{ name: 'e', image: 'debug' }] }
  await validate(await open(), createPod(spec), { subresource: 'ephemeralcontainers', operation: 'UPDATE' })
  expect(readReview()).toMatchObject({ spec: { containers: [{ image: 'debug' }] } })
})

it.each([
  [{ reason: 'too old' }, 'image policy webhook backend denied one or more images: too old'],
  [{}, 'one or more images rejected by webhook backend'],
])('rejects pods if the webhook answers %j', async (status, reason) => {
  answer = status
  await expect(validate(await open())).rejects.toMatchObject({ code: 403, message: `pods "p" is forbidden: ${reason}` })
})

it('caches decisions, each kind for its time', async () => {
  const plugin = await open({ allowTTL: 10, denyTTL: 5 })
  const old = createPod({ containers: [{ name: 'c', image: 'old' }] })
  await validate(plugin)
  answer = {}
  await expect(validate(plugin, old)).rejects.toMatchObject({ code: 403 })
  answer = { allowed: true }
  clock.advance(4_999)
  await validate(plugin)
  await expect(validate(plugin, old)).rejects.toMatchObject({ code: 403 })
  expect(requests).toHaveLength(2)
  clock.advance(1)
  await validate(plugin, old)
  expect(requests).toHaveLength(3)
  clock.advance(5_000)
  await validate(plugin)
  expect(requests).toHaveLength(4)
})

it('does not cache if the time is -1, and never caches long reviews', async () => {
  const plugin = await open({ allowTTL: -1 })
  await validate(plugin)
  await validate(plugin)
  expect(requests).toHaveLength(2)
  const caching = await open()
  const long = createPod({}, { 'a.image-policy.k8s.io/x': 'x'.repeat(10_000) })
  await validate(caching, long)
  await validate(caching, long)
  expect(requests).toHaveLength(4)
})

it('adds the audit annotations of the webhook, also of cached decisions', async () => {
  answer = { allowed: true, auditAnnotations: { checked: 'yes', 'not a name': 'x' } }
  const plugin = await open()
  const annotations: string[] = []
  const annotate = (key: string, value: string) => void annotations.push(`${key}=${value}`)
  await validate(plugin, createPod({}), { annotate })
  await validate(plugin, createPod({}), { annotate })
  expect(requests).toHaveLength(1)
  expect(annotations).toEqual(Array(2).fill('imagepolicywebhook.image-policy.k8s.io/checked=yes'))
})

it('rejects pods if the webhook fails, or admits them if defaultAllow is set', async () => {
  answer = new OutboundError('dial', 'dial tcp 127.0.0.1:1: connect: connection refused')
  const annotations: string[] = []
  const annotate = (key: string, value: string) => void annotations.push(`${key}=${value}`)
  await expect(validate(await open(), createPod({}), { annotate })).rejects.toMatchObject({
    code: 403,
    message: 'pods "p" is forbidden: Post "https://images.example.com/review": dial tcp 127.0.0.1:1: connect: connection refused',
  })
  expect(annotations).toEqual([])
  await validate(await open({ defaultAllow: true }), createPod({}), { annotate })
  expect(annotations).toEqual(['imagepolicywebhook.image-policy.k8s.io/failed-open=true'])
})

it.each<[string, string]>([
  ['hello', "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct"],
  ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
  ['{"kind":"Other"}', 'no kind "Other" is registered for version "imagepolicy.k8s.io/v1alpha1"'],
  ['{"kind":"Status","apiVersion":"v1"}', 'converting (v1.Status) to (v1alpha1.ImageReview): unknown conversion'],
  ['{"status":{"allowed":"yes"}}', 'json: cannot unmarshal string into Go struct field ImageReviewStatus.status.allowed of type bool'],
])('rejects pods if the webhook answers %s', async (text, message) => {
  answer = text
  await expect(validate(await open())).rejects.toThrow(`pods "p" is forbidden: ${message}`)
})

it('accepts an answer in YAML', async () => {
  answer = 'status: {allowed: true}'
  await validate(await open())
})

it('retries transient failures with the configured pause', async () => {
  answer = 500
  const plugin = await open({ retryBackoff: 60_000 })
  const validation = validate(plugin)
  await expect.poll(() => requests.length).toBe(1)
  answer = { allowed: true }
  clock.advance(59_999)
  expect(requests).toHaveLength(1)
  clock.advance(12_001)
  await validation
  expect(requests).toHaveLength(2)
})

it('ends with the request, even if defaultAllow is set', async () => {
  answer = 500
  const controller = new AbortController()
  const attributes = write('pods', createPod({}))
  const plugin = await open({ defaultAllow: true })
  const validation = plugin.validate!({ ...attributes, context: { ...attributes.context, signal: controller.signal } })
  await expect.poll(() => requests.length).toBe(1)
  controller.abort(new Error('gone'))
  await expect(validation).rejects.toThrow('gone')
})

it('closes its connections', async () => {
  const plugin = await open()
  await (plugin as AdmissionPlugin & AsyncDisposable)[Symbol.asyncDispose]()
  expect(isClosed).toBe(true)
})

it.each([
  [undefined, 'no config specified'],
  [{}, 'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable'],
  [[], 'the configuration must be an object'],
  [{ imagePolicy: { kubeConfigFile: '/nowhere' } }, 'stat /nowhere: no such file or directory'],
  [{ imagePolicy: { kubeConfigFile, allowTTL: 1801 } }, 'valid value is between 1s and 30m0s, got 30m1s'],
  [{ imagePolicy: { kubeConfigFile, denyTTL: -2 } }, 'valid value is between 1s and 30m0s, got -2s'],
  [{ imagePolicy: { kubeConfigFile, retryBackoff: 300_001 } }, 'valid value is between 1ns and 5m0s, got 5m0.001s'],
  [{ imagePolicy: { kubeConfigFile, retryBackoff: 1.5 } }, 'imagePolicy.retryBackoff must be an integer'],
  [{ imagePolicy: { kubeConfigFile: 5 } }, 'imagePolicy.kubeConfigFile must be a string'],
  [{ imagePolicy: { kubeConfigFile, defaultAllow: 'yes' } }, 'imagePolicy.defaultAllow must be true or false'],
])('refuses the configuration %j', async (configuration, message) => {
  await expect(createImagePolicyWebhookPlugin({ ...cluster, dialer }, configuration)).rejects.toThrow(new Error(message))
})
