import type { FlagDefinition, FlagValuesOf } from './flag-types.ts'
import { admissionFlags } from './options/admission.ts'
import { auditFlags } from './options/audit.ts'
import { authenticationFlags } from './options/authentication.ts'
import { authorizationFlags } from './options/authorization.ts'
import { diagnosticsFlags } from './options/diagnostics.ts'
import { egressFlags } from './options/egress.ts'
import { externalTokenFlags } from './options/external-tokens.ts'
import { featureFlags } from './options/features.ts'
import { frontProxyFlags } from './options/front-proxy.ts'
import { kubeletFlags } from './options/kubelet.ts'
import { lifecycleFlags } from './options/lifecycle.ts'
import { metricsFlags } from './options/metrics.ts'
import { peerFlags } from './options/peers.ts'
import { requestFlags } from './options/requests.ts'
import { servicesFlags } from './options/services.ts'
import { servingFlags } from './options/serving.ts'
import { storageFlags } from './options/storage.ts'

const table = {
  ...storageFlags,
  ...servingFlags,
  ...authenticationFlags,
  ...externalTokenFlags,
  ...authorizationFlags,
  ...frontProxyFlags,
  ...admissionFlags,
  ...auditFlags,
  ...requestFlags,
  ...lifecycleFlags,
  ...featureFlags,
  ...servicesFlags,
  ...kubeletFlags,
  ...egressFlags,
  ...peerFlags,
  ...diagnosticsFlags,
  ...metricsFlags,
}

/** Values of all flags. Flags with a default are always present. */
export type FlagValues = FlagValuesOf<typeof table>

export const flags: ReadonlyMap<string, FlagDefinition> = new Map(Object.entries(table) as unknown as [string, FlagDefinition][])

/** Formats the value of a flag as on the command line. Returns "" if the flag has no value. */
export function formatFlagValue({ type }: FlagDefinition, value: unknown): string {
  if (value === undefined) return ''
  if (type.show !== undefined) return type.show(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
