// zod validates the shape of the operator's file and reports the path of each problem.
import { z } from 'zod'

/** A string. YAML reads a member without a value as `null`, which counts as absent, like in kube-apiserver. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? [])

const key = z.strictObject({ name: text, secret: text })
const keys = z.strictObject({ keys: listOf(key) })
const kms = z.strictObject({
  apiVersion: text,
  name: text,
  cachesize: z.int32().nullish(),
  endpoint: text,
  /** A duration like "3s". */
  timeout: z.string().nullish(),
})
const provider = z.strictObject({
  aesgcm: keys.nullish(),
  aescbc: keys.nullish(),
  secretbox: keys.nullish(),
  identity: z.strictObject({}).nullish(),
  kms: kms.nullish(),
})
const resource = z.strictObject({ resources: listOf(z.string()), providers: listOf(provider) })

/**
 * The shape of an EncryptionConfiguration (apiserver.config.k8s.io/v1). Unknown members are errors. `validateConfiguration` checks the
 * values.
 */
const encryptionConfiguration = z.strictObject({ apiVersion: z.string(), kind: z.string(), resources: listOf(resource) })

export interface Key {
  readonly name: string
  /** Encoded as base64. */
  readonly secret: string
}
export interface KeysConfiguration {
  readonly keys: readonly Key[]
}
export interface KmsConfiguration {
  /** Version of the KMS API. Default "v1", like in kube-apiserver; "v1" is then rejected. */
  readonly apiVersion: string
  readonly name: string
  readonly cachesize?: number | null | undefined
  readonly endpoint: string
  /** Defaults to "3s". */
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
  /** Resource patterns: "secrets", "deployments.apps", "*.apps", "*." for the core group, "*.*". */
  readonly resources: readonly string[]
  /** The first provider writes; all providers read. */
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
 * Checks the shape of a parsed file. Each problem starts with its path: `resources[0].providers[1].kms.name: …`. It never includes the
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
  let out = ''
  for (const step of path) out += typeof step === 'number' ? `[${step}]` : out === '' ? String(step) : `.${String(step)}`
  return out
}
