import { timingSafeEqual } from 'node:crypto'
import type { Secret } from '@keelson/api/core/v1'
import { systemClock } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { toRejection } from './token-authenticator.ts'
import type { TokenAuthenticator, TokenResult } from './token-authenticator.ts'

export interface BootstrapTokenOptions {
  /** Reads a secret of the namespace kube-system; undefined if it does not exist. */
  readonly readSecret: (name: string) => Promise<DeepReadonly<Secret> | undefined>
  readonly clock?: Clock
  /** Called with the reason if the secret of a token is missing or not valid. */
  readonly onRefused?: (text: string) => void
}

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const groupPattern = '\\Asystem:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]\\z'
const groupRegExp = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
/** Matches RFC 3339 timestamps in the variants that Go's time.Parse accepts. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/
const defaultGroup = 'system:bootstrappers'
const secretType = 'bootstrap.kubernetes.io/token'

/**
 * Authenticates bootstrap tokens, with which nodes join a cluster. A token `ID.SECRET` belongs to the Secret
 * `kube-system/bootstrap-token-ID`.
 */
export function createBootstrapTokenAuthenticator(options: BootstrapTokenOptions): TokenAuthenticator {
  const { clock = systemClock, onRefused = () => {} } = options

  async function authenticate(id: string, value: string): Promise<TokenResult> {
    const name = `bootstrap-token-${id}`
    const secret = await options.readSecret(name)
    if (secret === undefined) {
      onRefused(`No secret of name ${name} to match bootstrap bearer token`)
      return undefined
    }
    const problem = findProblem(secret, { id, value, now: clock.now() })
    const groups = problem === undefined ? readGroups(secret) : problem
    if (typeof groups !== 'string') return { name: `system:bootstrap:${id}`, groups }
    onRefused(`Bootstrap secret kube-system/${name} matching bearer token ${groups}`)
    return undefined
  }

  return {
    authenticateToken: (token) => {
      const [, id, value] = tokenPattern.exec(token) ?? []
      if (id === undefined || value === undefined) return undefined
      return authenticate(id, value).catch(toRejection)
    },
  }
}

interface BootstrapToken {
  readonly id: string
  readonly value: string
  readonly now: number
}

function findProblem(secret: DeepReadonly<Secret>, { id, value, now }: BootstrapToken): string | undefined {
  if (secret.metadata.deletionTimestamp !== undefined) return 'is deleted and awaiting removal'
  if (secret.type !== secretType || secret.data === undefined) return `has invalid type, expected ${secretType}.`
  const [expected, received] = [Buffer.from(readData(secret, 'token-secret')), Buffer.from(value)]
  if (expected.length !== received.length || !timingSafeEqual(expected, received)) return 'has invalid value for key token-secret.'
  if (readData(secret, 'token-id') !== id) return 'has invalid value for key token-id.'
  const expiration = readData(secret, 'expiration')
  if (expiration !== '' && !(timePattern.test(expiration) && Date.parse(expiration.replace(',', '.')) > now)) return 'has expired'
  const usage = 'usage-bootstrap-authentication'
  return readData(secret, usage) === 'true' ? undefined : `not marked ${usage}=true.`
}

/** Returns the groups of a bootstrap token. If a group is not valid, returns the error message instead. */
function readGroups(secret: DeepReadonly<Secret>): readonly string[] | string {
  const extra = readData(secret, 'auth-extra-groups')
  if (extra === '') return [defaultGroup]
  const groups = extra.split(',')
  const wrong = groups.find((group) => !groupRegExp.test(group))
  if (wrong !== undefined) {
    const reason = `bootstrap group ${JSON.stringify(wrong)} is invalid (must match ${groupPattern})`
    return `has invalid value for key auth-extra-groups: ${reason}.`
  }
  return [...new Set([defaultGroup, ...groups])].sort()
}

function readData(secret: DeepReadonly<Secret>, key: string): string {
  return Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8')
}
