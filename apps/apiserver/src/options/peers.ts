import type { ServerChainOptions } from '@keelson/control-plane'
import { createFileType, createIntegerType, createIpAddressType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile } from './flag-files.ts'

const group = 'Several servers'

/** Flags of clusters with several API servers. Names are the same as in kube-apiserver. */
export const peerFlags = {
  'peer-ca-file': {
    group,
    type: createFileType(),
    help: 'PEM file with the CAs of the serving certificates of other API servers. Requests for resources that only they serve are forwarded to them. Default: no request is forwarded.',
  },
  'peer-advertise-ip': {
    group,
    type: createIpAddressType(),
    help: 'Address at which other API servers reach this one. It needs --peer-advertise-port. Default: --advertise-address.',
  },
  'peer-advertise-port': {
    group,
    type: createIntegerType({ minimum: 1, maximum: 65_535 }),
    help: 'Port at which other API servers reach this one. It needs --peer-advertise-ip. Default: the port of the server.',
  },
} as const

export async function readPeerOptions(
  values: FlagValuesOf<typeof peerFlags>,
  problems: Problems,
): Promise<Pick<ServerChainOptions, 'peers'>> {
  const authorityFile = await checkFlagFile('peer-ca-file', values['peer-ca-file'], problems)
  const peers = {
    ...(authorityFile && { authorityFile }),
    ...(values['peer-advertise-ip'] !== undefined && { advertiseAddress: values['peer-advertise-ip'] }),
    ...(values['peer-advertise-port'] !== undefined && { advertisePort: values['peer-advertise-port'] }),
  }
  return Object.keys(peers).length > 0 ? { peers } : {}
}
