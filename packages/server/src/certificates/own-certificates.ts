import { X509Certificate, createPrivateKey } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { CertificateStore } from './certificate-store.ts'
import type { CertificateRequest, Issuer, KeyPair } from './create-certificate.ts'

const day = 24 * 3600 * 1000
const caLifetime = 3650 * day
const leafLifetime = 365 * day
/** A certificate with less than this left is replaced at the next start. */
const renewBefore = 30 * day

export interface OwnCertificatesOptions {
  readonly store: CertificateStore
  /** Addresses and names beyond those every server has. */
  readonly names?: readonly string[]
  readonly admin?: { readonly commonName: string; readonly organizations: readonly string[] }
  readonly now?: () => number
}

export interface OwnCertificates {
  readonly ca: KeyPair
  readonly serving: KeyPair
  /** A client certificate of `system:masters`. */
  readonly admin: KeyPair
}

/** The certificates a server makes for itself: an authority, the serving certificate, an administrator's. What is kept and still good is used again. */
export async function ownCertificates(options: OwnCertificatesOptions): Promise<OwnCertificates> {
  const { store } = options
  const now = (options.now ?? Date.now)()
  const names = servingNames(options.names ?? [])
  const admin = options.admin ?? { commonName: 'kubernetes-admin', organizations: ['system:masters'] }

  const ca =
    (await loadWhen(store, 'ca', (pair) => isCurrent(pair, now) && read(pair).ca)) ??
    (await make('ca', { ...base('ca'), subject: caSubject }))
  const issuer = issuerOf(ca)
  const signed = (pair: KeyPair): boolean => isCurrent(pair, now) && read(pair).verify(issuer.publicKey)
  const serving =
    (await loadWhen(store, 'apiserver', (pair) => signed(pair) && coversAll(read(pair), names))) ??
    (await make('apiserver', { ...base('server'), subject: { commonName: 'kube-apiserver' }, names, issuer }))
  const client = (await loadWhen(store, 'admin', signed)) ?? (await make('admin', { ...base('client'), subject: admin, issuer }))
  return { ca, serving, admin: client }

  function base(usage: CertificateRequest['usage']): Pick<CertificateRequest, 'usage' | 'notBefore' | 'notAfter'> {
    // An hour back, for clients whose clocks are late.
    return { usage, notBefore: new Date(now - 3600_000), notAfter: new Date(now + (usage === 'ca' ? caLifetime : leafLifetime)) }
  }

  async function make(name: string, request: CertificateRequest): Promise<KeyPair> {
    const { createCertificate } = await import('./create-certificate.ts')
    const pair = await createCertificate(request)
    await store.save(name, pair)
    return pair
  }
}

const caSubject = { commonName: 'keelson-ca' }

function issuerOf({ certificate, key }: KeyPair): Issuer {
  return { subject: caSubject, privateKey: createPrivateKey(key), publicKey: new X509Certificate(certificate).publicKey }
}

function read(pair: KeyPair): X509Certificate {
  return new X509Certificate(pair.certificate)
}

async function loadWhen(store: CertificateStore, name: string, usable: (pair: KeyPair) => boolean): Promise<KeyPair | undefined> {
  const pair = await store.load(name)
  if (pair === undefined) return undefined
  try {
    return usable(pair) ? pair : undefined
  } catch {
    return undefined // not a certificate at all: made anew like an expired one
  }
}

function isCurrent(pair: KeyPair, now: number): boolean {
  const certificate = read(pair)
  return (
    Date.parse(certificate.validFrom) <= now &&
    Date.parse(certificate.validTo) - renewBefore > now &&
    certificate.checkPrivateKey(createPrivateKey(pair.key))
  )
}

function coversAll(certificate: X509Certificate, names: readonly string[]): boolean {
  return names.every((name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined)
}

/** Under all of these a client in or beside a cluster reaches its API server. */
export function servingNames(more: readonly string[]): readonly string[] {
  const inCluster = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  const wildcards = new Set(['0.0.0.0', '::', ''])
  const own = hostname().toLowerCase()
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
  const all = [
    'localhost',
    '127.0.0.1',
    '::1',
    ...(isName.test(own) ? [own] : []),
    ...inCluster,
    ...more.filter((name) => !wildcards.has(name)),
  ]
  return [...new Set(all)]
}
