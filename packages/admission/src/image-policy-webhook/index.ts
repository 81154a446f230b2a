import type { Pod } from '@keelson/api/core/v1'
import { isApiError, isJsonObject, isQualifiedName, getErrorMessage, systemClock } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { ExpiringCache, sendReview } from '@keelson/auth'
import { createDialer, formatJsonTypeProblem, openKubeconfigWebhook, readKubeconfig } from '@keelson/outbound'
import type { KubeconfigWebhook } from '@keelson/outbound'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { readImagePolicyConfiguration } from './configuration.ts'
import type { ImagePolicyConfiguration } from './configuration.ts'

const auditPrefix = 'imagepolicywebhook.image-policy.k8s.io/'
const maxCachedDecisions = 1024
/** Maximum length of a review for caching. Clients could otherwise fill the memory with the annotations of their pods. */
const maxCachedLength = 10_000

/**
 * Creates the plugin ImagePolicyWebhook. It sends the images of new and changed pods to a webhook, which may reject them. The decisions are
 * cached. Disposing the plugin closes its connections.
 */
export async function createImagePolicyWebhookPlugin(dependencies: PluginDependencies, configuration?: unknown): Promise<AdmissionPlugin> {
  const { dialer = createDialer(), clock = systemClock } = dependencies
  const settings = readImagePolicyConfiguration(configuration)
  const kubeconfig = await readKubeconfig(settings.kubeconfigFile, { clock })
  // kube-apiserver does not use the egress selector for this webhook.
  const webhook = openKubeconfigWebhook(kubeconfig, { dialer, network: 'direct', retryBackoffMs: settings.retryBackoffMs, clock })
  return new ImagePolicyWebhook(webhook, settings)
}

interface ImageDecision {
  readonly allowed: boolean
  readonly reason: string
  readonly auditAnnotations: JsonObject
}

class ImagePolicyWebhook implements AdmissionPlugin, AsyncDisposable {
  readonly name = 'ImagePolicyWebhook'
  readonly operations = ['CREATE', 'UPDATE'] as const
  readonly resources = ['pods', 'pods/ephemeralcontainers']
  readonly #webhook: KubeconfigWebhook & Disposable
  readonly #settings: ImagePolicyConfiguration
  readonly #decisions: ExpiringCache<ImageDecision>

  constructor(webhook: KubeconfigWebhook & Disposable, settings: ImagePolicyConfiguration) {
    this.#webhook = webhook
    this.#settings = settings
    this.#decisions = new ExpiringCache(maxCachedDecisions, webhook.clock ?? systemClock)
  }

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    const spec = reviewSpec(attributes)
    const key = JSON.stringify(spec)
    const knownImageDecision = this.#decisions.get(key)
    return knownImageDecision === undefined ? this.#ask(attributes, spec, key) : decide(attributes, knownImageDecision)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#webhook[Symbol.dispose]()
  }

  async #ask(attributes: AdmissionAttributes, spec: JsonObject, key: string): Promise<void> {
    const { signal } = attributes.context
    let decision: ImageDecision
    try {
      const head = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', metadata: {} }
      decision = readDecision(await sendReview(this.#webhook, { ...head, spec, status: { allowed: false } }, { signal }))
    } catch (error) {
      signal.throwIfAborted()
      if (!this.#settings.defaultAllow) throw isApiError(error, 'Forbidden') ? error : newForbiddenWrite(attributes, getErrorMessage(error))
      attributes.annotate(`${auditPrefix}failed-open`, 'true')
      return
    }
    const ttl = decision.allowed ? this.#settings.allowTtlMs : this.#settings.denyTtlMs
    if (key.length <= maxCachedLength) this.#decisions.set(key, decision, ttl)
    decide(attributes, decision)
  }
}

/** Builds the spec of the ImageReview. Members without a value are left out. */
function reviewSpec({ namespace, object, subresource }: AdmissionAttributes): JsonObject {
  const { metadata, spec } = object as Pod
  const reviewed = subresource === '' ? [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])] : (spec?.ephemeralContainers ?? [])
  const containers = reviewed.map(({ image = '' }): JsonObject => (image === '' ? {} : { image }))
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes('.image-policy.k8s.io/'))
  return {
    ...(containers.length > 0 && { containers }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations.toSorted(compareKeys)) }),
    ...(namespace !== '' && { namespace }),
  }
}

function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Reads the status of a response. Throws kube-apiserver's error if a member has the wrong type. */
function readDecision({ allowed, reason, auditAnnotations }: JsonObject): ImageDecision {
  const refuse = (value: JsonValue, member: string, goType: string): never => {
    throw new Error(formatJsonTypeProblem(value, `ImageReviewStatus.status.${member}`, goType))
  }
  const annotations = auditAnnotations ?? {}
  if (!isJsonObject(annotations)) return refuse(annotations, 'auditAnnotations', 'map[string]string')
  for (const value of Object.values(annotations)) if (typeof value !== 'string') refuse(value, 'auditAnnotations', 'string')
  if (typeof (allowed ?? false) !== 'boolean') refuse(allowed!, 'allowed', 'bool')
  if (typeof (reason ?? '') !== 'string') refuse(reason!, 'reason', 'string')
  return { allowed: allowed === true, reason: (reason ?? '') as string, auditAnnotations: annotations }
}

function decide(attributes: AdmissionAttributes, { allowed, reason, auditAnnotations }: ImageDecision): void {
  for (const [name, value] of Object.entries(auditAnnotations)) {
    const key = auditPrefix + name
    if (typeof value === 'string' && isQualifiedName(key).length === 0) attributes.annotate(key, value)
  }
  if (allowed) return
  const text =
    reason === '' ? 'one or more images rejected by webhook backend' : `image policy webhook backend denied one or more images: ${reason}`
  throw newForbiddenWrite(attributes, text)
}
