import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { getErrorMessage } from '@keelson/apimachinery'
import { AdmissionConfigurationError } from '../admission-plugins.ts'
import type { AdmissionModule } from './admission-module.ts'

/**
 * Loads an admission module (`--admission-module`): the default export of a JavaScript or TypeScript file. Throws
 * `AdmissionConfigurationError` if the file cannot be loaded or its export is not a module.
 */
export async function loadAdmissionModule(file: string): Promise<AdmissionModule> {
  const fail = (why: string, cause?: unknown): never => {
    throw new AdmissionConfigurationError(`failed to load admission module ${JSON.stringify(file)}: ${why}`, { cause })
  }
  if (!existsSync(file)) fail('there is no such file')
  let loaded: { readonly default?: unknown } = {}
  try {
    loaded = (await import(pathToFileURL(path.resolve(file)).href)) as typeof loaded
  } catch (error) {
    const isUnknownType = (error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(file)
    fail(
      isUnknownType ? `Node.js ${process.version} does not load TypeScript; use 22.18 or later, or JavaScript` : getErrorMessage(error),
      error,
    )
  }
  const problem = findModuleProblem(loaded.default)
  return problem === undefined ? (loaded.default as AdmissionModule) : fail(problem)
}

const phases = ['admit', 'validate', 'validateDelete']

/** Returns the first problem of a value that should be an admission module, which may come from JavaScript. */
export function findModuleProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'it must have a default export with the members "name" and "resources"'
  const unknown = Object.keys(value).find((member) => !['name', 'resources', 'after', 'before'].includes(member))
  if (unknown !== undefined) return `unknown member ${JSON.stringify(unknown)}`
  const { name, resources, after, before } = value
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9]*$/.test(name))
    return 'name must consist of letters and digits and start with a letter'
  for (const [member, place] of Object.entries({ after, before })) {
    if (place !== undefined && typeof place !== 'string') return `${member} must be the name of a plugin`
  }
  if (after !== undefined && before !== undefined) return 'only one of after and before can be set'
  if (!isObject(resources) || Object.keys(resources).length === 0) return 'resources must be an object with at least one resource'
  for (const [resource, rules] of Object.entries(resources)) {
    if (!isObject(rules)) return `resources[${JSON.stringify(resource)}] must be an object`
    for (const [phase, rule] of Object.entries(rules)) {
      const at = `resources[${JSON.stringify(resource)}].${phase}`
      if (!phases.includes(phase)) return `${at} is none of ${phases.join(', ')}`
      if (typeof rule !== 'function') return `${at} must be a function`
    }
  }
  return undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
