import type { X509Certificate } from 'node:crypto'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Incoming } from '@keelson/exchange'
import type { ClientAuthorities, TrustedAuthorities } from './client-authorities.ts'

/** The client's certificate, or why it is not accepted. */
export interface Peer {
  readonly certificate: PeerCertificate | undefined
  readonly error: string | undefined
  /** When the certificate expires, in milliseconds. */
  readonly expires: number
}

/** The rules for client certificates. */
export interface PeerRules {
  /** The current authorities: a new object whenever they change. */
  readonly authorities: () => TrustedAuthorities
  readonly now: () => number
}

/** What a certificate is verified for. */
type Role = keyof TrustedAuthorities

// One entry per connection, under the socket or, for HTTP/2, the session: sessions show their socket only through a proxy.
const connections = new WeakMap<object, Connection>()

/** A connection, shared by all of its requests. */
export class Connection {
  readonly #presented: PresentedCertificate | undefined
  readonly #frontProxy: PresentedCertificate | undefined
  #onIdentified: (() => void) | undefined

  /** Without `rules` the client was not asked for a certificate. */
  constructor(socket: TLSSocket, rules: PeerRules | undefined, onIdentified: () => void) {
    const certificate = rules && socket.getPeerCertificate()
    const isPresent = certificate && Object.keys(certificate).length > 0
    this.#presented = isPresent ? new PresentedCertificate(socket, certificate, { ...rules, role: 'clients' }) : undefined
    const mayBeProxy = isPresent && !rules.authorities().frontProxies.empty
    this.#frontProxy = mayBeProxy ? new PresentedCertificate(socket, certificate, { ...rules, role: 'frontProxies' }) : undefined
    this.#onIdentified = onIdentified
  }

  /** Whether the client's certificate is accepted now. Undefined if the client presented none. */
  get peer(): Peer | undefined {
    return this.#presented?.verdict
  }

  /** Whether the client is accepted as a front proxy now. Undefined if it presented no certificate or there are no authorities of front proxies. */
  get frontProxy(): Peer | undefined {
    return this.#frontProxy?.verdict
  }

  /** Call when the client of a request is authenticated. */
  identified(): void {
    if (this.#onIdentified === undefined) return
    this.#onIdentified()
    this.#onIdentified = undefined
  }
}

/** `key`: the `connectionKey` of the connection's requests. */
export function rememberConnection(key: object, connection: Connection): void {
  connections.set(key, connection)
}

/** The object that identifies the connection of a request. */
export function connectionKey(incoming: Incoming): object {
  const session = incoming.httpVersionMajor === 2 && 'stream' in incoming ? incoming.stream.session : undefined
  return session ?? incoming.socket
}

export function connectionOf(key: object): Connection | undefined {
  return connections.get(key)
}

/**
 * kube-apiserver verifies a client certificate on each request. Here OpenSSL verifies it once, at the handshake; each request then checks
 * only that the certificate's time has not run out and that the authorities are still the same. When they are not, the chain
 * is searched again. The handshake trusts the authorities of clients and of front proxies together; the search decides which of them a certificate belongs
 * to. A certificate that OpenSSL refused stays refused on its connection, even if it was refused for its time: of several errors OpenSSL
 * reports one. Another connection gets another handshake.
 */
class PresentedCertificate {
  readonly #rules: PeerRules & { readonly role: Role }
  readonly #accepted: Peer
  readonly #handshakeError: string | undefined
  readonly #leaf: X509Certificate
  readonly #intermediates: readonly X509Certificate[]
  #verdict: Peer
  #authorities: ClientAuthorities | undefined
  /** When `#verdict` holds, under `#authorities`. */
  #from = 0
  #until = 0

  constructor(socket: TLSSocket, certificate: PeerCertificate, rules: PeerRules & { readonly role: Role }) {
    this.#rules = rules
    this.#leaf = socket.getPeerX509Certificate()!
    this.#intermediates = issuersOf(this.#leaf)
    this.#accepted = { certificate, error: undefined, expires: Date.parse(certificate.valid_to) }
    this.#verdict = this.#accepted
    this.#handshakeError = socket.authorized ? undefined : errorCode(socket)
  }

  get verdict(): Peer {
    const now = this.#rules.now()
    const authorities = this.#rules.authorities()[this.#rules.role]
    if (authorities !== this.#authorities || now < this.#from || now >= this.#until) this.#judge(authorities, now)
    return this.#verdict
  }

  #judge(authorities: ClientAuthorities, now: number): void {
    const hold = (verdict: Peer, from: number, until: number): void => {
      this.#authorities = authorities
      this.#verdict = verdict
      this.#from = from
      this.#until = until
    }
    if (this.#handshakeError !== undefined) return hold(refused(this.#handshakeError), -Infinity, Infinity)
    const valid = authorities.validityOf(this.#leaf, this.#intermediates)
    if (valid === undefined) return hold(refused('UNABLE_TO_GET_ISSUER_CERT'), -Infinity, Infinity)
    if (now >= valid.until) return hold(refused('CERT_HAS_EXPIRED'), valid.until, Infinity)
    if (now < valid.from) return hold(refused('CERT_NOT_YET_VALID'), -Infinity, valid.from)
    hold(this.#accepted, valid.from, valid.until)
  }
}

function refused(error: string): Peer {
  return { certificate: undefined, error, expires: 0 }
}

/** Depending on its version, node gives a code or an error that carries one. */
function errorCode({ authorizationError }: TLSSocket): string {
  return String((authorizationError as Error & { code?: string }).code ?? authorizationError)
}

/** The intermediate certificates that the client sent. */
function issuersOf(leaf: X509Certificate): X509Certificate[] {
  const issuers: X509Certificate[] = []
  for (let issuer = leaf.issuerCertificate; issuer !== undefined && issuers.length < maxIntermediates; issuer = issuer.issuerCertificate)
    issuers.push(issuer)
  return issuers
}

const maxIntermediates = 20
