import type { ServerChainOptions } from '@keelson/control-plane'
import { createFileType, list } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile, readFilePair } from './flag-files.ts'

const group = 'Front proxies'

/** Flags of front proxies. Names and defaults are the same as in kube-apiserver. */
export const frontProxyFlags = {
  'requestheader-client-ca-file': {
    group,
    type: createFileType(),
    help: 'PEM file with the CAs of front proxies. Clients with a certificate of these CAs may send the user of a request in its headers. Default: a CA that the server creates, and the X-Remote-* headers.',
  },
  'requestheader-username-headers': { group, type: list(), help: 'Headers that contain the user name. X-Remote-User is common.' },
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
    type: createFileType(),
    help: 'PEM file with the client certificate for requests to other API servers. Default: a certificate that the server creates, unless --requestheader-client-ca-file is given.',
  },
  'proxy-client-key-file': { group, type: createFileType(), help: 'PEM file with the private key of --proxy-client-cert-file.' },
} as const

type Authentication = NonNullable<ServerChainOptions['authentication']>

export async function readFrontProxyOptions(
  values: FlagValuesOf<typeof frontProxyFlags>,
  problems: Problems,
): Promise<Pick<Authentication, 'frontProxy' | 'proxyClientFiles'>> {
  const authorityFile = await checkFlagFile('requestheader-client-ca-file', values['requestheader-client-ca-file'], problems)
  const proxyClientFiles = await readFilePair(
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
