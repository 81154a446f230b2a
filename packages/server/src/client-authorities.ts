import { X509Certificate } from 'node:crypto'

/** A validity period in milliseconds: `from` is included, `until` is not. */
export interface Validity {
  readonly from: number
  readonly until: number
}

/** Go's limit of signature checks for one chain. */
const maxSignatureChecks = 100

const certificateBlocks = /-----BEGIN (TRUSTED |X509 |)CERTIFICATE-----[^-]*-----END \1CERTIFICATE-----/g

/** The authorities of client certificates of one role. All server names share them. Immutable: a change replaces the whole object. */
export class ClientAuthorities {
  /** The `ca` option of `node:tls`. An empty list is passed too, because without the option TLS trusts the runtime's own roots. */
  readonly pem: readonly string[]
  readonly #certificates: readonly X509Certificate[]

  /** Each text may contain several certificates. Throws for a text without a certificate: TLS would accept it and then reject every client. */
  constructor(pem: readonly string[]) {
    this.pem = [...pem]
    this.#certificates = pem.flatMap((text) => {
      const certificates = text.match(certificateBlocks)
      if (certificates === null) throw new Error('no PEM block of a client authority is a CERTIFICATE')
      return certificates.map((one) => new X509Certificate(one))
    })
  }

  get empty(): boolean {
    return this.pem.length === 0
  }

  /**
   * Returns the period in which `leaf` is valid under these authorities, with `intermediates` as the rest of the chain. Undefined if no chain ends at an
   * authority. Checks the signatures, names and times of a chain; OpenSSL checks the rest at the handshake.
   */
  validityOf(leaf: X509Certificate, intermediates: readonly X509Certificate[]): Validity | undefined {
    const roots = this.#certificates
    let checksLeft = maxSignatureChecks
    const issued = (issuer: X509Certificate, subject: X509Certificate): boolean =>
      issuer.ca && subject.checkIssued(issuer) && checksLeft-- > 0 && subject.verify(issuer.publicKey)
    const search = (subject: X509Certificate, unused: readonly X509Certificate[]): Validity | undefined => {
      let best: Validity | undefined
      const consider = (above: Validity | undefined): void => {
        if (above !== undefined && (best === undefined || above.until > best.until)) best = above
      }
      if (roots.some((root) => root.raw.equals(subject.raw))) consider(always)
      for (const root of roots) if (issued(root, subject)) consider(validity(root))
      for (const issuer of unused) {
        if (issued(issuer, subject)) {
          consider(
            search(
              issuer,
              unused.filter((other) => other !== issuer),
            ),
          )
        }
      }
      return best && both(best, validity(subject))
    }
    return search(leaf, intermediates)
  }
}

/** The authorities by what their certificates are accepted for. A certificate of one role means nothing in the other. */
export interface TrustedAuthorities {
  readonly clients: ClientAuthorities
  /** Proxies that name the user of a request in its headers. */
  readonly frontProxies: ClientAuthorities
}

const always: Validity = { from: -Infinity, until: Infinity }

/** Returns the validity of a certificate, which includes the last second, as in Go. */
function validity({ validFrom, validTo }: X509Certificate): Validity {
  return { from: Date.parse(validFrom), until: Date.parse(validTo) + 1 }
}

function both(a: Validity, b: Validity): Validity {
  return { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) }
}
