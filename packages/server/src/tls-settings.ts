/** Allowed TLS versions and ciphers, as options of `node:tls`. */
export interface TlsSettings {
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
  /** OpenSSL's cipher names separated by colons, including those of TLS 1.3. */
  readonly ciphers?: string
}

const versions = { VersionTLS10: 'TLSv1', VersionTLS11: 'TLSv1.1', VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' } as const

const always = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']
const suites: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: 'DES-CBC3-SHA',
  TLS_RSA_WITH_RC4_128_SHA: 'RC4-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: 'ECDHE-RSA-DES-CBC3-SHA',
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: 'ECDHE-ECDSA-RC4-SHA',
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: 'ECDHE-RSA-RC4-SHA',
}
/** Cipher suites of which HTTP/2 over TLS 1.2 requires at least one. */
const forHttp2 = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256']

export interface TlsNames {
  /** Minimum TLS version. Default: "VersionTLS12". */
  readonly minVersion?: string | undefined
  /**
   * Cipher suites, such as "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256". Suites of TLS 1.3 cannot be selected. Default: the suites of Node.js.
   */
  readonly cipherSuites?: readonly string[] | undefined
  readonly http2: boolean
}

/**
 * Translates kube-apiserver's names of TLS versions and cipher suites to options of `node:tls`. Throws for unknown names, and for settings
 * that HTTP/2 does not allow.
 */
export function createTlsSettings({ minVersion = 'VersionTLS12', cipherSuites = [], http2 }: TlsNames): TlsSettings {
  if (!Object.hasOwn(versions, minVersion)) throw new Error(`unknown tls version ${JSON.stringify(minVersion)}`)
  const version = versions[minVersion as keyof typeof versions]
  // OpenSSL supports TLS versions before 1.2 only at security level 0.
  const level = version === 'TLSv1' || version === 'TLSv1.1' ? ['DEFAULT', '@SECLEVEL=0'] : []
  if (cipherSuites.length === 0) return { minVersion: version, ...(level.length > 0 && { ciphers: level.join(':') }) }
  const unknown = cipherSuites.filter((name) => !always.includes(name) && !Object.hasOwn(suites, name))
  if (unknown.length > 0) throw new Error(`Cipher suite ${unknown.join(', ')} not supported or doesn't exist`)
  if (http2 && version !== 'TLSv1.3' && !cipherSuites.some((name) => forHttp2.includes(name))) {
    throw new Error(`HTTP/2 needs one of the cipher suites ${forHttp2.join(', ')}`)
  }
  const selected = cipherSuites.flatMap((name) => suites[name] ?? [])
  return { minVersion: version, ciphers: [...always, ...new Set(selected), ...level.slice(1)].join(':') }
}
