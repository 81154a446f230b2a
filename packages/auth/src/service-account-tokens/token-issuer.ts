import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { CompactSign } from 'jose/jws/compact/sign'
import { buildTokenPayload } from './claims.ts'
import type { ServiceAccountClaims } from './claims.ts'
import type { SigningKey } from './token-keys.ts'

/** Issues service account tokens. */
export interface TokenIssuer {
  issue(claims: ServiceAccountClaims): Promise<string>
}

export interface TokenIssuerOptions {
  /** The `iss` claim of every token. Verifiers find the discovery document under this URL. */
  readonly issuer: string
  readonly key: SigningKey
  readonly clock?: Clock
}

export function createTokenIssuer({ issuer, key, clock = systemClock }: TokenIssuerOptions): TokenIssuer {
  return {
    issue: (claims) => {
      const payload = JSON.stringify(buildTokenPayload(claims, issuer, clock.now()))
      return new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg: key.algorithm, kid: key.id }).sign(key.privateKey)
    },
  }
}
