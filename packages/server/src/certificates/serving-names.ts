import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { SecureContext, SecureContextOptions } from 'node:tls'
import type { TlsSettings } from '../tls-settings.ts'
import type { KeyPair } from './create-certificate.ts'

/** A serving certificate that is selected by the server name in the TLS handshake (SNI). */
export interface NamedCertificate extends KeyPair {
  /** Server names such as "a.example.com" or "*.example.com". Default: the names in the certificate. */
  readonly names?: readonly string[]
}

/** Serving certificates: the default one, and `named` ones for clients that request one of their names (SNI). */
export interface ServingCertificates extends KeyPair {
  readonly named?: readonly NamedCertificate[]
}

/**
 * Returns a function that selects the TLS context for a server name. An exact name takes precedence over a wildcard. For the same name,
 * configured names take precedence over names in certificates, and earlier certificates over later ones. Throws if a certificate and its
 * key do not match. The selected context also verifies the client's certificate, so every context gets the client CAs in `settings`.
 */
export function createContextSelector(
  named: readonly NamedCertificate[],
  settings: TlsSettings & { readonly ca: NonNullable<SecureContextOptions['ca']> },
): (name: string) => SecureContext | undefined {
  const contexts = new Map<string, SecureContext>()
  const explicit = named.filter(({ names }) => names !== undefined && names.length > 0)
  const implicit = named.filter((pair) => !explicit.includes(pair))
  for (const pair of [...explicit, ...implicit]) {
    const context = createSecureContext({ ...settings, cert: pair.certificate, key: pair.key })
    for (const name of pair.names?.length ? pair.names : listOwnNames(pair.certificate)) {
      const key = name.toLowerCase()
      if (!contexts.has(key)) contexts.set(key, context)
    }
  }
  return (name) => {
    const key = name.toLowerCase().replace(/\.$/, '')
    const dot = key.indexOf('.')
    return contexts.get(key) ?? (dot < 0 ? undefined : contexts.get(`*${key.slice(dot)}`))
  }
}

function listOwnNames(certificate: string): string[] {
  const { subject, subjectAltName = '' } = new X509Certificate(certificate)
  const common = /^CN=(.*)$/m.exec(subject)?.[1]
  const alternative = Array.from(subjectAltName.matchAll(/(?:DNS|IP Address):([^,]+)/g), ([, name]) => name!.trim())
  return [...(common !== undefined && /^(\*\.)?[\w-]+(\.[\w-]+)*$/.test(common) ? [common] : []), ...alternative]
}
