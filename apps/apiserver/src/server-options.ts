import path from 'node:path'
import type { ServerChainOptions } from '@keelson/control-plane'
import { flags, formatFlagValue } from './flags.ts'
import type { FlagValues } from './flags.ts'
import { admissionOptions } from './options/admission.ts'
import { authenticationOptions } from './options/authentication.ts'
import { authorizationOptions } from './options/authorization.ts'
import { diagnosticsOptions } from './options/diagnostics.ts'
import { featureOptions } from './options/features.ts'
import { kubeletOptions } from './options/kubelet.ts'
import { lifecycleOptions } from './options/lifecycle.ts'
import { requestOptions } from './options/requests.ts'
import { servicesOptions } from './options/services.ts'
import { bindAddress, servingOptions } from './options/serving.ts'
import { storageOptions, storageType } from './options/storage.ts'
import type { Problems } from './start-error.ts'

/** Returns the path of the administrator's kubeconfig. */
export function kubeconfigPath(values: FlagValues): string {
  return path.join(path.resolve(values['data-dir']), 'admin.kubeconfig')
}

/**
 * Converts flags to options of the control plane. Reads the files in the flags. Problems are added to `problems`; if there are any, the
 * returned options are incomplete.
 */
export async function serverOptions(
  values: FlagValues,
  log: NonNullable<ServerChainOptions['log']>,
  problems: Problems,
): Promise<ServerChainOptions> {
  // A server with in-memory storage needs no data directory. It stores certificates only if a flag sets a directory for them.
  const keepsNothing = storageType(values) === 'memory' && values['data-dir'] === flags.get('data-dir')!.default
  const certificates = values['cert-dir'] ?? (keepsNothing ? undefined : path.join(path.resolve(values['data-dir']), 'certs'))
  return {
    storage: await storageOptions(values, problems),
    serving: await servingOptions(
      { ...values, 'bind-address': bindAddress(values) },
      { certificates, kubeconfigPath: keepsNothing ? undefined : kubeconfigPath(values) },
      problems,
    ),
    ...(await authenticationOptions(values, problems)),
    authorization: await authorizationOptions(values, problems),
    admission: await admissionOptions(values, problems),
    requests: requestOptions(values, problems),
    lifecycle: lifecycleOptions(values),
    services: servicesOptions(values),
    kubelet: await kubeletOptions(values, problems),
    ...featureOptions(values),
    diagnostics: diagnosticsOptions(values, formatShownFlags(values)),
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
