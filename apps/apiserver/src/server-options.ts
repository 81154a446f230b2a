import path from 'node:path'
import type { ServerChainOptions } from '@keelson/control-plane'
import { flags, formatFlagValue } from './flags.ts'
import type { FlagValues } from './flags.ts'
import { readAdmissionOptions } from './options/admission.ts'
import { readAuditOptions } from './options/audit.ts'
import { readAuthenticationOptions } from './options/authentication.ts'
import { readAuthorizationOptions } from './options/authorization.ts'
import { readDiagnosticsOptions } from './options/diagnostics.ts'
import type { DiagnosticsParts } from './options/diagnostics.ts'
import { readEgressOptions } from './options/egress.ts'
import { readFeatureOptions } from './options/features.ts'
import { readKubeletOptions } from './options/kubelet.ts'
import { readLifecycleOptions } from './options/lifecycle.ts'
import { readMetricsOptions } from './options/metrics.ts'
import { readPeerOptions } from './options/peers.ts'
import { requestOptions } from './options/requests.ts'
import { readServicesOptions } from './options/services.ts'
import { bindAddress, readServingOptions } from './options/serving.ts'
import { readStorageOptions, selectStorageType } from './options/storage.ts'
import type { Problems } from './start-error.ts'

/** The log of the program. */
export interface ProgramLog extends Pick<DiagnosticsParts, 'verbosity' | 'writeText'> {
  readonly log: NonNullable<ServerChainOptions['log']>
}

/** Returns the path of the administrator's kubeconfig. */
export function getKubeconfigPath(values: FlagValues): string {
  return path.join(path.resolve(values['data-dir']), 'admin.kubeconfig')
}

/**
 * Converts flags to options of the control plane. Reads the files in the flags. Problems are added to `problems`; if there are any, the
 * returned options are incomplete.
 */
export async function readServerOptions(
  values: FlagValues,
  { log, verbosity, writeText }: ProgramLog,
  problems: Problems,
): Promise<ServerChainOptions> {
  // A server with in-memory storage needs no data directory. It stores certificates only if a flag sets a directory for them.
  const keepsNothing = selectStorageType(values) === 'memory' && values['data-dir'] === flags.get('data-dir')!.default
  const certificates = values['cert-dir'] ?? (keepsNothing ? undefined : path.join(path.resolve(values['data-dir']), 'certs'))
  return {
    storage: await readStorageOptions(values, problems),
    serving: await readServingOptions(
      { ...values, 'bind-address': bindAddress(values) },
      { certificates, kubeconfigPath: keepsNothing ? undefined : getKubeconfigPath(values) },
      problems,
    ),
    ...(await readAuthenticationOptions(values, problems)),
    authorization: await readAuthorizationOptions(values, problems),
    admission: await readAdmissionOptions(values, problems),
    audit: await readAuditOptions(values, problems),
    requests: requestOptions(values, problems),
    lifecycle: readLifecycleOptions(values),
    services: readServicesOptions(values),
    kubelet: await readKubeletOptions(values, problems),
    egress: await readEgressOptions(values, problems),
    ...(await readPeerOptions(values, problems)),
    ...readFeatureOptions(values),
    metrics: await readMetricsOptions(values, problems),
    diagnostics: await readDiagnosticsOptions(values, { verbosity, writeText, flags: formatShownFlags(values) }, problems),
    log,
  }
}

/** Returns all flags with their values, as they are written on the command line. */
function formatShownFlags(values: FlagValues): Readonly<Record<string, string>> {
  const shownValues = { ...values, 'bind-address': bindAddress(values) }
  return Object.fromEntries(
    Array.from(flags, ([name, definition]) => [name, formatFlagValue(definition, shownValues[name as keyof FlagValues])]),
  )
}
