import { createHash } from 'node:crypto'
import type { PeerCertificate } from 'node:tls'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { credentialIdKey } from './users.ts'

/**
 * Authenticates verified client certificates: the last CN is the user name, as in Go, and each O a group.
 * A certificate that failed verification is rejected, not ignored: its owner gets an error instead of becoming anonymous.
 */
export function createClientCertificateAuthenticator(): Authenticator {
  // All requests of a connection carry the same certificate object.
  const known = new WeakMap<PeerCertificate, AuthenticationResult>()
  return {
    authenticate: ({ peerCertificate, peerCertificateError }): AuthenticationResult => {
      if (peerCertificateError !== undefined)
        return { outcome: 'rejected', reason: `verifying the client certificate failed: ${peerCertificateError}` }
      if (peerCertificate === undefined) return unknownCredentials
      let result = known.get(peerCertificate)
      if (result === undefined) known.set(peerCertificate, (result = resultOf(peerCertificate)))
      return result
    },
  }
}

function resultOf({ subject, raw }: PeerCertificate): AuthenticationResult {
  const name = valuesOf(subject.CN).at(-1)
  if (!name) return unknownCredentials
  const fingerprint = createHash('sha256').update(raw).digest('hex')
  return {
    outcome: 'authenticated',
    user: { name, uid: '', groups: valuesOf(subject.O), extra: { [credentialIdKey]: [`X509SHA256=${fingerprint}`] } },
  }
}

// Despite its type, a peer certificate's subject holds an array where an attribute repeats.
function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}
