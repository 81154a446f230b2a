import { createHash } from 'node:crypto'
import type { PeerCertificate } from 'node:tls'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { credentialIdKey } from './users.ts'

export interface ClientCertificateOptions {
  /** Whether to read the user's UID from the certificate's subject (attribute 1.3.6.1.4.1.57683.2). Default true. */
  readonly readUid?: boolean
}

const uidAttribute = '1.3.6.1.4.1.57683.2'

/**
 * Authenticates verified client certificates. The last CN is the user name, as in Go, and each O is a group. A certificate that failed
 * verification is rejected, so that its owner sees the error and does not become anonymous.
 */
export function createClientCertificateAuthenticator({ readUid = true }: ClientCertificateOptions = {}): Authenticator {
  // Results by certificate. All requests of a connection carry the same certificate object.
  const results = new WeakMap<PeerCertificate, AuthenticationResult>()
  return {
    authenticate: ({ peerCertificate, peerCertificateError }): AuthenticationResult => {
      if (peerCertificateError !== undefined)
        return { outcome: 'rejected', reason: `verifying the client certificate failed: ${peerCertificateError}` }
      if (peerCertificate === undefined) return unknownCredentials
      let result = results.get(peerCertificate)
      if (result === undefined) results.set(peerCertificate, (result = createResult(peerCertificate, readUid)))
      return result
    },
  }
}

function createResult(certificate: PeerCertificate, readUid: boolean): AuthenticationResult {
  const name = getCommonName(certificate)
  if (name === '') return unknownCredentials
  const uids = readUid ? listSubjectValues(certificate, uidAttribute) : []
  if (uids.length > 1) return { outcome: 'rejected', reason: `expected 1 UID, but found multiple: [${uids.join(' ')}]` }
  if (uids[0] === '') return { outcome: 'rejected', reason: 'UID cannot be an empty string' }
  const fingerprint = createHash('sha256').update(certificate.raw).digest('hex')
  return {
    outcome: 'authenticated',
    user: {
      name,
      uid: uids[0] ?? '',
      groups: listSubjectValues(certificate, 'O'),
      extra: { [credentialIdKey]: [`X509SHA256=${fingerprint}`] },
    },
  }
}

/** Returns the last common name of the subject, as Go does; empty if there is none. */
export function getCommonName(certificate: PeerCertificate): string {
  return listSubjectValues(certificate, 'CN').at(-1) ?? ''
}

// Returns the values of an attribute of the subject. Despite Node's type, repeated attributes are an array.
function listSubjectValues({ subject }: PeerCertificate, attribute: string): readonly string[] {
  const value = (subject as unknown as Readonly<Record<string, string | readonly string[] | undefined>>)[attribute]
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}
