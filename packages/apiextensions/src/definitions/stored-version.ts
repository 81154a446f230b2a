import type { CustomResourceColumnDefinition, CustomResourceConversion, CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type * as v1beta1 from '@keelson/api/apiextensions/v1beta1'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { normalizeSchemas, setDefinitionDefaults } from './defaults.ts'
import { toHubSpec } from './hub-spec.ts'
import type { Columns, HubVersion, SharedFields } from './hub-spec.ts'

// kube-apiserver stores definitions as v1beta1, which has fields that all versions share only once.

type Stored = v1beta1.CustomResourceDefinition

/** The version of definitions in a store that is shared with kube-apiserver. */
export const storedVersion = 'v1beta1'

export function toStoredDefinition(object: DeepReadonly<KubeObject>): KubeObject {
  const definition = object as DeepReadonly<CustomResourceDefinition>
  const { spec, shared, versions } = toHubSpec(definition.spec)
  const { group, names, scope, conversion, preserveUnknownFields = false } = spec
  const stored = {
    ...definition,
    spec: {
      group,
      ...(versions[0] && { version: versions[0].version.name }),
      names,
      scope,
      ...(shared.schema && { validation: shared.schema }),
      ...toStoredFields(shared),
      versions: versions.map(toStoredVersion),
      ...(conversion && { conversion: toStoredConversion(conversion) }),
      preserveUnknownFields,
    },
  }
  return stored as unknown as KubeObject
}

function toStoredVersion({ version, own }: HubVersion): object {
  const { name, served, storage, deprecated, deprecationWarning } = version
  return {
    name,
    served,
    storage,
    ...(deprecated === true && { deprecated }),
    ...(deprecationWarning !== undefined && { deprecationWarning }),
    ...(own.schema && { schema: own.schema }),
    ...toStoredFields(own),
  }
}

function toStoredFields({ subresources, columns, selectableFields }: SharedFields): object {
  return {
    ...(subresources && { subresources }),
    ...(columns && { additionalPrinterColumns: columns.map(toStoredColumn) }),
    ...(selectableFields && { selectableFields }),
  }
}

function toStoredConversion({ strategy, webhook }: DeepReadonly<CustomResourceConversion>): DeepReadonly<v1beta1.CustomResourceConversion> {
  return {
    strategy,
    ...(webhook?.clientConfig && { webhookClientConfig: webhook.clientConfig }),
    ...(webhook?.conversionReviewVersions && { conversionReviewVersions: webhook.conversionReviewVersions }),
  }
}

export function fromStoredDefinition(object: KubeObject): KubeObject {
  const { spec, ...rest } = object as unknown as Stored
  const { version, validation, subresources, additionalPrinterColumns, selectableFields, versions = [], conversion, ...others } = spec
  const shared = {
    ...(validation && { schema: validation }),
    ...(subresources && { subresources }),
    ...fromStoredColumns(additionalPrinterColumns),
    ...(selectableFields && { selectableFields }),
  }
  const namedVersions = versions.length === 0 && version ? [{ name: version, served: true, storage: true }] : versions
  const { preserveUnknownFields, ...remaining } = others
  const converted = {
    ...rest,
    spec: {
      ...remaining,
      versions: namedVersions.map((customResourceDefinitionVersion) =>
        Object.assign(customResourceDefinitionVersion, fromStoredColumns(customResourceDefinitionVersion.additionalPrinterColumns), shared),
      ),
      ...(conversion && { conversion: fromStoredConversion(conversion) }),
      ...(preserveUnknownFields === true && { preserveUnknownFields }),
    },
  }
  return normalizeSchemas(converted as unknown as CustomResourceDefinition)
}

function toStoredColumn({ jsonPath, ...column }: Columns[number]): v1beta1.CustomResourceColumnDefinition {
  return { ...column, JSONPath: jsonPath }
}

function fromStoredColumn({ JSONPath: jsonPath, ...column }: v1beta1.CustomResourceColumnDefinition): CustomResourceColumnDefinition {
  return { ...column, jsonPath }
}

function fromStoredColumns(columns: Stored['spec']['additionalPrinterColumns']): object {
  if (columns === undefined) return {}
  return { additionalPrinterColumns: columns.map(fromStoredColumn) }
}

function fromStoredConversion(conversion: v1beta1.CustomResourceConversion): CustomResourceConversion {
  const { strategy, webhookClientConfig: clientConfig, conversionReviewVersions } = conversion
  if (clientConfig === undefined && conversionReviewVersions === undefined) return { strategy }
  return { strategy, webhook: { ...(clientConfig && { clientConfig }), conversionReviewVersions: conversionReviewVersions ?? null } }
}

/** Sets the defaults of the stored version in place. They differ from those of v1, and old definitions may rely on them. */
export function setStoredDefaults(object: KubeObject): void {
  const { spec } = object as unknown as Stored
  spec.scope ||= 'Namespaced'
  if ((spec.versions ?? []).length === 0 && spec.version) spec.versions = [{ name: spec.version, served: true, storage: true }]
  spec.preserveUnknownFields ??= true
  if (spec.conversion?.strategy === 'Webhook' && (spec.conversion.conversionReviewVersions ?? []).length === 0) {
    spec.conversion.conversionReviewVersions = [storedVersion]
  }
  const service = spec.conversion?.webhookClientConfig?.service
  if (service !== undefined) service.port ??= 443
  setDefinitionDefaults(object as unknown as CustomResourceDefinition)
}
