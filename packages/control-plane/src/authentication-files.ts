import { readFile } from 'node:fs/promises'
import { aggregateFieldErrors, fieldError, newFieldPath, getErrorMessage, pause } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { compileAuthentication, createJwtAuthenticator, createJwtMetrics, parseAuthenticationConfiguration } from '@keelson/auth'
import type { AuthenticationConfiguration, CompiledJwt, JwtAuthenticator, JwtConfiguration, TokenAuthenticator } from '@keelson/auth'
import type { Dialer } from '@keelson/outbound'
import { followFile } from './follow-file.ts'
import type { AuthenticationOptions, OidcOptions } from './options/authentication.ts'
import { apiServerIdHash, createReloadMetrics } from './reload-metrics.ts'

/** Token issuers and the settings for anonymous requests, read from a configuration file or from options. */
export interface IssuerFile {
  readonly configuration: AuthenticationConfiguration
  readonly issuers: readonly CompiledJwt[]
  /** Accepted signature algorithms. Undefined: all algorithms that the server supports. */
  readonly algorithms?: readonly string[]
  /** Text of the configuration file. Undefined if the issuers come from options. */
  readonly content?: string
}

/**
 * Reads the issuers from the authentication configuration file, or translates the OIDC options. Throws an error with the reason if they are
 * invalid.
 */
export async function readIssuers(options: AuthenticationOptions, disallowedIssuers: readonly string[]): Promise<IssuerFile> {
  const { configFile, oidc, anonymous } = options
  if (configFile === undefined) {
    const configuration = oidc === undefined ? {} : { jwt: [await createJwtOfOptions(oidc)] }
    const { signingAlgorithms: algorithms = ['RS256'] } = oidc ?? {}
    return { configuration, issuers: compile(configuration, disallowedIssuers), algorithms }
  }
  let content: string
  let configuration: AuthenticationConfiguration
  try {
    content = await readFile(configFile, 'utf8')
    configuration = parseAuthenticationConfiguration(content)
  } catch (error) {
    const reason = `failed to load authentication configuration from file ${JSON.stringify(configFile)}: ${getErrorMessage(error)}`
    throw new Error(reason, { cause: error })
  }
  if (configuration.anonymous !== undefined && anonymous !== undefined) {
    const detail = '--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file'
    throw new Error(aggregateFieldErrors([fieldError.forbidden(newFieldPath('anonymous'), detail)]))
  }
  return { configuration, issuers: compile(configuration, disallowedIssuers), content }
}

function compile(configuration: AuthenticationConfiguration, disallowedIssuers: readonly string[]): readonly CompiledJwt[] {
  const { jwt, errors } = compileAuthentication(configuration, disallowedIssuers)
  if (errors.length > 0) throw new Error(`invalid authentication configuration: ${aggregateFieldErrors(errors)}`)
  return jwt
}

async function createJwtOfOptions(oidc: OidcOptions): Promise<JwtConfiguration> {
  const { issuerUrl: url, clientId, authorityFile, usernameClaim: claim = 'sub', usernamePrefix = '', groupsClaim } = oidc
  const defaultPrefix = claim === 'email' ? '' : `${url}#`
  const prefix = usernamePrefix === '' ? defaultPrefix : usernamePrefix === '-' ? '' : usernamePrefix
  return {
    issuer: {
      url,
      audiences: [clientId],
      ...(authorityFile !== undefined && { certificateAuthority: await readFile(authorityFile, 'utf8') }),
    },
    claimMappings: {
      username: { claim, prefix },
      ...(groupsClaim !== undefined && { groups: { claim: groupsClaim, prefix: oidc.groupsPrefix ?? '' } }),
    },
    claimValidationRules: Object.entries(oidc.requiredClaims ?? {}).map(([name, requiredValue]) => ({ claim: name, requiredValue })),
  }
}

export interface FollowIssuersOptions {
  readonly file: IssuerFile
  /** Path of the authentication configuration file. Undefined if the issuers come from options. */
  readonly path: string | undefined
  readonly disallowedIssuers: readonly string[]
  readonly dialer: Dialer
  readonly clock: Clock
  readonly metrics: MetricsRegistry
  readonly log: (text: string) => void
}

