// zod checks the structure of the operator's file and reports the path of each problem.
import { z } from 'zod'

/** Schema of a string. YAML reads a member without a value as `null`. As in kube-apiserver, null counts as absent. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const createListSchema = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? [])

const key = z.strictObject({ name: text, secret: text })
const keys = z.strictObject({ keys: createListSchema(key) })
const kms = z.strictObject({
  apiVersion: text,
  name: text,
  cachesize: z.int32().nullish(),
  endpoint: text,
  /** Timeout of a call as a duration like "3s". */
  timeout: z.string().nullish(),
})
const provider = z.strictObject({
  aesgcm: keys.nullish(),
  aescbc: keys.nullish(),
  secretbox: keys.nullish(),
  identity: z.strictObject({}).nullish(),
  kms: kms.nullish(),
})
const resource = z.strictObject({ resources: createListSchema(z.string()), providers: createListSchema(provider) })

/** Schema of an EncryptionConfiguration (apiserver.config.k8s.io/v1). Unknown members are errors. Values are checked by `validateConfiguration`. */
const encryptionConfiguration = z.strictObject({ apiVersion: z.string(), kind: z.string(), resources: createListSchema(resource) })

export interface Key {
  readonly name: string
  /** The key, encoded as base64. */
  readonly secret: string
}
export interface KeysConfiguration {
  readonly keys: readonly Key[]
}
export interface KmsConfiguration {
  /** Version of the KMS API. Default: "v1", as in kube-apiserver. This version is rejected, so the file must contain "v2". */
  readonly apiVersion: string
  readonly name: string
  readonly cachesize?: number | null | undefined
  readonly endpoint: string
  /** Timeout of a call as a duration. Default: "3s". */
  readonly timeout?: string | null | undefined
}
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration | null | undefined
  readonly aescbc?: KeysConfiguration | null | undefined
  readonly secretbox?: KeysConfiguration | null | undefined
  readonly identity?: Readonly<Record<string, never>> | null | undefined
  readonly kms?: KmsConfiguration | null | undefined
}
export interface ResourceConfiguration {
  /** Resource patterns: "secrets", "deployments.apps", "*.apps" (a group), "*." (the core group) or "*.*" (everything). */
  readonly resources: readonly string[]
  /** The providers of these resources. The first one writes, and all of them read. */
  readonly providers: readonly ProviderConfiguration[]
}
export interface EncryptionConfiguration {
  readonly apiVersion: string
  readonly kind: string
  readonly resources: readonly ResourceConfiguration[]
}

export type ShapeResult =
  | { readonly configuration: EncryptionConfiguration; readonly problems?: undefined }
  | { readonly configuration?: undefined; readonly problems: readonly string[] }

/**
 * Checks the structure of a parsed file. Each problem starts with its path: `resources[0].providers[1].kms.name: …`. Problems never contain the
 * value, which may be a secret.
 */
export function checkShape(value: unknown): ShapeResult {
  const result = encryptionConfiguration.safeParse(value)
  if (result.success) return { configuration: result.data }
  return {
    problems: result.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((name) => `unknown field ${JSON.stringify(formatPath([...issue.path, name]))}`)
        : [`${issue.path.length === 0 ? '' : `${formatPath(issue.path)}: `}${issue.message}`],
    ),
  }
}

function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? String(step) : `.${String(step)}`
  return text
}
