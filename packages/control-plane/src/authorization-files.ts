import { readFile } from 'node:fs/promises'
import { getErrorMessage } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import {
  findAuthorizationConfigurationError,
  createMatchConditions,
  createWebhookAuthorizer,
  findMatchConditionError,
  parseAbacPolicies,
  parseAuthorizationConfiguration,
} from '@keelson/auth'
import type {
  AbacPolicy,
  AuthorizationConfiguration,
  AuthorizationMetrics,
  Authorizer,
  AuthorizerConfiguration,
  ReviewVersion,
} from '@keelson/auth'
import { openKubeconfigWebhook, readKubeconfig } from '@keelson/outbound'
import type { Dialer } from '@keelson/outbound'
import { followFile } from './follow-file.ts'
import { authorizationDefaults, authorizationModes } from './options/authentication.ts'
import type { AuthorizationOptions } from './options/authentication.ts'
import { createReloadMetrics } from './reload-metrics.ts'

/** The authorizers to build, and the text of the configuration file that contains them. */
export interface AuthorizationFile {
  readonly configuration: AuthorizationConfiguration
  /** Text of the configuration file. Undefined if the authorizers come from options. */
  readonly content?: string
}

/**
 * Reads the authorizers from the authorization configuration file, or translates the options. Throws an error with the reason if they are
 * invalid.
 */
export async function readAuthorization(options: AuthorizationOptions): Promise<AuthorizationFile> {
  if (options.configFile === undefined) return { configuration: { authorizers: createAuthorizersOfModes(options) } }
  const content = await readText(options.configFile)
  return { configuration: readAuthorizationConfiguration(content), content }
}

/**
 * Parses and validates an AuthorizationConfiguration. Throws if an authorizer type in `requiredTypes` is missing: a reload must not remove
 * those.
 */
function readAuthorizationConfiguration(content: string, requiredTypes?: readonly string[]): AuthorizationConfiguration {
  const configuration = parse(content)
  const problem = findAuthorizationConfigurationError(configuration, {
    knownTypes: authorizationModes,
    checkExpression: findMatchConditionError,
    requiredTypes,
  })
  if (problem !== undefined) throw new Error(problem)
  return configuration
}

function parse(content: string): AuthorizationConfiguration {
  try {
    return parseAuthorizationConfiguration(content)
  } catch (error) {
    throw new Error(`failed to load AuthorizationConfiguration from file: ${(error as Error).message}`, { cause: error })
  }
}

function createAuthorizersOfModes(options: AuthorizationOptions): readonly AuthorizerConfiguration[] {
  const { modes = authorizationDefaults.modes, webhook } = options
  return modes.map((type): AuthorizerConfiguration => {
    if (type !== 'Webhook') return { type, name: type.toLowerCase() }
    const {
      kubeconfigFile: kubeConfigFile = '',
      version = 'v1beta1',
      authorizedTtlMs = 300_000,
      unauthorizedTtlMs = 30_000,
    } = webhook ?? {}
    return {
      type,
      name: 'default',
      webhook: {
        authorizedTtlMs,
        cacheAuthorizedRequests: authorizedTtlMs !== 0,
        unauthorizedTtlMs,
        cacheUnauthorizedRequests: unauthorizedTtlMs !== 0,
        timeoutMs: 30_000,
        subjectAccessReviewVersion: version,
        matchConditionSubjectAccessReviewVersion: '',
        failurePolicy: 'NoOpinion',
        connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
        matchConditions: [],
      },
    }
  })
}

/** Reads the policy file of the authorization mode ABAC. */
export async function readPolicies(file: string, warn: (text: string) => void): Promise<readonly AbacPolicy[]> {
  const { policies, unversionedLines } = parseAbacPolicies(await readText(file), file)
  if (unversionedLines > 0)
    warn(`Policy file ${file} contained unversioned rules. See docs/admin/authorization.md#abac-mode for ABAC file format details.`)
  return policies
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`open ${file}: ${code === 'ENOENT' ? 'no such file or directory' : message}`, { cause: error })
  }
}

export interface WebhookParts {
  readonly dialer: Dialer
  readonly clock: Clock
  readonly metrics: AuthorizationMetrics
  readonly log: (text: string) => void
}

/** Creates an authorizer that asks the configured webhook. Disposing it closes its connections. */
export async function openWebhookAuthorizer(
  { name, webhook }: AuthorizerConfiguration,
  { dialer, clock, metrics, log }: WebhookParts,
): Promise<Authorizer & Disposable> {
  const { connectionInfo, timeoutMs, failurePolicy, ...settings } = webhook!
  if (connectionInfo.kubeConfigFile === undefined) throw new Error('a webhook with connectionInfo.type=InClusterConfig is not supported')
  const kubeconfig = await readKubeconfig(connectionInfo.kubeConfigFile, { clock })
  const opened = openKubeconfigWebhook(kubeconfig, { dialer, timeoutMs, clock })
  const authorizer = createWebhookAuthorizer({
    name,
    webhook: opened,
    version: settings.subjectAccessReviewVersion as ReviewVersion,
    authorizedTtlMs: settings.cacheAuthorizedRequests ? settings.authorizedTtlMs : 0,
    unauthorizedTtlMs: settings.cacheUnauthorizedRequests ? settings.unauthorizedTtlMs : 0,
    onError: failurePolicy === 'Deny' ? 'deny' : 'noOpinion',
    metrics: metrics.webhook,
    matchConditions: createMatchConditions(settings.matchConditions, { name, metrics: metrics.matchConditions }),
    log,
  })
  return { ...authorizer, [Symbol.dispose]: () => opened[Symbol.dispose]() }
}

export interface FollowOptions {
  readonly file: string
  /** Text of the configuration file when the server started. */
  readonly content: string
  readonly clock: Clock
  readonly metrics: MetricsRegistry
  /** Authorizer types that a changed file must still contain. */
  readonly requiredTypes: readonly string[]
  readonly use: (configuration: AuthorizationConfiguration) => Promise<void>
  readonly log: (text: string) => void
}

/** Watches the authorization configuration file and calls `use` with each valid change. An invalid file is logged and changes nothing. */
export function followAuthorizationFile({ metrics: registry, requiredTypes, use, log, ...followed }: FollowOptions): Disposable {
  const metrics = createReloadMetrics(registry, 'authorization', () => followed.clock.now())
  metrics.recordStart(followed.content)
  const logFailure = (error: unknown): void => {
    log(`The authorization configuration was not reloaded; the previous one stays in use: ${getErrorMessage(error)}`)
    metrics.recordFailure()
  }
  return followFile({
    ...followed,
    onUnreadable: logFailure,
    onContent: async (content) => {
      try {
        await use(readAuthorizationConfiguration(content, requiredTypes))
        log('Reloaded the authorization configuration')
        metrics.recordSuccess(content)
      } catch (error) {
        logFailure(error)
      }
    },
  })
}
