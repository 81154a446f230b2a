import {
  anonymousUser,
  authenticatedGroup,
  isApiError,
  isDNS1123Subdomain,
  mastersGroup,
  createResourceAction,
  unauthenticatedGroup,
} from '@keelson/apimachinery'
import type { RequestedAction, UserInfo } from '@keelson/apimachinery'
import type { Authorizer, AuthorizerAttributes } from './authorizer.ts'
import { createForbiddenError } from './forbidden.ts'
import type { ImpersonationMetrics } from './impersonation-metrics.ts'
import {
  parseNodeName,
  nodesGroup,
  listServiceAccountGroups,
  getServiceAccountNode,
  parseServiceAccountUserName,
} from './well-known-user-names.ts'

/** The impersonating user, the request, and the user to impersonate. */
export interface ImpersonationRequest extends AuthorizerAttributes {
  readonly impersonated: UserInfo
}

/** Minimum number of values for which a wildcard permission is checked before the permission for each value. */
const wildcardThreshold = 4

export interface ImpersonationOptions {
  /** Whether constrained impersonation (KEP-5284) is enabled. If false, only the legacy permission allows impersonation. Default true. */
  readonly constrained?: boolean
  readonly metrics?: ImpersonationMetrics
}

export interface Impersonation {
  /** The impersonated user. */
  readonly user: UserInfo
  /** The verb whose permission allowed it (`impersonate:user-info`); empty for the legacy permission. */
  readonly constraint: string
}

/** Maximum number of users whose last successful mode is remembered. */
const maxRememberedUsers = 10_000

/**
 * Returns a function that authorizes impersonation. It throws 403 unless a mode or the legacy permission allows it.
 * A mode limits the kind of user and the request (`impersonate-on:MODE:VERB` and `impersonate:MODE`, KEP-5284).
 * The legacy permission (`impersonate`) covers any request. The mode that last succeeded for a user is tried first, so that most requests need
 * one attempt. If all refuse, the first refusal is thrown.
 */
export function createImpersonation(
  authorizer: Authorizer,
  { constrained = true, metrics }: ImpersonationOptions = {},
): (request: ImpersonationRequest) => Promise<Impersonation> {
  const measured = metrics === undefined ? authorizer : measure(authorizer, metrics)
  const lastModes = new Map<string, Mode | undefined>()

  function remember(name: string, mode: Mode | undefined): void {
    lastModes.delete(name)
    lastModes.set(name, mode)
    if (lastModes.size > maxRememberedUsers) lastModes.delete(lastModes.keys().next().value!)
  }

  async function impersonate(request: ImpersonationRequest): Promise<Impersonation> {
    const { name } = request.user
    let modes = constrained ? [...listModes(request), undefined] : [undefined]
    const last = lastModes.get(name)
    if (lastModes.has(name) && modes.includes(last)) modes = [last, ...modes.filter((mode) => mode !== last)]
    let refusal: unknown
    for (const mode of modes) {
      try {
        const user = await authorizeInMode(measured, request, mode)
        remember(name, mode)
        return { user, constraint: mode === undefined ? '' : `impersonate:${mode}` }
      } catch (error) {
        if (!isApiError(error, 'Forbidden')) throw error
        refusal ??= error
      }
    }
    throw refusal
  }

  if (metrics === undefined) return impersonate
  return async (request) => {
    const started = performance.now()
    const recordAttempt = (mode: string, decision: 'allowed' | 'denied'): void =>
      metrics.recordAttempt(mode, decision, (performance.now() - started) / 1000)
    try {
      const impersonation = await impersonate(request)
      recordAttempt(parseMode(impersonation.constraint || 'impersonate'), 'allowed')
      return impersonation
    } catch (error) {
      recordAttempt('', 'denied')
      throw error
    }
  }
}

function measure(authorizer: Authorizer, metrics: ImpersonationMetrics): Authorizer {
  return {
    async authorize(attributes) {
      const started = performance.now()
      const decision = await authorizer.authorize(attributes)
      const outcome = decision.decision === 'allow' ? 'allowed' : 'denied'
      metrics.recordAuthorization(parseMode(attributes.action.verb), outcome, (performance.now() - started) / 1000)
      return decision
    },
  }
}

/** Returns the impersonation mode in a verb: "user-info" for "impersonate-on:user-info:get". */
function parseMode(verb: string): string {
  return verb.split(':', 2)[1] ?? 'legacy'
}

type Mode = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info'

function listModes({ user, impersonated }: ImpersonationRequest): Mode[] {
  const onlyNamed = !impersonated.uid && impersonated.groups.length === 0 && impersonated.extra === undefined
  const node = parseNodeName(impersonated.name)
  if (node !== undefined) {
    if (!onlyNamed) return []
    return getServiceAccountNode(user) === node ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node']
  }
  if (parseServiceAccountUserName(impersonated.name) !== undefined) return onlyNamed ? ['serviceaccount'] : []
  return ['user-info']
}

async function authorizeInMode(
  authorizer: Authorizer,
  { user, action, impersonated }: ImpersonationRequest,
  mode: Mode | undefined,
): Promise<UserInfo> {
  const requestor = mode === 'associated-node' ? withExtraKeysOnly(user) : user
  if (mode !== undefined)
    await requireAllowed(authorizer, { user: requestor, action: { ...action, verb: `impersonate-on:${mode}:${action.verb}` } })
  const checks = new PermissionChecks(authorizer, requestor, mode)
  const groups = await checks.name(impersonated)
  if (impersonated.uid) await checks.uid(impersonated.uid)
  await checks.groups(impersonated.groups)
  await checks.extra(impersonated.extra ?? {})
  return { ...impersonated, groups: withAuthentication(impersonated.name, groups) }
}

