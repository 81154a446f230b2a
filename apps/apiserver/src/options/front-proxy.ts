import type { ServerChainOptions } from '@keelson/control-plane'
import { file, list } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { existing, filePair } from './flag-files.ts'

const group = 'Front proxies'

/** Names and defaults are kube-apiserver's. */
export const frontProxyFlags = {
  'requestheader-client-ca-file': {
    group,
    type: file(),
    help: 'File with the authorities of front proxies, PEM. Clients with their certificates may name the user of a request in its headers. Default: an authority that the server makes, for the X-Remote-* headers.',
  },
  'requestheader-username-headers': { group, type: list(), help: 'Headers that name the user. X-Remote-User is common.' },
  'requestheader-uid-headers': { group, type: list(), help: "Headers with the user's UID. X-Remote-Uid is suggested." },
  'requestheader-group-headers': { group, type: list(), help: "Headers with the user's groups. X-Remote-Group is suggested." },
  'requestheader-extra-headers-prefix': {
    group,
    type: list(),
    help: "Prefixes of headers with the user's extra fields. X-Remote-Extra- is suggested.",
  },
  'requestheader-allowed-names': {
    group,
    type: list(),
    help: 'Common names of the certificates of front proxies. Default: any certificate of --requestheader-client-ca-file.',
  },
  'proxy-client-cert-file': {
    group,
    type: file(),
    help: 'File with the client certificate for requests to other API servers, PEM. Default: a certificate that the server makes, unless --requestheader-client-ca-file is given.',
  },
  'proxy-client-key-file': { group, type: file(), help: 'File with the key of --proxy-client-cert-file, PEM.' },
} as const

type Authentication = NonNullable<ServerChainOptions['authentication']>

export async function frontProxyOptions(
  values: FlagValuesOf<typeof frontProxyFlags>,
  problems: Problems,
): Promise<Pick<Authentication, 'frontProxy' | 'proxyClientFiles'>> {
  const authorityFile = await existing('requestheader-client-ca-file', values['requestheader-client-ca-file'], problems)
  const proxyClientFiles = await filePair(
    { 'proxy-client-cert-file': values['proxy-client-cert-file'], 'proxy-client-key-file': values['proxy-client-key-file'] },
    problems,
  )
  const lists = {
    usernameHeaders: values['requestheader-username-headers'],
    uidHeaders: values['requestheader-uid-headers'],
    groupHeaders: values['requestheader-group-headers'],
    extraHeaderPrefixes: values['requestheader-extra-headers-prefix'],
    allowedNames: values['requestheader-allowed-names'],
  }
  return {
    frontProxy: {
      ...(authorityFile && { authorityFile }),
      ...Object.fromEntries(Object.entries(lists).filter(([, names]) => names !== undefined)),
    },
    ...(proxyClientFiles && { proxyClientFiles }),
  }
}
