import type { X509Certificate } from 'node:crypto'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Incoming } from '@keelson/exchange'
import type { ClientAuthorities, TrustedAuthorities } from './client-authorities.ts'

/** The certificate of a client, or the reason for rejecting it. */
export interface Peer {
  readonly certificate: PeerCertificate | undefined
  readonly error: string | undefined
  /** Time at which the certificate expires, in milliseconds since the epoch. */
  readonly expires: number
}

/** Settings for verifying client certificates. */
export interface PeerRules {
  /** Returns the current CAs. It returns a new object after every change. */
  readonly getAuthorities: () => TrustedAuthorities
  readonly now: () => number
}

/** Kind of client certificate: of users or of front proxies. */
type Role = keyof TrustedAuthorities

// Connections by socket or, for HTTP/2, by session, because sessions expose their socket only through a proxy object.
const connections = new WeakMap<object, Connection>()

/** State of a connection that all of its requests share. */
export class Connection {
  readonly #presented: PresentedCertificate | undefined
  readonly #frontProxy: PresentedCertificate | undefined
  #onIdentified: (() => void) | undefined

  /** Creates the state of a connection. `rules` is undefined if the server did not request a client certificate. */
  constructor(socket: TLSSocket, rules: PeerRules | undefined, onIdentified: () => void) {
    const certificate = rules && socket.getPeerCertificate()
    const isPresent = certificate && Object.keys(certificate).length > 0
    this.#presented = isPresent ? new PresentedCertificate(socket, certificate, { ...rules, role: 'clients' }) : undefined
    const mayBeProxy = isPresent && !rules.getAuthorities().frontProxies.empty
    this.#frontProxy = mayBeProxy ? new PresentedCertificate(socket, certificate, { ...rules, role: 'frontProxies' }) : undefined
    this.#onIdentified = onIdentified
  }

  /** The client's certificate, or the reason why it is not accepted now. Undefined if the client sent no certificate. */
  get peer(): Peer | undefined {
    return this.#presented?.verdict
  }

  /**
   * The client's certificate as a front proxy, or the reason why it is not accepted now. Undefined if the client sent no certificate, or if
   * no CAs of front proxies are configured.
   */
  get frontProxy(): Peer | undefined {
    return this.#frontProxy?.verdict
  }

  /** Marks the connection as authenticated. Call it when the user of a request is authenticated. */
  identified(): void {
    if (this.#onIdentified === undefined) return
    this.#onIdentified()
    this.#onIdentified = undefined
  }
}

/** Stores the state of a connection under its `getConnectionKey`. */
export function rememberConnection(key: object, connection: Connection): void {
  connections.set(key, connection)
}

/** Returns the key of a request's connection: its socket or its HTTP/2 session. */
export function getConnectionKey(incoming: Incoming): object {
  const session = incoming.httpVersionMajor === 2 && 'stream' in incoming ? incoming.stream.session : undefined
  return session ?? incoming.socket
}

export function findConnection(key: object): Connection | undefined {
  return connections.get(key)
}

/**
 * A client certificate and the result of its last verification. kube-apiserver verifies certificates on each request. Here, OpenSSL
 * verifies a certificate at the handshake, and each request checks only that it has not expired and that the CAs are unchanged. If the CAs
 * changed, the chain is verified again. The handshake trusts the CAs of users and of front proxies together; the chain then decides which
 * kind of client it is. If OpenSSL rejected a certificate, even because it was not valid yet, it stays rejected on this connection, because
 * OpenSSL reports only one of several errors.
 */
class PresentedCertificate {
  readonly #rules: PeerRules & { readonly role: Role }
  readonly #accepted: Peer
  readonly #handshakeError: string | undefined
  readonly #leaf: X509Certificate
  readonly #intermediates: readonly X509Certificate[]
  #verdict: Peer
  #authorities: ClientAuthorities | undefined
  /** Start of the period in which `#verdict` is correct, provided that the CAs are `#authorities`. */
  #from = 0
  #until = 0

  constructor(socket: TLSSocket, certificate: PeerCertificate, rules: PeerRules & { readonly role: Role }) {
    this.#rules = rules
    this.#leaf = socket.getPeerX509Certificate()!
    this.#intermediates = listIssuers(this.#leaf)
    this.#accepted = { certificate, error: undefined, expires: Date.parse(certificate.valid_to) }
    this.#verdict = this.#accepted
    this.#handshakeError = socket.authorized ? undefined : readErrorCode(socket)
  }

  get verdict(): Peer {
    const now = this.#rules.now()
    const authorities = this.#rules.getAuthorities()[this.#rules.role]
    if (authorities !== this.#authorities || now < this.#from || now >= this.#until) this.#judge(authorities, now)
    return this.#verdict
  }

  #judge(authorities: ClientAuthorities, now: number): void {
    const setVerdict = (verdict: Peer, from: number, until: number): void => {
      this.#authorities = authorities
      this.#verdict = verdict
      this.#from = from
      this.#until = until
    }
    if (this.#handshakeError !== undefined) return setVerdict(createRefused(this.#handshakeError), -Infinity, Infinity)
    const valid = authorities.findValidity(this.#leaf, this.#intermediates)
    if (valid === undefined) return setVerdict(createRefused('UNABLE_TO_GET_ISSUER_CERT'), -Infinity, Infinity)
    if (now >= valid.until) return setVerdict(createRefused('CERT_HAS_EXPIRED'), valid.until, Infinity)
    if (now < valid.from) return setVerdict(createRefused('CERT_NOT_YET_VALID'), -Infinity, valid.from)
    setVerdict(this.#accepted, valid.from, valid.until)
  }
}

function createRefused(error: string): Peer {
  return { certificate: undefined, error, expires: 0 }
}

/** Returns OpenSSL's error code. Depending on its version, Node provides the code itself or an error that contains it. */
function readErrorCode({ authorizationError }: TLSSocket): string {
  return String((authorizationError as Error & { code?: string }).code ?? authorizationError)
}

/** Returns the intermediate certificates that the client sent. */
function listIssuers(leaf: X509Certificate): X509Certificate[] {
  const issuers: X509Certificate[] = []
  for (let issuer = leaf.issuerCertificate; issuer !== undefined && issuers.length < maxIntermediates; issuer = issuer.issuerCertificate)
    issuers.push(issuer)
  return issuers
}

const maxIntermediates = 20
