import type { Delegation } from '@keelson/aggregator/extension-server'
import { mastersGroup } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import {
  createAbacAuthorizer,
  createAlwaysAllowPathsAuthorizer,
  createAuthorizationMetrics,
  createAuthorizerUnion,
  createConstantAuthorizer,
  createNodeAuthorizer,
  createPrivilegedGroupsAuthorizer,
  RbacAuthorizer,
  RbacPolicy,
} from '@keelson/auth'
import type { AuthorizationConfiguration, Authorizer, InformedAuthorizer, ObjectSources } from '@keelson/auth'
import type { Dialer } from '@keelson/outbound'
import { bootstrapClusterRoles } from '@keelson/resources'
import { describeError } from '@keelson/server'
import { followAuthorizationFile, openWebhookAuthorizer, readAuthorization, readPolicies } from './authorization-files.ts'
import { builtinGroups } from './builtin-groups.ts'
import { ConfigurationError } from './configuration-error.ts'
import { authorizationDefaults } from './options/authentication.ts'
import type { AuthorizationMode } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface Authorization extends AsyncDisposable {
  readonly authorizer: Authorizer
  /** Roles and bindings. Writes to roles and bindings are checked against them in every authorization mode. */
  readonly roles: RbacPolicy
  /** Connects the RBAC and Node authorizers to the objects they read. Call it when the client exists and the groups are installed. */
  readFrom(sources: ObjectSources): void
}

/** Authorizer of one authorization mode. Disposing it stops its informers or closes its connections. */
type ModeAuthorizer = Authorizer | InformedAuthorizer | (InformedAuthorizer & AsyncDisposable) | (Authorizer & Disposable)

interface ModeParts {
  readonly log: ServerChainOptions['log']
  readonly metrics: MetricsRegistry
  readonly roles: RbacPolicy
}
type ModeFactory = (dependencies: ModeParts) => ModeAuthorizer

/** Factories of the authorizers that have no configuration of their own. */
const factories: Readonly<Record<Exclude<AuthorizationMode, 'Webhook' | 'ABAC'>, ModeFactory>> = {
  AlwaysAllow: () => createConstantAuthorizer({ decision: 'allow', reason: '' }),
  AlwaysDeny: () => createConstantAuthorizer({ decision: 'noOpinion', reason: 'Everything is forbidden.' }),
  Node: ({ log, metrics }) =>
    createNodeAuthorizer({
      metrics,
      rules: bootstrapClusterRoles.find(({ metadata }) => metadata.name === 'system:node')?.rules ?? [],
      onError: (error) => log?.(0, 'Node authorizer failed', { err: describeError(error) }),
    }),
  RBAC: ({ roles }) => new RbacAuthorizer(roles),
}

export interface AuthorizationParts {
  readonly metrics: MetricsRegistry
  readonly dialer: Dialer
  readonly clock: Clock
  /** Set if another API server decides instead of authorization modes. */
  readonly delegation?: Pick<Delegation, 'authorizer'> | undefined
}

/**
 * Builds the chain of authorizers: `system:masters`, the always-allowed paths, `authorizers`, and then the modes in the configured order.
 * Reloads the configuration file on changes. Throws `ConfigurationError` for invalid options or files.
 */
