import { X509Certificate } from 'node:crypto'
import { authenticationConfigMap, parseNames } from '@keelson/aggregator'
import type { ConfigMap } from '@keelson/api/core/v1'
import { selectEverything, selectField, isApiError, parsePemBlocks } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { RequestHeaderOptions } from '@keelson/auth'
import { followResource } from '@keelson/loopback'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import type { ServingFiles } from '../serving-files.ts'

const { namespace, name } = authenticationConfigMap
/** Interval in milliseconds between writes of the ConfigMap. Periodic writes repair changes that the watches missed. */
const syncMs = 60_000
/** Time in milliseconds for which expired CA certificates are kept, because clocks of other servers may be behind. */
const expirySlackMs = 5 * 60_000

/**
 * Authentication settings of this server: client CAs and front proxy headers. Other API servers read them to authenticate users in the same
 * way.
 */
export interface AuthenticationInfo {
  readonly clientAuthorities: readonly string[]
  readonly frontProxyAuthorities: readonly string[]
  /** Settings for front proxies. Undefined if no front proxy is trusted. */
  readonly requestHeaders: RequestHeaderOptions | undefined
}

export interface ClusterAuthenticationInfoOptions {
  readonly client: LoopbackClient
  /** The certificates that the server uses now. */
  readonly certificates: Pick<ServingFiles, 'current' | 'onChange'>
  readonly requestHeaders: RequestHeaderOptions | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * Publishes the authentication settings of this server in the ConfigMap `kube-system/extension-apiserver-authentication`. Keeps entries of other
 * servers, except for expired certificates. Writes immediately, then every minute and after changes of the files and of the object.
 */
export async function publishAuthenticationInfo(options: ClusterAuthenticationInfoOptions): Promise<void> {
  const { client, certificates, requestHeaders, clock, signal, onError } = options
  const configMaps = client.resource<ConfigMap>({ group: '', resource: 'configmaps' })
  if (configMaps === undefined) return
  let running: Promise<void> | undefined
  let isStale = false
  const sync = async (): Promise<void> => {
    do {
      isStale = false
      const { clientAuthorities, frontProxyAuthorities } = certificates.current
      await write(configMaps, { clientAuthorities, frontProxyAuthorities, requestHeaders }, clock.now()).catch(onError)
    } while (isStale && !signal.aborted)
    running = undefined
  }
  const request = (): Promise<void> => {
    isStale = running !== undefined
    return (running ??= sync())
  }
  const requestLater = (): void => {
    if (!signal.aborted) void request()
  }

  await request()
  certificates.onChange(requestLater)
  const repeat = (): (() => void) =>
    clock.after(syncMs, () => {
      requestLater()
      cancel = repeat()
    })
  let cancel = repeat()
  signal.addEventListener('abort', () => cancel())
  void followResource(
    configMaps,
    { replace: requestLater, apply: ({ type }) => void (type === 'MODIFIED' || requestLater()) },
    { namespace, predicate: { labels: selectEverything(), fields: selectField('metadata.name', name) }, clock, signal, onError },
  )
}

async function write(configMaps: LoopbackResource<ConfigMap>, ownInfo: AuthenticationInfo, now: number): Promise<void> {
  const existing = await configMaps.get(namespace, name, { resourceVersion: '' })
  if (existing !== undefined && isEqual(existing.data ?? {}, combineData(existing.data ?? {}, ownInfo, now))) return
  try {
    if (existing !== undefined) {
      await configMaps.update(namespace, name, (object) => ({ ...object, data: combineData(object.data ?? {}, ownInfo, now) }))
      return
    }
    const data = combineData({}, ownInfo, now)
    if (Object.keys(data).length > 0) await configMaps.create(namespace, { metadata: { name, namespace }, data })
  } catch (error) {
    // Another server wrote the ConfigMap first. The event of its write starts the next attempt.
    if (isApiError(error, 'AlreadyExists') || isApiError(error, 'NotFound')) return
    // Deletes the ConfigMap if it grew too large: servers whose CAs change often add entries on each change. The next attempt creates it
    // without old entries.
    if (isApiError(error, 'RequestEntityTooLarge') || (isApiError(error, 'Invalid') && error.message.includes('Too long')))
      await configMaps.delete(namespace, name)
    throw error
  }
}

/**
 * Merges the settings of this server into the data of the ConfigMap and returns the result. Throws if the existing data cannot be parsed.
 */
export function combineData(data: Readonly<Record<string, string>>, ownInfo: AuthenticationInfo, now: number): Record<string, string> {
  const { requestHeaders: headers } = ownInfo
  const list = (key: string, additionalNames: readonly string[] = []): readonly string[] => [
    ...new Set([...parseNames(data[key]), ...additionalNames]),
  ]
  const usernameHeaders = list('requestheader-username-headers', headers?.usernameHeaders)
  const uidHeaders = list('requestheader-uid-headers', headers?.uidHeaders)
  const groupHeaders = list('requestheader-group-headers', headers?.groupHeaders)
  const extraHeaderPrefixes = list('requestheader-extra-headers-prefix', headers?.extraHeaderPrefixes)
  const allowedNames = list('requestheader-allowed-names', headers?.allowedNames)
  const clientAuthorities = combineCertificates([data['client-ca-file'] ?? '', ...ownInfo.clientAuthorities], now)
  const frontProxies = combineCertificates([data['requestheader-client-ca-file'] ?? '', ...ownInfo.frontProxyAuthorities], now)
  return {
    ...(clientAuthorities !== '' && { 'client-ca-file': clientAuthorities }),
    ...(frontProxies !== '' && {
      'requestheader-username-headers': JSON.stringify(usernameHeaders),
      ...(uidHeaders.length > 0 && { 'requestheader-uid-headers': JSON.stringify(uidHeaders) }),
      'requestheader-group-headers': JSON.stringify(groupHeaders),
      'requestheader-extra-headers-prefix': JSON.stringify(extraHeaderPrefixes),
      'requestheader-client-ca-file': frontProxies,
      'requestheader-allowed-names': JSON.stringify(allowedNames),
    }),
  }
}

/** Concatenates the certificates of several PEM texts, without duplicates and without expired certificates. */
function combineCertificates(texts: readonly string[], now: number): string {
  const blocks = texts.flatMap((text) => parsePemBlocks(text).filter(({ label }) => label === 'CERTIFICATE'))
  // Most texts are in the ConfigMap and in the settings of this server, and parsing takes long.
  const distinctTexts = [...new Set(blocks.map(({ text }) => text))]
  const valid = distinctTexts.map((text) => new X509Certificate(text)).filter(({ validTo }) => Date.parse(validTo) > now - expirySlackMs)
  return [...new Set(valid.map((certificate) => certificate.toString()))].join('')
}

function isEqual(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}
