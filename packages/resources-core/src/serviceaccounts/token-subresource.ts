import type { TokenRequest } from '@keelson/api/authentication/v1'
import { fieldError, newFieldPath, formatTime, newConflict, newInvalid, newNotFound, newUid, systemClock } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { CreateRequest, NamedCreater, RESTStorage, SubresourceFactory } from '@keelson/registry'
import { findBoundObject } from './bound-object.ts'
import type { BoundObjects, ObjectLookup } from './bound-object.ts'
import { validateTokenRequest } from './validate-token-request.ts'

export const tokenRequestKind: GroupVersionKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }
const tokenRequests = { group: tokenRequestKind.group, resource: tokenRequestKind.kind }

/** Values for the claims of a service account token. */
export interface TokenClaims extends BoundObjects {
  /** Unique id of the token. */
  readonly id: string
  readonly namespace: string
  readonly serviceAccount: { readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly warnAfterSeconds?: number
}

export interface TokenSubresourceOptions {
  readonly issue: (claims: TokenClaims) => Promise<string>
  /** Audiences of this server. They are the default for token requests without audiences. */
  readonly audiences: readonly string[]
  /** Maximum lifetime of a token in seconds. Requests for a longer lifetime get this one. Default: no limit. */
  readonly maxExpirationSeconds?: number
  /**
   * Whether to extend the lifetime of pod tokens to `maxExtendedExpirationSeconds`. Pod tokens are recognized by the lifetime that kubelets
   * request. Default: true.
   */
  readonly extendExpiration?: boolean
  /** Maximum lifetime of extended tokens in seconds. Default: one year. */
  readonly maxExtendedExpirationSeconds?: number
  readonly lookUp: ObjectLookup
  readonly now?: () => number
}

/** Lifetime in seconds that kubelets request for pod tokens. The server recognizes requests for pod tokens by this value. */
const kubeletExpirationSeconds = 3607
const extendedExpirationSeconds = 365 * 24 * 3600

/** Serves POST serviceaccounts/NAME/token, which issues a signed token for a service account. Tokens are not stored. */
export function createTokenSubresource(options: TokenSubresourceOptions): SubresourceFactory {
  return () => new TokenStorage(options)
}

class TokenStorage implements RESTStorage, NamedCreater {
  readonly gvk: GroupVersionKind = tokenRequestKind
  readonly namespaced = true
  readonly singularName = ''
  readonly shortNames: readonly string[] = []
  readonly categories: readonly string[] = []
  /** Tells the registry to keep `metadata.uid` of the request, because the client may send the UID of the service account. */
  readonly keepsSystemFields = true
  readonly #options: TokenSubresourceOptions

  constructor(options: TokenSubresourceOptions) {
    this.#options = options
  }

  async createNamed(context: RequestContext, name: string, object: KubeObject, { validate }: CreateRequest): Promise<KubeObject> {
    const { audiences, issue, lookUp, now = systemClock.now } = this.#options
    const request = object as TokenRequest
    const { metadata, spec } = request
    const { namespace } = context
    requireMatch('name', metadata.name, name, name)
    requireMatch('namespace', metadata.namespace, namespace, name)
    const account = await lookUp('serviceaccounts', namespace, name)
    if (account === undefined) throw newNotFound({ group: '', resource: 'serviceaccounts' }, name)
    const uid = account.metadata.uid!
    if (metadata.uid !== undefined && metadata.uid !== uid) {
      const message = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`
      throw newConflict(tokenRequests, name, message)
    }

    const time = now()
    Object.assign(metadata, { name, namespace, uid, creationTimestamp: formatTime(time) })
    if ((spec.audiences ?? []).length === 0) spec.audiences = [...audiences]
    delete request.status
    const errors = validateTokenRequest(request)
    if (errors.length > 0) throw newInvalid(tokenRequestKind, '', errors)
    await validate?.(request, undefined)

    const bound = spec.boundObjectRef ? await findBoundObject(spec.boundObjectRef, namespace, name, lookUp) : {}
    spec.expirationSeconds = this.#shortened(spec.expirationSeconds!, context)
    const id = newUid()
    const token = await issue({
      id,
      namespace,
      serviceAccount: { name, uid },
      audiences: spec.audiences!,
      ...this.#lifetime(spec.expirationSeconds, spec.audiences!, bound),
      ...bound,
    })
    context.annotate?.('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`)
    const answer: TokenRequest = {
      ...request,
      kind: tokenRequestKind.kind,
      apiVersion: `${tokenRequestKind.group}/${tokenRequestKind.version}`,
      status: { token, expirationTimestamp: formatTime(time + spec.expirationSeconds * 1000) },
    }
    return answer
  }

  #shortened(seconds: number, context: RequestContext): number {
    const { maxExpirationSeconds = 0 } = this.#options
    if (maxExpirationSeconds === 0 || seconds <= maxExpirationSeconds) return seconds
    context.warn(`requested expiration of ${seconds} seconds shortened to ${maxExpirationSeconds} seconds`)
    return maxExpirationSeconds
  }

  /**
   * Computes the lifetime of a token. Pod tokens are valid longer than requested, because some clients read the token only when they start.
   * The use of a token older than `warnAfterSeconds` identifies such clients.
   */
  #lifetime(
    seconds: number,
    audiences: readonly string[],
    { pod }: BoundObjects,
  ): Pick<TokenClaims, 'expirationSeconds' | 'warnAfterSeconds'> {
    const { extendExpiration = true, audiences: serverAudiences } = this.#options
    const isFromKubelet =
      pod !== undefined && seconds === kubeletExpirationSeconds && audiences.every((audience) => serverAudiences.includes(audience))
    if (!extendExpiration || !isFromKubelet) return { expirationSeconds: seconds }
    const { maxExtendedExpirationSeconds = extendedExpirationSeconds } = this.#options
    return { expirationSeconds: Math.min(extendedExpirationSeconds, maxExtendedExpirationSeconds), warnAfterSeconds: seconds }
  }
}

/** Throws Invalid if the name or namespace in the body differs from the URL. Accepts a body without them. */
function requireMatch(member: 'name' | 'namespace', actual: string | undefined, expected: string, account: string): void {
  if (actual === undefined || actual === '' || actual === expected) return
  const error = fieldError.invalid(newFieldPath('metadata').child(member), actual, `must match the service account ${member} if specified`)
  throw newInvalid(tokenRequestKind, account, [error])
}
