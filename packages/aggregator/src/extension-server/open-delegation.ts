import type { ConfigMap } from '@keelson/api/core/v1'
import { isApiError, getErrorMessage } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createCachedTokens, createWebhookAuthorizer, createWebhookTokenAuthenticator } from '@keelson/auth'
import type { Authorizer, TokenAuthenticator } from '@keelson/auth'
import { openKubeconfigWebhook, readInClusterConfig, readKubeconfig } from '@keelson/outbound'
import type { KubeconfigClient, KubeconfigWebhook, StreamDialer } from '@keelson/outbound'
import { createDelegationMetrics } from './delegation-metrics.ts'
import { followConfigMap, readConfigMap } from './follow-config-map.ts'
import { authenticationConfigMap, nothingPublished, readPublishedAuthentication } from './published-authentication.ts'
import type { PublishedAuthentication } from './published-authentication.ts'

/** Options of an extension API server, which asks another API server who its clients are and what they may do. */
export interface DelegationOptions {
  /** Kubeconfig of the other API server. Default: the configuration that a pod gets. */
  readonly kubeconfigFile?: string
  /**
   * Reads the CAs of clients and front proxies, and the headers of front proxies, from the ConfigMap
   * `kube-system/extension-apiserver-authentication`, and follows its changes. Default: true.
   */
  readonly lookUpAuthentication?: boolean
  /** Starts also if the ConfigMap cannot be read. Until it can be read, no front proxy and no client certificate is trusted. Default: false. */
  readonly tolerateLookupFailure?: boolean
  /** Timeout of a review in milliseconds. Default: 10 seconds. */
  readonly timeoutMs?: number
  /** How long the users of tokens are cached, in milliseconds. 0 disables caching. Default: 10 seconds. */
  readonly tokenTtlMs?: number
  /** How long "allowed" decisions are cached, in milliseconds. 0 disables caching. Default: 10 seconds. */
  readonly authorizedTtlMs?: number
  /** How long other decisions are cached, in milliseconds. 0 disables caching. Default: 10 seconds. */
  readonly unauthorizedTtlMs?: number
}

export interface DelegationParts {
  readonly dialer: StreamDialer
  readonly metrics: MetricsRegistry
  readonly clock: Clock
  readonly log: (text: string) => void
}

/** What an extension API server leaves to another API server. Disposing it closes the connections. */
export interface Delegation extends Disposable {
  /** Authenticates bearer tokens with TokenReviews. */
  readonly tokens: TokenAuthenticator
  /** Authorizes requests with SubjectAccessReviews. */
  readonly authorizer: Authorizer
  /** The settings that the other API server publishes. They change. */
  readonly published: PublishedAuthentication
  /** Calls `listener` after each change of the published settings. */
  onChange(listener: () => void): void
}

const defaults: Required<Omit<DelegationOptions, 'kubeconfigFile'>> = {
  lookUpAuthentication: true,
  tolerateLookupFailure: false,
  timeoutMs: 10_000,
  tokenTtlMs: 10_000,
  authorizedTtlMs: 10_000,
  unauthorizedTtlMs: 10_000,
}

type DelegationSettings = Pick<DelegationOptions, 'kubeconfigFile'> & Required<Omit<DelegationOptions, 'kubeconfigFile'>>

/**
 * Connects to the API server that decides for an extension API server. Reads the published settings once and follows them from then on. Throws
 * if the kubeconfig cannot be used or the settings cannot be read.
 */
