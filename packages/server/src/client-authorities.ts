import { X509Certificate } from 'node:crypto'

/** A validity period in milliseconds since the epoch. `from` is inclusive, `until` is exclusive. */
export interface Validity {
  readonly from: number
  readonly until: number
}

/** Limit of signature checks for one certificate chain, as in Go. */
const maxSignatureChecks = 100

const certificateBlocks = /-----BEGIN (TRUSTED |X509 |)CERTIFICATE-----[^-]*-----END \1CERTIFICATE-----/g

/**
 * The CAs that are trusted for one kind of client certificate. All server names share them. The object is immutable: a change of the CAs
 * replaces it.
 */
export class ClientAuthorities {
  /**
   * Value of the option `ca` of `node:tls`. It is set even if the list is empty, because TLS would otherwise trust the default CAs of
   * Node.js.
   */
  readonly pem: readonly string[]
  readonly #certificates: readonly X509Certificate[]

  /**
   * Parses PEM texts, each of which may contain several certificates. Throws for a text without a certificate: TLS would accept it and then
   * reject every client.
   */
  constructor(pem: readonly string[]) {
    this.pem = [...pem]
    this.#certificates = pem.flatMap((text) => {
      const certificates = text.match(certificateBlocks)
      if (certificates === null) throw new Error('a client CA has no PEM block of type CERTIFICATE')
      return certificates.map((one) => new X509Certificate(one))
    })
  }

  get empty(): boolean {
    return this.pem.length === 0
  }

  /**
   * Returns the period in which `leaf` is valid under these CAs. `intermediates` are the other certificates that the client sent. Returns
   * undefined if no chain ends at a trusted CA. Checks signatures, names and times; OpenSSL has checked the rest at the handshake.
   */
  findValidity(leaf: X509Certificate, intermediates: readonly X509Certificate[]): Validity | undefined {
    const roots = this.#certificates
    let checksLeft = maxSignatureChecks
    const hasIssued = (issuer: X509Certificate, subject: X509Certificate): boolean =>
      issuer.ca && subject.checkIssued(issuer) && checksLeft-- > 0 && subject.verify(issuer.publicKey)
    const search = (subject: X509Certificate, unused: readonly X509Certificate[]): Validity | undefined => {
      let best: Validity | undefined
      const consider = (above: Validity | undefined): void => {
        if (above !== undefined && (best === undefined || above.until > best.until)) best = above
      }
      if (roots.some((root) => root.raw.equals(subject.raw))) consider(always)
      for (const root of roots) if (hasIssued(root, subject)) consider(parseValidity(root))
      for (const issuer of unused) {
        if (hasIssued(issuer, subject)) {
          consider(
            search(
              issuer,
              unused.filter((other) => other !== issuer),
            ),
          )
        }
      }
      return best && intersect(best, parseValidity(subject))
    }
    return search(leaf, intermediates)
  }
}

/** The trusted CAs by kind of client certificate. A certificate for one kind is not accepted for the other. */
export interface TrustedAuthorities {
  readonly clients: ClientAuthorities
  /** CAs of front proxies, which send the user of a request in headers. */
  readonly frontProxies: ClientAuthorities
}

const always: Validity = { from: -Infinity, until: Infinity }

/** Returns the validity period of a certificate. As in Go, the last second is included. */
function parseValidity({ validFrom, validTo }: X509Certificate): Validity {
  return { from: Date.parse(validFrom), until: Date.parse(validTo) + 1 }
}

function intersect(a: Validity, b: Validity): Validity {
  return { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) }
}
