import { createCachedTokens, createWebhookTokenAuthenticator } from '@keelson/auth'
import type { TokenAuthenticator } from '@keelson/auth'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { openKubeconfigWebhook, readKubeconfig } from '@keelson/outbound'
import type { Dialer } from '@keelson/outbound'
import { followIssuers, readIssuers } from './authentication-files.ts'
import { ConfigurationError } from './configuration-error.ts'
import { authenticationDefaults } from './options/authentication.ts'
import type { AuthenticationOptions, TokenWebhookOptions } from './options/authentication.ts'

/** Authenticators of tokens from other systems: OpenID Connect providers and the authentication webhook. */
export interface ExternalTokens extends Disposable {
  /** The authenticator of OpenID Connect tokens, followed by the webhook. */
  readonly authenticators: readonly TokenAuthenticator[]
  /** Paths that allow anonymous access; an empty list means all paths. Undefined if requests without credentials are rejected. */
  readonly anonymousPaths: readonly string[] | undefined
}

export interface ExternalTokenParts {
  /** Audiences of this server. */
  readonly audiences: readonly string[]
  /** Issuers of this server's own service account tokens. */
  readonly ownIssuers: readonly string[]
  readonly dialer: Dialer
  readonly clock: Clock
  readonly metrics: MetricsRegistry
  readonly log: (text: string) => void
}

/** Cache TTL of authenticated users in milliseconds. Verifying an OpenID Connect token costs more than a small response. */
const userTtlMs = 10_000

/** Creates the authenticators of external tokens from the options and files. Throws `ConfigurationError` for files that cannot be used. */
export async function openExternalTokens(options: AuthenticationOptions, dependencies: ExternalTokenParts): Promise<ExternalTokens> {
  const { audiences, clock } = dependencies
  checkConflicts(options)
  const file = await wrapConfigurationError(() => readIssuers(options, dependencies.ownIssuers))
  const authenticators: TokenAuthenticator[] = []
  const open: Disposable[] = []
  if (file.issuers.length > 0 || file.content !== undefined) {
    const issuers = followIssuers({ ...dependencies, file, path: options.configFile, disallowedIssuers: dependencies.ownIssuers })
    open.push(issuers)
    authenticators.push(createCachedTokens(issuers, { audiences, successTtlMs: userTtlMs, unknownTtlMs: 0, clock }))
  }
  const { tokenWebhook } = options
  if (tokenWebhook !== undefined) {
    const webhook = await wrapConfigurationError(() => openTokenWebhook(tokenWebhook, dependencies))
    open.push(webhook)
    authenticators.push(webhook)
  }
  const { anonymous = { enabled: options.anonymous ?? authenticationDefaults.anonymous, conditions: [] } } = file.configuration
  return {
    authenticators,
    anonymousPaths: anonymous.enabled === true ? (anonymous.conditions ?? []).map(({ path = '' }) => path) : undefined,
    [Symbol.dispose]: () => {
      for (const authenticator of open) authenticator[Symbol.dispose]()
    },
  }
}

function checkConflicts({ configFile, oidc }: AuthenticationOptions): void {
  if (configFile !== undefined && oidc !== undefined) {
    throw new ConfigurationError('authentication-config file and oidc-* flags are mutually exclusive')
  }
}

async function openTokenWebhook(
  { kubeconfigFile, version = 'v1beta1', cacheTtlMs = 120_000 }: TokenWebhookOptions,
  { audiences, dialer, clock, log }: ExternalTokenParts,
): Promise<TokenAuthenticator & Disposable> {
  const kubeconfig = await readKubeconfig(kubeconfigFile, { clock })
  const webhook = openKubeconfigWebhook(kubeconfig, { dialer, clock })
  const webhookAuthenticator = createWebhookTokenAuthenticator({ webhook, version, audiences, log })
  const cached = createCachedTokens(webhookAuthenticator, { audiences, successTtlMs: cacheTtlMs, unknownTtlMs: cacheTtlMs, clock })
  return { ...cached, [Symbol.dispose]: () => webhook[Symbol.dispose]() }
}

async function wrapConfigurationError<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}