export async function openDelegation(requested: DelegationOptions, dependencies: DelegationParts): Promise<Delegation> {
  const options: DelegationSettings = { ...defaults, ...requested }
  const { clock, dialer, log } = dependencies
  const config = await readConfig(options.kubeconfigFile, clock)
  const metrics = createDelegationMetrics(dependencies.metrics)
  const openReview = (path: string): KubeconfigWebhook & Disposable =>
    openKubeconfigWebhook({ ...config, url: config.url.replace(/\/$/, '') + path }, { dialer, clock, timeoutMs: options.timeoutMs })
  const tokenReview = openReview('/apis/authentication.k8s.io/v1/tokenreviews')
  const accessReview = openReview('/apis/authorization.k8s.io/v1/subjectaccessreviews')
  const tokens = createWebhookTokenAuthenticator({
    webhook: tokenReview,
    version: 'v1',
    audiences: [],
    observe: metrics.recordAuthentication,
    log,
  })
  const settings = new FollowedSettings(config, options, dependencies)
  const dispose = (): void => {
    for (const each of [tokenReview, accessReview, settings]) each[Symbol.dispose]()
  }
  try {
    await settings.start()
  } catch (error) {
    dispose()
    throw error
  }
  return {
    tokens: createCachedTokens(tokens, { audiences: [], successTtlMs: options.tokenTtlMs, unknownTtlMs: options.tokenTtlMs, clock }),
    authorizer: createWebhookAuthorizer({
      name: 'delegated',
      webhook: accessReview,
      version: 'v1',
      authorizedTtlMs: options.authorizedTtlMs,
      unauthorizedTtlMs: options.unauthorizedTtlMs,
      onError: 'noOpinion',
      observe: metrics.recordAuthorization,
      log,
    }),
    get published() {
      return settings.current
    },
    onChange: (listener) => settings.onChange(listener),
    [Symbol.dispose]: dispose,
  }
}

async function readConfig(kubeconfigFile: string | undefined, clock: Clock): Promise<KubeconfigClient> {
  try {
    return kubeconfigFile === undefined ? await readInClusterConfig({ clock }) : await readKubeconfig(kubeconfigFile, { clock })
  } catch (error) {
    throw new Error(`failed to get delegated authentication kubeconfig: ${getErrorMessage(error)}`, { cause: error })
  }
}

/** The published settings, which follow the ConfigMap. */
class FollowedSettings implements Disposable {
  readonly #config: KubeconfigClient
  readonly #options: DelegationSettings
  readonly #dependencies: DelegationParts
  readonly #listeners = new Set<() => void>()
  readonly #abort = new AbortController()
  #current = nothingPublished
  #lastData = ''

  constructor(config: KubeconfigClient, options: DelegationSettings, dependencies: DelegationParts) {
    this.#config = config
    this.#options = options
    this.#dependencies = dependencies
  }

  get current(): PublishedAuthentication {
    return this.#current
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Reads the ConfigMap and starts to follow it. */
  async start(): Promise<void> {
    const { lookUpAuthentication, tolerateLookupFailure, timeoutMs } = this.#options
    if (!lookUpAuthentication) return
    const { dialer, clock, log } = this.#dependencies
    const { signal } = this.#abort
    const client = dialer.client({ url: this.#config.url, tls: this.#config.tls })
    signal.addEventListener('abort', () => client[Symbol.dispose](), { once: true })
    const source = { client, config: this.#config, ...authenticationConfigMap, timeoutMs }
    try {
      const configMap = await readConfigMap(source)
      if (configMap !== undefined) this.#use(configMap)
    } catch (error) {
      if (isApiError(error, 'Forbidden')) log(forbiddenHint)
      if (!tolerateLookupFailure) {
        throw new Error(`unable to load configmap based request-header-client-ca-file: ${getErrorMessage(error)}`, { cause: error })
      }
      log(`Error looking up in-cluster authentication configuration: ${getErrorMessage(error)}`)
      log('Continuing without authentication configuration. This may treat all requests as anonymous.')
    }
    void followConfigMap({
      ...source,
      clock,
      signal,
      onState: (configMap) => this.#use(configMap),
      onError: (error) => log(`Following the authentication configuration failed: ${getErrorMessage(error)}`),
    })
  }

  [Symbol.dispose](): void {
    this.#abort.abort()
  }

  #use({ data = {} }: ConfigMap): void {
    // Lists and watches repeat states. A problem is logged once for each content.
    const text = JSON.stringify(data)
    if (text === this.#lastData) return
    this.#lastData = text
    this.#current = readPublishedAuthentication(data, this.#current, this.#dependencies.log)
    for (const listener of this.#listeners) listener()
  }
}

const { namespace, name } = authenticationConfigMap
const forbiddenHint =
  `Unable to get configmap/${name} in ${namespace}.  Usually fixed by 'kubectl create rolebinding -n ${namespace} ROLEBINDING_NAME ` +
  `--role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA'`
