import { kubeletDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createDurationType, createFileType, list, createIntegerType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile, readFilePair } from './flag-files.ts'

const group = 'Kubelets'

/** Flags of connections to kubelets. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const kubeletFlags = {
  'kubelet-client-certificate': {
    group,
    type: createFileType(),
    help: 'PEM file with the client certificate for connections to kubelets.',
  },
  'kubelet-client-key': { group, type: createFileType(), help: 'PEM file with the private key of --kubelet-client-certificate.' },
  'kubelet-certificate-authority': {
    group,
    type: createFileType(),
    help: 'PEM file with the CAs of kubelet certificates. Default: every certificate is accepted.',
  },
  'kubelet-preferred-address-types': {
    group,
    type: list(),
    default: kubeletDefaults.preferredAddressTypes,
    help: 'Types of node addresses for connections to kubelets, in order of preference.',
  },
  'kubelet-port': {
    group,
    type: createIntegerType({ maximum: 65_535 }),
    default: kubeletDefaults.port,
    help: 'Port of kubelets on nodes that do not report one.',
  },
  'kubelet-read-only-port': {
    group,
    type: createIntegerType({ maximum: 65_535 }),
    default: 10_255,
    help: 'Has no effect. It is accepted because kube-apiserver accepts it.',
  },
  'kubelet-timeout': {
    group,
    type: createDurationType(),
    default: kubeletDefaults.timeoutMs,
    help: 'Timeout for connecting to a kubelet.',
  },
} as const

export async function readKubeletOptions(
  values: FlagValuesOf<typeof kubeletFlags>,
  problems: Problems,
): Promise<NonNullable<ServerChainOptions['kubelet']>> {
  const client = await readFilePair(
    { 'kubelet-client-certificate': values['kubelet-client-certificate'], 'kubelet-client-key': values['kubelet-client-key'] },
    problems,
  )
  const authorityFile = await checkFlagFile('kubelet-certificate-authority', values['kubelet-certificate-authority'], problems)
  return {
    port: values['kubelet-port'],
    preferredAddressTypes: values['kubelet-preferred-address-types'],
    timeoutMs: values['kubelet-timeout'],
    ...client,
    ...(authorityFile && { authorityFile }),
  }
}
