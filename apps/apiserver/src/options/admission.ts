import path from 'node:path'
import { admissionDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createFileType, createFilesType, list, createIntegerType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'

const group = 'Admission'

/** Flags of admission control. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const admissionFlags = {
  'enable-admission-plugins': {
    group,
    type: list(),
    help: 'Admission plugins to enable in addition to the default ones. The order has no effect.',
  },
  'disable-admission-plugins': {
    group,
    type: list(),
    help: 'Admission plugins to disable although they are enabled by default.',
  },
  'admission-control-config-file': {
    group,
    type: createFileType(),
    help: 'Configuration file of admission plugins (AdmissionConfiguration).',
  },
  'admission-module': {
    group,
    type: createFilesType(),
    help: 'Files with admission rules in TypeScript or JavaScript: each has an AdmissionModule as its default export. Repeatable.',
  },
  'default-not-ready-toleration-seconds': {
    group,
    type: createIntegerType(),
    default: admissionDefaults.defaultTolerationSeconds.notReadySeconds,
    help: 'Seconds for which a pod stays on a node that is not ready, unless the pod sets its own time.',
  },
  'default-unreachable-toleration-seconds': {
    group,
    type: createIntegerType(),
    default: admissionDefaults.defaultTolerationSeconds.unreachableSeconds,
    help: 'Seconds for which a pod stays on an unreachable node, unless the pod sets its own time.',
  },
} as const

type AdmissionOptions = NonNullable<ServerChainOptions['admission']>

export async function readAdmissionOptions(values: FlagValuesOf<typeof admissionFlags>, problems: Problems): Promise<AdmissionOptions> {
  const configFile = values['admission-control-config-file']
  return {
    enable: values['enable-admission-plugins'] ?? [],
    disable: values['disable-admission-plugins'] ?? [],
    ...(configFile && { configFile: path.resolve(configFile) }),
    modules: await loadModules(values['admission-module'] ?? [], problems),
    defaultTolerationSeconds: {
      notReadySeconds: values['default-not-ready-toleration-seconds'],
      unreachableSeconds: values['default-unreachable-toleration-seconds'],
    },
  }
}

async function loadModules(paths: readonly string[], problems: Problems): Promise<NonNullable<AdmissionOptions['modules']>> {
  if (paths.length === 0) return []
  const { loadAdmissionModule } = await import('@keelson/control-plane')
  const modules: Awaited<ReturnType<typeof loadAdmissionModule>>[] = []
  for (const name of paths) {
    try {
      modules.push(await loadAdmissionModule(name))
    } catch (error) {
      problems.failure((error as Error).message, error)
    }
  }
  return modules
}
