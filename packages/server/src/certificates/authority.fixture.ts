import { X509Certificate, createPrivateKey } from 'node:crypto'
import { createCertificate } from './create-certificate.ts'
import type { CertificateRequest, Issuer, KeyPair, Subject } from './create-certificate.ts'

export const hour = 3600_000
export const start: number = Date.now()
/** Validity of test certificates: one day, starting now. */
export const day: Pick<CertificateRequest, 'notBefore' | 'notAfter'> = {
  notBefore: new Date(start - hour),
  notAfter: new Date(start + 24 * hour),
}

export interface Authority {
  readonly pair: KeyPair
  readonly issuer: Issuer
}

export async function createAuthority(commonName: string, request: Partial<CertificateRequest> = {}): Promise<Authority> {
  const subject = { commonName }
  const pair = await createCertificate({ usage: 'ca', ...day, ...request, subject })
  const publicKey = new X509Certificate(pair.certificate).publicKey
  return { pair, issuer: { subject, privateKey: createPrivateKey(pair.key), publicKey } }
}

/** Creates a client certificate of `system:masters`. */
export function createClientCertificate(
  { issuer }: Authority,
  commonName: string,
  { subject, ...request }: Partial<Omit<CertificateRequest, 'subject'>> & { readonly subject?: Partial<Subject> } = {},
): Promise<KeyPair> {
  return createCertificate({
    usage: 'client',
    ...day,
    ...request,
    subject: { commonName, organizations: ['system:masters'], ...subject },
    issuer,
  })
}

export function getCertificates(authorities: readonly Authority[]): string[] {
  return authorities.map(({ pair }) => pair.certificate)
}