/**
 * Time limit in milliseconds for reaching all issuers of a changed configuration. The change takes effect only when all of them have been
 * reached.
 */
const healthPatienceMs = 60_000
const healthPauseMs = 500
/** Time in milliseconds before replaced issuers are closed, because requests in flight may still use them. */
const graceMs = 60_000

/** Creates an authenticator for tokens of the issuers. If the issuers come from a configuration file, reloads the file on changes. */
export function followIssuers(options: FollowIssuersOptions): TokenAuthenticator & Disposable {
  const { file, path, disallowedIssuers, dialer, clock, metrics: registry, log } = options
  const metrics = createJwtMetrics(registry, { apiServerIdHash, now: () => clock.now() })
  const open = (issuers: readonly CompiledJwt[]): JwtAuthenticator =>
    createJwtAuthenticator({ issuers, dialer, clock, metrics, log, ...(file.algorithms && { algorithms: file.algorithms }) })
  const stopAbort = new AbortController()
  let issuers = file.issuers
  let current = open(issuers)

  async function use(next: readonly CompiledJwt[]): Promise<void> {
    const newAuthenticator = open(next)
    const deadline = clock.now() + healthPatienceMs
    for (let problems = newAuthenticator.listProblems(); problems.length > 0; problems = newAuthenticator.listProblems()) {
      if (clock.now() >= deadline || stopAbort.signal.aborted) {
        newAuthenticator[Symbol.dispose]()
        throw new Error(problems.join(', '))
      }
      await pause(clock, healthPauseMs, { signal: stopAbort.signal })
    }
    const [old, removed] = [current, listUrls(issuers).filter((url) => !listUrls(next).includes(url))]
    current = newAuthenticator
    issuers = next
    clock.after(graceMs, () => {
      old[Symbol.dispose]()
      for (const url of removed) if (!listUrls(issuers).includes(url)) metrics.forget(url)
    })
  }

  const following = path === undefined ? undefined : follow(path)
  function follow(name: string): Disposable {
    const reloads = createReloadMetrics(registry, 'authentication', () => clock.now())
    reloads.recordStart(file.content ?? '')
    const logFailure = (error: unknown): void => {
      log(`The authentication configuration was not reloaded; the previous one stays in use: ${getErrorMessage(error)}`)
      reloads.recordFailure()
    }
    return followFile({
      file: name,
      content: file.content ?? '',
      clock,
      onUnreadable: logFailure,
      onContent: async (content) => {
        let newIssuers: readonly CompiledJwt[]
        try {
          newIssuers = reread(content, file.configuration.anonymous, disallowedIssuers)
        } catch (error) {
          logFailure(error)
          return true
        }
        try {
          await use(newIssuers)
        } catch (error) {
          logFailure(error)
          // False: the change is retried, because the issuers may be reachable later.
          return false
        }
        log('Reloaded the authentication configuration')
        reloads.recordSuccess(content)
        return true
      },
    })
  }
  return {
    authenticateToken: (token) => current.authenticateToken(token),
    [Symbol.dispose]: () => {
      stopAbort.abort()
      following?.[Symbol.dispose]()
      current[Symbol.dispose]()
    },
  }
}

function reread(
  content: string,
  anonymous: AuthenticationConfiguration['anonymous'],
  disallowedIssuers: readonly string[],
): readonly CompiledJwt[] {
  const configuration = parseAuthenticationConfiguration(content)
  const { jwt, errors } = compileAuthentication(configuration, disallowedIssuers)
  if (JSON.stringify(configuration.anonymous) !== JSON.stringify(anonymous)) {
    errors.push(fieldError.forbidden(newFieldPath('anonymous'), 'changed from initial configuration file'))
  }
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors))
  return jwt
}

function listUrls(issuers: readonly CompiledJwt[]): readonly string[] {
  return issuers.map(({ configuration }) => configuration.issuer?.url ?? '')
}
