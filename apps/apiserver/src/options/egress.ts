import type { ServerChainOptions } from '@keelson/control-plane'
import { createFileType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile } from './flag-files.ts'

const group = 'Egress'

/** Flags of connections to other servers. */
export const egressFlags = {
  'egress-selector-config-file': {
    group,
    type: createFileType(),
    help: 'EgressSelectorConfiguration file with the proxies of connections to etcd, the control plane and the cluster. Default: all connections are direct.',
  },
} as const

export async function readEgressOptions(
  values: FlagValuesOf<typeof egressFlags>,
  problems: Problems,
): Promise<NonNullable<ServerChainOptions['egress']>> {
  const configFile = await checkFlagFile('egress-selector-config-file', values['egress-selector-config-file'], problems)
  return configFile === undefined ? {} : { configFile }
}