export async function buildAuthorization(options: ServerChainOptions, dependencies: AuthorizationParts): Promise<Authorization> {
  checkAuthorization(options)
  const authorization = options.authorization ?? {}
  const metrics = createAuthorizationMetrics(dependencies.metrics)
  const log = (text: string): void => options.log?.(0, text)
  const front = [createPrivilegedGroupsAuthorizer(mastersGroup), createPathAuthorizer(options), ...(options.authorizers ?? [])]
  const file = await wrapConfigurationError('the authorization configuration cannot be used', () =>
    dependencies.delegation === undefined ? readAuthorization(authorization) : { configuration: { authorizers: [] } },
  )
  // Authorizers that are kept when the file is reloaded. A changed file cannot add or remove authorizers of these types.
  const lasting = new Map<string, ModeAuthorizer>()
  const roles = new RbacPolicy()
  const modeParts: ModeParts = { log: options.log, metrics: dependencies.metrics, roles }
  for (const { type } of file.configuration.authorizers) {
    if (type === 'ABAC') {
      const policies = await wrapConfigurationError('the policy file cannot be used', () =>
        readPolicies(authorization.policyFile ?? '', log),
      )
      lasting.set(type, createAbacAuthorizer(policies))
    } else if (type !== 'Webhook') lasting.set(type, factories[type as keyof typeof factories](modeParts))
  }

  const open = async ({ authorizers }: AuthorizationConfiguration): Promise<OpenChain> => {
    const webhooks: Disposable[] = []
    const members: Authorizer[] = dependencies.delegation === undefined ? [] : [dependencies.delegation.authorizer]
    for (const configuration of authorizers) {
      const { type, name } = configuration
      let member = lasting.get(type)
      if (type === 'Webhook') {
        const webhook = await openWebhookAuthorizer(configuration, { dialer: dependencies.dialer, clock: dependencies.clock, metrics, log })
        webhooks.push(webhook)
        member = webhook
      } else if (type === 'AlwaysAllow' || type === 'AlwaysDeny') member ??= factories[type](modeParts)
      if (member === undefined) throw new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`)
      members.push(metrics.instrument(member, { type, name }))
    }
    return { authorizer: createAuthorizerUnion(...front, ...members), webhooks }
  }
  let current = await wrapConfigurationError('the authorization webhook cannot be used', () => open(file.configuration))

  const { configFile } = authorization
  const fileWatch =
    configFile === undefined
      ? undefined
      : followAuthorizationFile({
          ...dependencies,
          file: configFile,
          content: file.content ?? '',
          requiredTypes: [...lasting.keys()],
          log,
          use: async (configuration) => {
            const newAuthorizer = await open(configuration)
            closeLater(current.webhooks, dependencies.clock)
            current = newAuthorizer
          },
        })
  return {
    authorizer: {
      authorize: (attributes) => current.authorizer.authorize(attributes),
      rulesFor: (user, namespace) => current.authorizer.rulesFor!(user, namespace),
    },
    roles,
    readFrom: (sources) => {
      roles.follow(sources)
      for (const member of lasting.values()) if ('readFrom' in member) member.readFrom(sources)
    },
    async [Symbol.asyncDispose]() {
      fileWatch?.[Symbol.dispose]()
      for (const webhook of current.webhooks) webhook[Symbol.dispose]()
      for (const member of lasting.values()) if (Symbol.asyncDispose in member) await member[Symbol.asyncDispose]()
    },
  }
}

interface OpenChain {
  readonly authorizer: Authorizer
  readonly webhooks: readonly Disposable[]
}

/** Disposes of replaced webhooks after a minute, because requests in flight may still wait for their responses. */
function closeLater(webhooks: readonly Disposable[], clock: Clock): void {
  clock.after(60_000, () => {
    for (const webhook of webhooks) webhook[Symbol.dispose]()
  })
}

/** Checks that the authorization options do not conflict. Reads no file. Throws `ConfigurationError` with all problems. */
export function checkAuthorization(options: ServerChainOptions): void {
  const { modes, configFile, policyFile, webhook } = { ...options.authorization }
  const problems: string[] = []
  if (options.delegation !== undefined) {
    if ([modes, configFile, policyFile, webhook].some((option) => option !== undefined)) {
      problems.push('authorization modes, files and webhooks cannot be set together with delegation, which replaces them')
    }
  } else if (configFile !== undefined) {
    if (modes !== undefined || webhook !== undefined) {
      problems.push('--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined')
    }
  } else {
    const authorizationModes: readonly AuthorizationMode[] = modes ?? authorizationDefaults.modes
    if (authorizationModes.length === 0) problems.push('at least one authorization-mode must be passed')
    if (authorizationModes.includes('ABAC') && policyFile === undefined)
      problems.push("authorization-mode ABAC's authorization policy file not passed")
    if (authorizationModes.includes('Webhook') && webhook === undefined)
      problems.push("authorization-mode Webhook's authorization config file not passed")
    if (!authorizationModes.includes('ABAC') && policyFile !== undefined)
      problems.push('cannot specify --authorization-policy-file without mode ABAC')
    if (!authorizationModes.includes('Webhook') && webhook !== undefined) {
      problems.push('cannot specify --authorization-webhook-config-file without mode Webhook')
    }
    if (new Set(authorizationModes).size !== authorizationModes.length) {
      problems.push(
        `authorization-mode [${authorizationModes.map((mode) => JSON.stringify(mode)).join(' ')}] has mode specified more than once`,
      )
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
  createPathAuthorizer(options)
}

async function wrapConfigurationError<T>(subject: string, step: () => Promise<T> | T): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw new ConfigurationError(`${subject}: ${(error as Error).message}`, { cause: error })
  }
}

/** Paths that everyone may request if the RBAC group is not served. With RBAC, a built-in role allows them. */
const probes = ['/healthz', '/readyz', '/livez']

function createPathAuthorizer({ authorization, groups = builtinGroups }: ServerChainOptions): Authorizer {
  const servesRoles = groups.some(({ name }) => name === 'rbac.authorization.k8s.io')
  const paths = authorization?.alwaysAllowPaths ?? (servesRoles ? [] : probes)
  try {
    return createAlwaysAllowPathsAuthorizer(paths)
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}
