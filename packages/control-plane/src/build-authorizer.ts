import { mastersGroup } from '@keelson/apimachinery'
import {
  createAlwaysAllowPathsAuthorizer,
  createAuthorizerUnion,
  createConstantAuthorizer,
  createNodeAuthorizer,
  createPrivilegedGroupsAuthorizer,
} from '@keelson/auth'
import type { Authorizer, InformedAuthorizer, ObjectSources } from '@keelson/auth'
import { describeError } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import { authorizationDefaults } from './options/authentication.ts'
import type { AuthorizationMode } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface Authorization extends AsyncDisposable {
  readonly authorizer: Authorizer
  /** Lets the authorizers of RBAC and Node follow their objects, once the client exists and the groups are installed. */
  readFrom(sources: ObjectSources): void
}

/** The authorizer of a mode. Disposing it stops following objects. */
type ModeAuthorizer = Authorizer | InformedAuthorizer | (InformedAuthorizer & AsyncDisposable)
type ModeFactory = (options: ServerChainOptions) => ModeAuthorizer

/** Builds the authorizer of each mode. Undefined: the mode is not implemented. */
const factories: Readonly<Record<AuthorizationMode, ModeFactory | undefined>> = {
  AlwaysAllow: () => createConstantAuthorizer({ decision: 'allow', reason: '' }),
  AlwaysDeny: () => createConstantAuthorizer({ decision: 'noOpinion', reason: 'Everything is forbidden.' }),
  Node: ({ log }) => createNodeAuthorizer({ onError: (error) => log?.(0, 'Node authorizer failed', { err: describeError(error) }) }),
  RBAC: () => createConstantAuthorizer({ decision: 'noOpinion', reason: '' }),
  Webhook: undefined,
  ABAC: undefined,
}

/** Administrators first, then the always-allowed paths, `authorizers`, and the modes in their order. Throws `ConfigurationError`. */
export function buildAuthorization(options: ServerChainOptions): Authorization {
  const { modes, alwaysAllowPaths } = { ...authorizationDefaults, ...options.authorization }
  const members = authorizersOf(modes, options)
  const authorizer = createAuthorizerUnion(
    createPrivilegedGroupsAuthorizer(mastersGroup),
    createPathAuthorizer(alwaysAllowPaths),
    ...(options.authorizers ?? []),
    ...members,
  )
  return {
    authorizer,
    readFrom: (sources) => {
      for (const member of members) if ('readFrom' in member) member.readFrom(sources)
    },
    async [Symbol.asyncDispose]() {
      for (const member of members) if (Symbol.asyncDispose in member) await member[Symbol.asyncDispose]()
    },
  }
}

function authorizersOf(modes: readonly AuthorizationMode[], options: ServerChainOptions): ModeAuthorizer[] {
  if (modes.length === 0) throw new ConfigurationError('at least one authorization mode must be given')
  return modes.map((mode, i) => {
    if (modes.indexOf(mode) !== i) throw new ConfigurationError(`the authorization mode ${mode} is given twice`)
    const create = factories[mode]
    if (create === undefined) throw new ConfigurationError(`the authorization mode ${mode} is not supported yet`)
    return create(options)
  })
}

function createPathAuthorizer(paths: readonly string[]): Authorizer {
  try {
    return createAlwaysAllowPathsAuthorizer(paths)
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}
