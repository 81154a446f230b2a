import { createHash } from 'node:crypto'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { credentialIdKey } from './users.ts'

/**
 * The subject of a verified client certificate: CN is the user, each O a group. A certificate that did not verify is rejected rather than
 * overlooked, so that its owner is told instead of becoming anonymous.
 */
export function createClientCertificateAuthenticator(): Authenticator {
  return {
    authenticate: ({ peerCertificate, peerCertificateError }): AuthenticationResult => {
      if (peerCertificateError !== undefined)
        return { outcome: 'rejected', reason: `verifying the client certificate failed: ${peerCertificateError}` }
      const name = first(peerCertificate?.subject.CN)
      if (peerCertificate === undefined || !name) return unknownCredentials
      const fingerprint = createHash('sha256').update(peerCertificate.raw).digest('hex')
      return {
        outcome: 'authenticated',
        user: { name, uid: '', groups: all(peerCertificate.subject.O), extra: { [credentialIdKey]: [`X509SHA256=${fingerprint}`] } },
      }
    },
  }
}

// The subject of a peer certificate has a list where an attribute is repeated, whatever the type says.
function all(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return all(value)[0]
}
