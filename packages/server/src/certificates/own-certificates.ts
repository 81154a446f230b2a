import { mastersGroup, systemClock } from '@keelson/apimachinery'
import { X509Certificate, createPrivateKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { CertificateStore } from './certificate-store.ts'
import type { CertificateRequest, Issuer, KeyPair, Subject } from './create-certificate.ts'

const day = 24 * 3600 * 1000
const caLifetime = 3650 * day
const leafLifetime = 365 * day
/** Remaining validity in milliseconds below which a certificate is renewed at the next start. */
const renewBefore = 30 * day

export interface OwnCertificatesOptions {
  readonly store: CertificateStore
  /** Additional IP addresses and DNS names of the serving certificate. */
  readonly names?: readonly string[]
  readonly admin?: { readonly commonName: string; readonly organizations: readonly string[] }
  /** Also creates the certificates with which this server forwards requests to other API servers. Default: false. */
  readonly frontProxy?: boolean
  readonly now?: () => number
  /** Called for each certificate that is created, and if the CA certificate is not valid yet. */
  readonly onNote?: (note: CertificateNote) => void
}

export interface CertificateNote {
  readonly kind: 'made' | 'renewed' | 'not yet valid'
  /** Name of the certificate in the store: "ca", "apiserver", "admin", "front-proxy-ca" or "front-proxy-client". */
  readonly name: string
  /** Reason for creating or renewing the certificate, such as "there was none". */
  readonly reason?: string
  readonly notBefore: Date
  readonly notAfter: Date
}

export interface OwnCertificates {
  readonly ca: KeyPair
  readonly serving: KeyPair
  /** A client certificate of `system:masters`. */
  readonly admin: KeyPair
  readonly frontProxy?: FrontProxyCertificates
}

/**
 * Certificates for forwarding requests to other API servers: the client certificate of this server, and the CA with which the other servers
 * verify it. The CA signs no other certificate.
 */
export interface FrontProxyCertificates {
  readonly ca: KeyPair
  readonly client: KeyPair
}

/** The common name of the client certificate of front proxies. */
export const frontProxyName = 'front-proxy-client'

/**
 * Loads or creates the server's own certificates: a CA, the serving certificate, and a client certificate for the administrator. Stored
 * certificates are reused while they are valid. The key of the CA is never replaced, because every component of the cluster trusts it. The
 * CA certificate is renewed with the same key and start date before it expires. Throws if the stored CA is damaged. The other certificates
 * are replaced if they are unusable.
 */
export async function openOwnCertificates(options: OwnCertificatesOptions): Promise<OwnCertificates> {
  const { checked } = options.store
  const now = (options.now ?? systemClock.now)()
  const names = listServingNames(options.names ?? [])
  const key = JSON.stringify([names, options.admin, options.frontProxy === true])
  if (checked === undefined) return loadCertificates(options, now, names)
  const earlier = checked.get(key)
  if (earlier !== undefined && now >= earlier.from && now < earlier.until) return earlier.result as Promise<OwnCertificates>
  // A later check may create certificates of the same CA, so it waits for the earlier ones.
  const pending = Promise.allSettled(Array.from(checked.values(), ({ result }) => result))
  const result = pending.then(() => loadCertificates(options, now, names))
  checked.set(key, { result, from: now, until: now + checkedMs })
  result.catch(() => checked.delete(key))
  return result
}

/** Time in milliseconds after which certificates of a shared store are checked again. They are renewed long before they end. */
const checkedMs = day

async function loadCertificates(options: OwnCertificatesOptions, now: number, names: readonly string[]): Promise<OwnCertificates> {
  const { store, onNote = () => {} } = options
  const admin = options.admin ?? { commonName: 'kubernetes-admin', organizations: [mastersGroup] }

  const ca = await loadAuthority('ca', caSubject)
  const issuer = toIssuer(ca, caSubject)
  const serving = await loadLeaf(
    'apiserver',
    { usage: 'server', subject: { commonName: 'kube-apiserver' }, names, issuer },
    (certificate) => (coversAll(certificate, names) ? undefined : 'a name was missing'),
  )
  const client = await loadLeaf('admin', { usage: 'client', subject: admin, issuer }, () => undefined)
  return { ca, serving, admin: client, ...(options.frontProxy === true && { frontProxy: await loadFrontProxy() }) }

  async function loadFrontProxy(): Promise<FrontProxyCertificates> {
    const subject = { commonName: 'keelson-front-proxy-ca' }
    const proxyCA = await loadAuthority('front-proxy-ca', subject)
    const request = { usage: 'client', subject: { commonName: frontProxyName }, issuer: toIssuer(proxyCA, subject) } as const
    return { ca: proxyCA, client: await loadLeaf('front-proxy-client', request, () => undefined) }
  }

  async function loadAuthority(name: string, subjectName: Subject): Promise<KeyPair> {
    const stored = await store.load(name)
    const subject = { usage: 'ca', subject: subjectName } as const
    if (stored.certificate === undefined && stored.key === undefined)
      return issue(name, { ...subject, ...createValidity(caLifetime) }, 'made', 'there was none')
    const { pair, certificate, privateKey } = readAuthority(name, stored)
    const times = { notBefore: new Date(certificate.validFrom), notAfter: new Date(certificate.validTo) }
    if (times.notAfter.getTime() - renewBefore <= now) {
      const notBefore = new Date(Math.min(times.notBefore.getTime(), now - clockSkew))
      const reason = `it ends on ${times.notAfter.toISOString()}`
      return issue(name, { ...subject, ...createValidity(caLifetime), notBefore, privateKey }, 'renewed', reason)
    }
    if (times.notBefore.getTime() > now) onNote({ kind: 'not yet valid', name, ...times })
    return pair
  }

  type Unsigned = Omit<CertificateRequest, 'notBefore' | 'notAfter' | 'issuer'> & { readonly issuer: Issuer }
  async function loadLeaf(
    name: string,
    request: Unsigned,
    findProblem: (certificate: X509Certificate) => string | undefined,
  ): Promise<KeyPair> {
    const { certificate, key } = await store.load(name)
    const isNew = certificate === undefined && key === undefined
    const problem =
      certificate === undefined || key === undefined
        ? 'there was none'
        : findLeafProblem({ certificate, key }, { issuer: request.issuer, now, findProblem })
    if (problem === undefined) return { certificate: certificate!, key: key! }
    return issue(name, { ...request, ...createValidity(leafLifetime) }, isNew ? 'made' : 'renewed', problem)
  }

  function createValidity(milliseconds: number): Pick<CertificateRequest, 'notBefore' | 'notAfter'> {
    return { notBefore: new Date(now - clockSkew), notAfter: new Date(now + milliseconds) }
  }

  async function issue(name: string, request: CertificateRequest, kind: 'made' | 'renewed', reason: string): Promise<KeyPair> {
    const { createCertificate } = await import('./create-certificate.ts')
    const pair = await createCertificate(request)
    await store.save(name, pair)
    onNote({ kind, name, reason, notBefore: request.notBefore, notAfter: request.notAfter })
    return pair
  }
}

/** Time in milliseconds by which the validity of certificates starts earlier, for clients whose clocks are behind. */
const clockSkew = 3600_000

const caSubject = { commonName: 'keelson-ca' }

export interface ClientCertificateRequest {
  /** Store that contains the CA under the name "ca". */
  readonly store: CertificateStore
  readonly subject: Subject
  readonly lifetimeMs: number
  readonly now?: () => number
}

/**
 * Signs a client certificate with the stored CA. The certificate does not outlive the CA certificate. Throws if the store has no CA. Does
 * not change the store.
 */
export async function signClientCertificate(request: ClientCertificateRequest): Promise<KeyPair & { readonly authority: string }> {
  const { store, subject, lifetimeMs } = request
  const now = (request.now ?? systemClock.now)()
  const stored = await store.load('ca')
  if (stored.certificate === undefined && stored.key === undefined)
    throw new Error('there is no certificate authority: neither ca.crt nor ca.key exists')
  const { pair: authority, certificate } = readAuthority('ca', stored)
  const { createCertificate } = await import('./create-certificate.ts')
  const pair = await createCertificate({
    usage: 'client',
    subject,
    issuer: toIssuer(authority, caSubject),
    notBefore: new Date(now - clockSkew),
    notAfter: new Date(Math.min(now + lifetimeMs, Date.parse(certificate.validTo))),
  })
  return { ...pair, authority: authority.certificate }
}

function toIssuer({ certificate, key }: KeyPair, subject: Subject): Issuer {
  return { subject, privateKey: createPrivateKey(key), publicKey: new X509Certificate(certificate).publicKey }
}

interface ReadAuthority {
  readonly pair: KeyPair
  readonly certificate: X509Certificate
  readonly privateKey: KeyObject
}

/** Reads a stored CA. If it is unusable, throws an error that explains how to repair it. */
function readAuthority(name: string, { certificate: pem, key }: Partial<KeyPair>): ReadAuthority {
  const createDamagedError = (subject: string, cause?: unknown): Error =>
    new Error(
      `${subject}. Restore ${name}.crt and ${name}.key from a backup. Or delete both: the server then creates a new CA, and clients must be configured to trust it`,
      {
        cause,
      },
    )
  if (pem === undefined) throw createDamagedError(`${name}.crt is missing next to ${name}.key`)
  if (key === undefined) throw createDamagedError(`${name}.key is missing next to ${name}.crt`)
  const read = <T>(file: string, use: () => T): T => {
    try {
      return use()
    } catch (error) {
      throw createDamagedError(`${file} is damaged (${(error as Error).message})`, error)
    }
  }
  const certificate = read(`${name}.crt`, () => new X509Certificate(pem))
  const privateKey = read(`${name}.key`, () => createPrivateKey(key))
  if (!certificate.ca) throw createDamagedError(`${name}.crt is not the certificate of an authority`)
  if (!certificate.checkPrivateKey(privateKey)) throw createDamagedError(`${name}.key is not the key of ${name}.crt`)
  return { pair: { certificate: pem, key }, certificate, privateKey }
}

interface LeafRules {
  readonly issuer: Issuer
  readonly now: number
  readonly findProblem: (certificate: X509Certificate) => string | undefined
}

/** Returns the reason why a stored certificate is unusable. Returns undefined if it is usable. */
function findLeafProblem(pair: KeyPair, { issuer, now, findProblem }: LeafRules): string | undefined {
  try {
    const certificate = new X509Certificate(pair.certificate)
    if (!certificate.checkPrivateKey(createPrivateKey(pair.key))) return 'the key was that of another'
    if (!certificate.verify(issuer.publicKey)) return 'another authority had signed it'
    if (Date.parse(certificate.validFrom) > now) return `it begins on ${new Date(certificate.validFrom).toISOString()}`
    if (Date.parse(certificate.validTo) - renewBefore <= now) return `it ends on ${new Date(certificate.validTo).toISOString()}`
    return findProblem(certificate)
  } catch (error) {
    return `it was damaged: ${(error as Error).message}`
  }
}

function coversAll(certificate: X509Certificate, names: readonly string[]): boolean {
  return names.every((name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined)
}

/**
 * Returns the DNS names and IP addresses by which clients inside the cluster and on this machine reach the API server, followed by `more`.
 */
export function listServingNames(more: readonly string[]): readonly string[] {
  const inCluster = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  const wildcards = new Set(['0.0.0.0', '::', ''])
  const hostName = hostname().toLowerCase()
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
  const names = [
    'localhost',
    '127.0.0.1',
    '::1',
    ...(isName.test(hostName) ? [hostName] : []),
    ...inCluster,
    ...more.filter((name) => !wildcards.has(name)),
  ]
  return [...new Set(names)]
}
