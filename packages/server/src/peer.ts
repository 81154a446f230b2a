import type { X509Certificate } from 'node:crypto'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Incoming } from '@keelson/exchange'
import type { ClientAuthorities, TrustedAuthorities } from './client-authorities.ts'

/** The client's certificate, or the reason for rejecting it. */
export interface Peer {
  readonly certificate: PeerCertificate | undefined
  readonly error: string | undefined
  /** The expiry of the certificate, in milliseconds. */
  readonly expires: number
}

/** The rules for client certificates. */
export interface PeerRules {
  /** Returns the current authorities: a new object after every change. */
  readonly authorities: () => TrustedAuthorities
  readonly now: () => number
}

/** The purpose of verifying a certificate. */
type Role = keyof TrustedAuthorities

// One entry per connection. The key is the socket or, for HTTP/2, the session, because sessions expose their socket only through a proxy.
const connections = new WeakMap<object, Connection>()

/** A connection, shared by all of its requests. */
export class Connection {
  readonly #presented: PresentedCertificate | undefined
  readonly #frontProxy: PresentedCertificate | undefined
  #onIdentified: (() => void) | undefined

  /** Without `rules`, the server did not request a client certificate. */
  constructor(socket: TLSSocket, rules: PeerRules | undefined, onIdentified: () => void) {
    const certificate = rules && socket.getPeerCertificate()
    const isPresent = certificate && Object.keys(certificate).length > 0
    this.#presented = isPresent ? new PresentedCertificate(socket, certificate, { ...rules, role: 'clients' }) : undefined
    const mayBeProxy = isPresent && !rules.authorities().frontProxies.empty
    this.#frontProxy = mayBeProxy ? new PresentedCertificate(socket, certificate, { ...rules, role: 'frontProxies' }) : undefined
    this.#onIdentified = onIdentified
  }

  /** The client's certificate and whether it is accepted now. Undefined if the client presented none. */
  get peer(): Peer | undefined {
    return this.#presented?.verdict
  }

  /** Whether the client is accepted as a front proxy now. Undefined if it presented no certificate or there are no authorities of front proxies. */
  get frontProxy(): Peer | undefined {
    return this.#frontProxy?.verdict
  }

  /** Call this when the client of a request is authenticated. */
  identified(): void {
    if (this.#onIdentified === undefined) return
    this.#onIdentified()
    this.#onIdentified = undefined
  }
}

/** Stores the connection under the `connectionKey` of its requests. */
export function rememberConnection(key: object, connection: Connection): void {
  connections.set(key, connection)
}

/** Returns the object that identifies the connection of a request. */
export function connectionKey(incoming: Incoming): object {
  const session = incoming.httpVersionMajor === 2 && 'stream' in incoming ? incoming.stream.session : undefined
  return session ?? incoming.socket
}

export function connectionOf(key: object): Connection | undefined {
  return connections.get(key)
}

/**
 * A client certificate, with its current verdict. kube-apiserver verifies it on each request. Here OpenSSL verifies it once, at the handshake. Each request
 * then checks only that it has not expired and that the authorities are the same; if they changed, the chain is built again. The handshake trusts the
 * authorities of clients and of front proxies together; the chain decides the role of a certificate. A certificate that OpenSSL rejected stays rejected on its
 * connection, even if it was only not valid yet, because OpenSSL reports only one of several errors. A new connection has a new handshake.
 */
class PresentedCertificate {
  readonly #rules: PeerRules & { readonly role: Role }
  readonly #accepted: Peer
  readonly #handshakeError: string | undefined
  readonly #leaf: X509Certificate
  readonly #intermediates: readonly X509Certificate[]
  #verdict: Peer
  #authorities: ClientAuthorities | undefined
  /** The period in which `#verdict` holds, for `#authorities`. */
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

/** Returns OpenSSL's error code. Depending on its version, Node provides the code itself or an error with it. */
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
