import { aggregateFieldErrors } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { EncryptionConfigurationError } from './configuration-error.ts'
import { checkShape } from './encryption-configuration.ts'
import type { EncryptionConfiguration } from './encryption-configuration.ts'
import { validateConfiguration } from './validate-configuration.ts'
import type { ValidateOptions } from './validate-configuration.ts'

const apiVersion = 'apiserver.config.k8s.io/v1'
const kind = 'EncryptionConfiguration'

export interface ParseOptions extends ValidateOptions {
  /** Name of the file in error messages. */
  readonly file: string
}

/**
 * Parses and validates an EncryptionConfiguration in YAML or JSON. Unknown and duplicate members are errors. Throws
 * `EncryptionConfigurationError`.
 */
export function parseEncryptionConfiguration(text: string, options: ParseOptions): EncryptionConfiguration {
  const createUndecodableError = (reason: string, cause?: unknown): EncryptionConfigurationError =>
    new EncryptionConfigurationError(`error decoding encryption provider configuration file ${JSON.stringify(options.file)}: ${reason}`, {
      cause,
    })
  if (text === '') throw new EncryptionConfigurationError(`encryption provider configuration file ${JSON.stringify(options.file)} is empty`)
  let parsed: ReturnType<typeof parseYaml>
  try {
    parsed = parseYaml(text)
  } catch (cause) {
    throw createUndecodableError(cause instanceof Error ? cause.message : String(cause), cause)
  }
  const head = (typeof parsed.value === 'object' ? parsed.value : {}) as { readonly apiVersion?: unknown; readonly kind?: unknown } | null
  if (typeof head?.kind !== 'string' || head.kind === '') throw createUndecodableError("Object 'Kind' is missing")
  if (typeof head.apiVersion !== 'string' || head.apiVersion === '') throw createUndecodableError("Object 'apiVersion' is missing")
  if (head.kind !== kind || head.apiVersion !== apiVersion) {
    throw createUndecodableError(`it is a ${head.kind} of ${JSON.stringify(head.apiVersion)}, not an ${kind} of "${apiVersion}"`)
  }
  const { configuration, problems } = checkShape(parsed.value)
  const shapeProblems = [...parsed.duplicates, ...(problems ?? [])]
  if (shapeProblems.length > 0) throw createUndecodableError(`strict decoding error: ${shapeProblems.join(', ')}`)
  const errors = validateConfiguration(configuration!, options)
  if (errors.length > 0) throw new EncryptionConfigurationError(aggregateFieldErrors(errors))
  return configuration!
}
