import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { AdmissionConfigurationError } from './admission-plugins.ts'
import { readStrictMembers, readStringMember } from './strict-members.ts'

const kind = 'AdmissionConfiguration'
const versions: ReadonlySet<unknown> = new Set(['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'])

/**
 * Reads an AdmissionConfiguration file (`--admission-control-config-file`). Returns one configuration object per plugin. A plugin's
 * configuration is either inline or in another file, whose path is relative to this file. Throws `AdmissionConfigurationError`.
 */
export async function readAdmissionConfiguration(file: string): Promise<ReadonlyMap<string, unknown>> {
  const plugins = new Map<string, unknown>()
  for (const [i, plugin] of (await readPlugins(file)).entries()) {
    const at = `plugins[${i}]`
    const members = readChecked(file, () => readStrictMembers(plugin, at, ['name', 'path', 'configuration']))
    const name = readChecked(file, () => readStringMember(members, 'name', at))
    const configurationPath = readChecked(file, () => readStringMember(members, 'path', at))
    if (plugins.has(name)) continue
    if (members['configuration'] !== undefined && members['configuration'] !== null) plugins.set(name, members['configuration'])
    else if (configurationPath !== '') plugins.set(name, await readYaml(path.resolve(path.dirname(file), configurationPath)))
  }
  return plugins
}

async function readPlugins(file: string): Promise<readonly unknown[]> {
  const value = await readYaml(file)
  const head = (typeof value === 'object' && value !== null ? value : {}) as { readonly kind?: unknown; readonly apiVersion?: unknown }
  if (head.kind !== kind || !versions.has(head.apiVersion)) {
    const found = `a ${JSON.stringify(head.kind ?? '')} of ${JSON.stringify(head.apiVersion ?? '')}`
    throw createUnusableError(file, `it is ${found}, not an ${kind} of "apiserver.config.k8s.io/v1"`)
  }
  const members = readChecked(file, () => readStrictMembers(value, '', ['kind', 'apiVersion', 'plugins']))
  const plugins = members['plugins'] ?? []
  if (!Array.isArray(plugins)) throw createUnusableError(file, 'plugins must be a list')
  return plugins as readonly unknown[]
}

async function readYaml(file: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'no such file or directory' : message
    throw new AdmissionConfigurationError(`unable to read admission control configuration from ${JSON.stringify(file)} [${why}]`, { cause })
  }
  const { value, duplicates } = readChecked(file, () => parseYaml(text))
  if (duplicates.length > 0) throw createUnusableError(file, `strict decoding error: ${duplicates.join(', ')}`)
  return value
}

function readChecked<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw createUnusableError(file, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function createUnusableError(file: string, why: string, cause?: unknown): AdmissionConfigurationError {
  return new AdmissionConfigurationError(`failed to read plugin config ${JSON.stringify(file)}: ${why}`, { cause })
}