/** Checks the permissions that one impersonation mode requires. Attributes that are not impersonated need no permission. */
class PermissionChecks {
  readonly #authorizer: Authorizer
  readonly #user: UserInfo
  readonly #mode: Mode | undefined

  constructor(authorizer: Authorizer, user: UserInfo, mode: Mode | undefined) {
    this.#authorizer = authorizer
    this.#user = user
    this.#mode = mode
  }

  /** Checks the user name. Resolves to the user's groups, including those implied by the name. */
  async name({ name, groups }: UserInfo): Promise<readonly string[]> {
    const account = parseServiceAccountUserName(name)
    if (account !== undefined) {
      await this.#require({ ...this.#core('serviceaccounts', account.name), namespace: account.namespace })
      return groups.length > 0 ? groups : listServiceAccountGroups(account.namespace)
    }
    const node = this.#mode === undefined ? undefined : parseNodeName(name)
    if (node === undefined) {
      await this.#require(this.#core('users', name))
      return groups
    }
    await this.#require(this.#core('nodes', this.#mode === 'associated-node' ? '*' : node))
    return [nodesGroup]
  }

  uid(uid: string): Promise<void> {
    return this.#require(this.#authentication('uids', uid))
  }

  async groups(groups: readonly string[]): Promise<void> {
    if (this.#mode !== undefined) {
      if (groups.includes('')) this.#deny(this.#core('groups', ''), 'impersonating the empty string group is not allowed')
      if (groups.includes(mastersGroup)) {
        this.#deny(this.#core('groups', mastersGroup), 'impersonating the system:masters group is not allowed')
      }
      if (groups.length >= wildcardThreshold && (await this.#allows(this.#core('groups', '*')))) return
    }
    for (const group of groups) await this.#require(this.#core('groups', group))
  }

  async extra(extra: NonNullable<UserInfo['extra']>): Promise<void> {
    const entries = Object.entries(extra)
    const count = entries.reduce((sum, [, values]) => sum + values.length, 0)
    if (this.#mode !== undefined && count > 0) {
      const error = entries.map(([key, values]) => findExtraError(key, values)).find((text) => text !== undefined)
      if (error !== undefined) this.#deny(this.#authentication('userextras', ''), error)
      if (count >= wildcardThreshold && (await this.#allows({ ...this.#authentication('userextras', '*'), subresource: '*' }))) return
    }
    for (const [key, values] of entries) {
      for (const value of values) await this.#require({ ...this.#authentication('userextras', value), subresource: key })
    }
  }

  /**
   * Returns the action to authorize. The legacy permission uses resources of the core group; the modes use those of authentication.k8s.io.
   */
  #core(resource: string, name: string): RequestedAction {
    return this.#mode === undefined ? this.#action('', resource, name) : this.#authentication(resource, name)
  }

  #authentication(resource: string, name: string): RequestedAction {
    return this.#action('authentication.k8s.io', resource, name)
  }

  #action(apiGroup: string, resource: string, name: string): RequestedAction {
    const verb = this.#mode === undefined ? 'impersonate' : `impersonate:${this.#mode}`
    return createResourceAction({ verb, apiGroup, apiVersion: 'v1', resource, name })
  }

  #require(action: RequestedAction): Promise<void> {
    return requireAllowed(this.#authorizer, { user: this.#user, action })
  }

  async #allows(action: RequestedAction): Promise<boolean> {
    return (await this.#authorizer.authorize({ user: this.#user, action })).decision === 'allow'
  }

  #deny(action: RequestedAction, reason: string): never {
    throw createForbiddenError({ user: this.#user, action }, reason)
  }
}

async function requireAllowed(authorizer: Authorizer, attributes: AuthorizerAttributes): Promise<void> {
  const { decision, reason } = await authorizer.authorize(attributes)
  if (decision !== 'allow') throw createForbiddenError(attributes, reason)
}

/**
 * Replaces each extra value by its key. One permission covers a service account on all nodes, so the decision must not depend on the node.
 */
function withExtraKeysOnly(user: UserInfo): UserInfo {
  return { ...user, extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(user.extra ?? {}).sort() } }
}

function withAuthentication(name: string, groups: readonly string[]): readonly string[] {
  if (name !== anonymousUser && groups.includes(unauthenticatedGroup)) return groups
  const group = name === anonymousUser ? unauthenticatedGroup : authenticatedGroup
  return groups.includes(group) ? groups : [...groups, group]
}

function findExtraError(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed'
  const invalid = findInvalidExtraKey(key)
  if (invalid !== undefined) return `impersonating an invalid key in extra is not allowed: ${invalid}`
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined
}

const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const pathPattern = new RegExp(`^${pathFormat}$`)

/** Returns the error of an extra key that is not a domain-prefixed path; undefined for a valid key. */
function findInvalidExtraKey(key: string): string | undefined {
  const formatInvalid = (value: string, reason: string): string => `extra.key: Invalid value: ${JSON.stringify(value)}: ${reason}`
  const slash = key.indexOf('/')
  const [host, path] = [key.slice(0, Math.max(0, slash)), key.slice(slash + 1)]
  if (host === '' || path === '') return formatInvalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")')
  const problems = isDNS1123Subdomain(host).map((reason) => formatInvalid(host, reason))
  if (!pathPattern.test(path)) problems.push(formatInvalid(path, `Invalid path (regex used for validation is '${pathFormat}')`))
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0]
}
