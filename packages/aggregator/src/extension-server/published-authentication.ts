import type { RequestHeaderOptions } from '@keelson/auth'
import { checkAuthorities } from '@keelson/outbound'

/** Where an API server publishes how it authenticates clients and front proxies. Extension API servers read it. */
export const authenticationConfigMap = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const

/** Authentication settings that an API server publishes for extension API servers. */
export interface PublishedAuthentication {
  /** CAs of client certificates in PEM. Undefined if none are published. */
  readonly clientAuthorities?: string
  /** CAs of front proxies in PEM. Undefined if none are published. */
  readonly frontProxyAuthorities?: string
  readonly requestHeaders: RequestHeaderOptions
}

/** The settings before the ConfigMap was read. No client certificate and no front proxy is trusted. */
export const nothingPublished: PublishedAuthentication = { requestHeaders: { usernameHeaders: [] } }

/**
 * Reads the settings from the data of the ConfigMap. CAs that are missing or invalid keep their previous value, and so do the header names if
 * one list of them is invalid. Calls `onProblem` for each of these cases.
 */
export function readPublishedAuthentication(
  data: Readonly<Record<string, string>>,
  previous: PublishedAuthentication,
  onProblem: (text: string) => void,
): PublishedAuthentication {
  const readCertificates = (key: string, before: string | undefined): string | undefined => {
    const pem = data[key] ?? ''
    if (pem === before) return before
    try {
      if (pem === '') throw new Error(`missing content for CA bundle "client-ca::${configMapName}::${key}"`)
      checkAuthorities(pem)
      return pem
    } catch (error) {
      onProblem((error as Error).message)
      return before
    }
  }
  const clientAuthorities = readCertificates('client-ca-file', previous.clientAuthorities)
  const frontProxyAuthorities = readCertificates('requestheader-client-ca-file', previous.frontProxyAuthorities)
  let { requestHeaders } = previous
  try {
    requestHeaders = readRequestHeaders(data)
  } catch (error) {
    onProblem((error as Error).message)
  }
  return {
    ...(clientAuthorities !== undefined && { clientAuthorities }),
    ...(frontProxyAuthorities !== undefined && { frontProxyAuthorities }),
    requestHeaders,
  }
}

const configMapName = `${authenticationConfigMap.namespace}::${authenticationConfigMap.name}`

function readRequestHeaders(data: Readonly<Record<string, string>>): RequestHeaderOptions {
  return {
    usernameHeaders: parseNames(data['requestheader-username-headers']),
    uidHeaders: parseNames(data['requestheader-uid-headers']),
    groupHeaders: parseNames(data['requestheader-group-headers']),
    extraHeaderPrefixes: parseNames(data['requestheader-extra-headers-prefix']),
    allowedNames: parseNames(data['requestheader-allowed-names']),
  }
}

/** Parses a list of names in the data of the ConfigMap. An empty text is an empty list. Throws if the text is not a list of strings. */
export function parseNames(text = ''): readonly string[] {
  if (text === '') return []
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  const { namespace, name } = authenticationConfigMap
  throw new Error(`the ConfigMap ${namespace}/${name} holds ${text}, which is not a list of strings`)
}
