import { isApiError, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import type { Authorizer, AuthorizerAttributes } from './authorizer.ts'
import { forbiddenError } from './forbidden.ts'
import { anonymousUser, authenticatedGroup, mastersGroup, unauthenticatedGroup } from './users.ts'
import { nodeOf, serviceAccountGroups, serviceAccountOf } from './well-known-user-names.ts'

/** Who asks, what for, and whom he wants to be taken for. */
export interface ImpersonationRequest extends AuthorizerAttributes {
  readonly wanted: UserInfo
}

/** Fewer are asked about one by one; from here on a permission for all of them is tried first. */
const many = 4
const nodeNameKey = 'authentication.kubernetes.io/node-name'
const nodesGroup = 'system:nodes'

/**
 * The user that a request is served as when it impersonates one. Throws 403 unless one of the ways to be allowed applies: a permission limited to a
 * kind of user and to what is asked (`impersonate-on:MODE:VERB` and `impersonate:MODE`, KEP-5284), or the old one for anything (`impersonate`).
 * When all refuse, the first refusal is told.
 */
export async function authorizeImpersonation(authorizer: Authorizer, request: ImpersonationRequest): Promise<UserInfo> {
  let refusal: unknown
  for (const mode of [...modesFor(request), undefined]) {
    try {
      return await inMode(authorizer, request, mode)
    } catch (error) {
      if (!isApiError(error, 'Forbidden')) throw error
      refusal ??= error
    }
  }
  throw refusal
}

type Mode = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info'

function modesFor({ user, wanted }: ImpersonationRequest): Mode[] {
  const onlyNamed = !wanted.uid && wanted.groups.length === 0 && wanted.extra === undefined
  const node = nodeOf(wanted.name)
  if (node !== undefined) {
    if (!onlyNamed) return []
    const at = user.extra?.[nodeNameKey]
    const isHere = serviceAccountOf(user.name) !== undefined && at?.length === 1 && at[0] === node
    return isHere ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node']
  }
  if (serviceAccountOf(wanted.name) !== undefined) return onlyNamed ? ['serviceaccount'] : []
  return ['user-info']
}

async function inMode(authorizer: Authorizer, { user, info, wanted }: ImpersonationRequest, mode: Mode | undefined): Promise<UserInfo> {
  const requestor = mode === 'associated-node' ? withKeysOfExtra(user) : user
  if (mode !== undefined) await demand(authorizer, { user: requestor, info: { ...info, verb: `impersonate-on:${mode}:${info.verb}` } })
  const asked = new Questions(authorizer, requestor, mode)
  const groups = await asked.name(wanted)
  if (wanted.uid) await asked.uid(wanted.uid)
  await asked.groups(wanted.groups)
  await asked.extra(wanted.extra ?? {})
  return { ...wanted, groups: withAuthentication(wanted.name, groups) }
}

/** The permissions that one mode asks for; nothing is decided about what was not asked. */
class Questions {
  readonly #authorizer: Authorizer
  readonly #user: UserInfo
  readonly #mode: Mode | undefined

  constructor(authorizer: Authorizer, user: UserInfo, mode: Mode | undefined) {
    this.#authorizer = authorizer
    this.#user = user
    this.#mode = mode
  }

  /** Resolves to the groups of the user, where its name says them. */
  async name({ name, groups }: UserInfo): Promise<readonly string[]> {
    const account = serviceAccountOf(name)
    if (account !== undefined) {
      await this.#ask({ ...this.#core('serviceaccounts', account.name), namespace: account.namespace })
      return groups.length > 0 ? groups : serviceAccountGroups(account.namespace)
    }
    const node = this.#mode === undefined ? undefined : nodeOf(name)
    if (node === undefined) {
      await this.#ask(this.#core('users', name))
      return groups
    }
    await this.#ask(this.#core('nodes', this.#mode === 'associated-node' ? '*' : node))
    return [nodesGroup]
  }

  uid(uid: string): Promise<void> {
    return this.#ask(this.#authentication('uids', uid))
  }

  async groups(groups: readonly string[]): Promise<void> {
    if (this.#mode !== undefined) {
      if (groups.includes('')) this.#refuse(this.#core('groups', ''), 'impersonating the empty string group is not allowed')
      if (groups.includes(mastersGroup)) {
        this.#refuse(this.#core('groups', mastersGroup), 'impersonating the system:masters group is not allowed')
      }
      if (groups.length >= many && (await this.#allows(this.#core('groups', '*')))) return
    }
    for (const group of groups) await this.#ask(this.#core('groups', group))
  }

  async extra(extra: NonNullable<UserInfo['extra']>): Promise<void> {
    const entries = Object.entries(extra)
    const count = entries.reduce((sum, [, values]) => sum + values.length, 0)
    if (this.#mode !== undefined && count > 0) {
      const wrong = entries.map(([key, values]) => wrongExtra(key, values)).find((text) => text !== undefined)
      if (wrong !== undefined) this.#refuse(this.#authentication('userextras', ''), wrong)
      if (count >= many && (await this.#allows({ ...this.#authentication('userextras', '*'), subresource: '*' }))) return
    }
    for (const [key, values] of entries) {
      for (const value of values) await this.#ask({ ...this.#authentication('userextras', value), subresource: key })
    }
  }

  /** The old permission is about names of the core group, the newer ones about authentication's. */
  #core(resource: string, name: string): RequestInfo {
    return this.#mode === undefined ? this.#info('', resource, name) : this.#authentication(resource, name)
  }

  #authentication(resource: string, name: string): RequestInfo {
    return this.#info('authentication.k8s.io', resource, name)
  }

  #info(apiGroup: string, resource: string, name: string): RequestInfo {
    const verb = this.#mode === undefined ? 'impersonate' : `impersonate:${this.#mode}`
    const nothing = { path: '', apiPrefix: '', namespace: '', subresource: '', parts: [] }
    return { ...nothing, isResourceRequest: true, verb, apiGroup, apiVersion: 'v1', resource, name }
  }

  #ask(info: RequestInfo): Promise<void> {
    return demand(this.#authorizer, { user: this.#user, info })
  }

  async #allows(info: RequestInfo): Promise<boolean> {
    return (await this.#authorizer.authorize({ user: this.#user, info })).decision === 'allow'
  }

  #refuse(info: RequestInfo, reason: string): never {
    throw forbiddenError({ user: this.#user, info }, reason)
  }
}

async function demand(authorizer: Authorizer, attributes: AuthorizerAttributes): Promise<void> {
  const { decision, reason } = await authorizer.authorize(attributes)
  if (decision !== 'allow') throw forbiddenError(attributes, reason)
}

/** One permission for all nodes that a service account runs on, so nothing that differs between them may decide. */
function withKeysOfExtra(user: UserInfo): UserInfo {
  return { ...user, extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(user.extra ?? {}).sort() } }
}

function withAuthentication(name: string, groups: readonly string[]): readonly string[] {
  if (name !== anonymousUser && groups.includes(unauthenticatedGroup)) return groups
  const group = name === anonymousUser ? unauthenticatedGroup : authenticatedGroup
  return groups.includes(group) ? groups : [...groups, group]
}

function wrongExtra(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed'
  const [domain = '', path = ''] = key.split(/\/(.*)/s)
  if (isDNS1123Subdomain(domain).length > 0 || !/^[\w/~.%!$&'()*+,;=:-]+$/.test(path)) {
    return `impersonating an invalid key in extra is not allowed: ${JSON.stringify(key)}`
  }
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined
}
