import type { JsonObject } from '@keelson/apimachinery'

export const group = 'hostile.example.com'

/** Returns the name of the definition of a kind of objects. */
export function formatDefinitionName(name: string): string {
  return `${formatPlural(name)}.${group}`
}

export function formatPlural(name: string): string {
  return name === 'steady' ? 'steadies' : `${name}s`
}

/**
 * Returns a definition with the versions v1, which is stored, and v2. Its objects have the given schema of `spec`. With a webhook, the webhook
 * converts between the versions.
 */
export function createWidgetDefinition(
  name: string,
  spec: JsonObject = { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
  webhook?: { readonly url: string; readonly caBundle: string },
): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: formatDefinitionName(name) },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: `K${name}`, plural: formatPlural(name) },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        ...(webhook === undefined ? [] : [{ name: 'v2', served: true, storage: false, schema }]),
      ],
      ...(webhook !== undefined && {
        conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: webhook } },
      }),
    },
  }
}
