import type { FieldSchema, StructSchema } from '@keelson/apimachinery'
import { keySetPath, openIdConfigurationPath } from '@keelson/auth'
import { OpenApiRegistry, createPageSource } from '@keelson/http-installer'

const text = { kind: 'string' } as const
const required = ['major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform']
const optional = ['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor']
const fields: readonly FieldSchema[] = [
  ...required.map((name) => ({ name, type: text, required: true })),
  ...optional.map((name) => ({ name, type: text, omit: 'empty' as const })),
]
const versionInfoSchema: StructSchema = {
  kind: 'struct',
  name: 'Info',
  definition: 'io.k8s.apimachinery.pkg.version.Info',
  fields,
  byName: new Map(fields.map((field) => [field.name, field])),
}

/** Creates a registry with the paths outside API groups: /version and the OpenID documents. */
export function createOpenApi(): OpenApiRegistry {
  const registry = new OpenApiRegistry()
  const json = ['application/json']
  registry.add(
    'version',
    createPageSource({
      path: '/version/',
      description: 'get the version of the server',
      operationId: 'getCodeVersion',
      tag: 'version',
      types: json,
      consumes: json,
      schema: versionInfoSchema,
    }),
  )
  const unspecified = { consumes: [], schema: 'text' as const }
  registry.add(
    openIdConfigurationPath.slice(1),
    createPageSource({
      path: `${openIdConfigurationPath}/`,
      description: 'get the issuer of service account tokens, as OpenID Connect defines it',
      operationId: 'getServiceAccountIssuerOpenIDConfiguration',
      tag: 'WellKnown',
      types: json,
      ...unspecified,
    }),
  )
  registry.add(
    keySetPath.slice(1),
    createPageSource({
      path: `${keySetPath}/`,
      description: 'get the public keys that verify service account tokens',
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      types: ['application/jwk-set+json'],
      ...unspecified,
    }),
  )
  return registry
}
