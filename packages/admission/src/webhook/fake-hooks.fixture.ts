import type { MutatingWebhook, ValidatingWebhook } from '@keelson/api/admissionregistration/v1'
import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { Dialer, OutboundAnswer, OutboundRequest } from '@keelson/outbound'
import type { AdmissionPlugin } from '../admission.ts'
import { openTestCluster } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createMutatingAdmissionWebhookPlugin, createValidatingAdmissionWebhookPlugin } from './index.ts'

/** The request of a review, as a webhook gets it. */
export interface SentReview {
  readonly uid: string
  readonly object: (KubeObject & JsonObject) | null
  readonly [member: string]: unknown
}

/** Returns the response of a webhook without its uid, or a whole answer. */
export type FakeHook = (review: SentReview) => JsonObject | OutboundAnswer

/** A cluster with webhooks that run in the same process. */
export interface HookCluster extends AsyncDisposable {
  readonly cluster: TestCluster
  readonly plugin: AdmissionPlugin
  /** The calls: the path and the request. */
  readonly calls: { readonly path: string; readonly review: SentReview }[]
  metrics(): string
}

type Webhook = Partial<MutatingWebhook & ValidatingWebhook>

const everything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }]

/** Opens a cluster. `configurations` has the webhooks of each configuration, and `hooks` the webhook at each path of "https://hooks". */
export async function openHookCluster(
  type: 'mutating' | 'validating',
  configurations: Readonly<Record<string, readonly Webhook[]>>,
  hooks: Readonly<Record<string, FakeHook>>,
): Promise<HookCluster> {
  const calls: HookCluster['calls'] = []
  const dialer: Dialer = {
    client: () => ({ request: async (request) => answer(request), [Symbol.dispose]() {} }),
  }
  const answer = ({ path = '', body }: OutboundRequest): OutboundAnswer => {
    const review = JSON.parse(String(body)) as { readonly apiVersion: string; readonly request: SentReview }
    calls.push({ path, review: review.request })
    const response = hooks[path.slice(1).split('?')[0]!]!(review.request)
    if ('failed' in response) return response as unknown as OutboundAnswer
    const { uid } = review.request
    const text = JSON.stringify({ apiVersion: review.apiVersion, kind: 'AdmissionReview', response: { uid, ...response } })
    return { failed: false, status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) }
  }
  const cluster = openTestCluster()
  await cluster.create('namespaces', { metadata: { name: 'ns' } })
  for (const [name, webhooks] of Object.entries(configurations)) {
    const complete = webhooks.map(completeWebhook)
    await cluster.create(`${type}webhookconfigurations`, { metadata: { name }, webhooks: complete } as KubeObject)
  }
  const metrics = createMetricsRegistry()
  const factory = type === 'mutating' ? createMutatingAdmissionWebhookPlugin : createValidatingAdmissionWebhookPlugin
  const plugin = await factory({ ...cluster, dialer, metrics })
  return { cluster, plugin, calls, metrics: () => metrics.text(), [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

function completeWebhook(webhook: Webhook): Webhook {
  const clientConfig = { url: `https://hooks/${webhook.name}` }
  return { clientConfig, rules: everything, admissionReviewVersions: ['v1'], sideEffects: 'None', timeoutSeconds: 10, ...webhook }
}

/** Returns the response with a patch. */
export function createPatchResponse(...operations: readonly JsonObject[]): JsonObject {
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') }
}

/** Returns the answer of a webhook that cannot be reached. */
export function createUnreachableHook(error: OutboundAnswer & { failed: true }): FakeHook {
  return () => error
}
