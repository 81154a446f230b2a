import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { OutboundError } from '@keelson/outbound'
import type { ClientTarget, Dialer, OutboundAnswer, OutboundRequest } from '@keelson/outbound'

export interface SignedBy {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly jwk: object
}

export function createKey(kid: string): SignedBy {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs a token with RS256. `header` overrides members of the default header. */
export function signToken(claims: object, { kid, privateKey }: SignedBy, header: object = {}): string {
  const signed = `${encode({ alg: 'RS256', kid, ...header })}.${encode(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** Fake identity providers that respond without a network. */
export class FakeProviders {
  readonly clock: ManualClock = createManualClock()
  readonly requests: { readonly url: string; readonly request: OutboundRequest; readonly target: ClientTarget }[] = []
  /** Response by URL: a document, an HTTP status, or a text. */
  readonly documents: Record<string, object | number | string> = {}

  add(issuer: string, keys: readonly SignedBy[]): void {
    this.documents[`${issuer}/.well-known/openid-configuration`] = { issuer, jwks_uri: `${issuer}/keys` }
    this.documents[`${issuer}/keys`] = { keys: keys.map(({ jwk }) => jwk) }
  }

  get dialer(): Dialer {
    return {
      client: (target) => ({
        request: async (request): Promise<OutboundAnswer> => {
          const url = `${target.url}${request.path ?? '/'}`
          this.requests.push({ url, request, target })
          const document = this.documents[url]
          if (document === undefined) {
            const error = new OutboundError('dial', 'connect: connection refused')
            return { failed: true, error, message: `Get "${url}": ${error.message}` }
          }
          if (typeof document === 'number') return { failed: false, status: document, headers: {}, body: Buffer.from('no') }
          const body = typeof document === 'string' ? document : JSON.stringify(document)
          if (body.startsWith('redirect '))
            return { failed: false, status: 302, headers: { location: body.slice(9) }, body: Buffer.alloc(0) }
          return { failed: false, status: 200, headers: {}, body: Buffer.from(body) }
        },
        [Symbol.dispose]: () => {},
      }),
    }
  }
}
