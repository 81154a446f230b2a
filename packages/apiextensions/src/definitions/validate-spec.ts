import { appendAll, fieldError, isDNS1035Label, isDNS1123Subdomain, wasSentEmpty } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { validateRules } from '../rules/validate-rules.ts'
import { validateDefaults } from '../schema/validate-defaults.ts'
import type { DefinitionRules } from './definition-rules.ts'
import { listSchemas } from './hub-spec.ts'
import type { HubSpec, HubVersion, Schema, SharedFields } from './hub-spec.ts'
import { printSchema, printVersions, listSetFields } from './internal-text.ts'
import { readSpecFacts } from './spec-facts.ts'
import { findUnsupportedMember, validateStructural } from './structural.ts'
import { runTask } from './tasks.ts'
import { validateConversion } from './validate-conversion.ts'
import { validateNames } from './validate-names.ts'
import { validateSchema } from './validate-schema.ts'
import { validateColumns, validateDeprecationWarning, validateSelectableFields, validateSubresources } from './validate-version-parts.ts'

interface SpecOptions {
  readonly rules: DefinitionRules
  readonly steps: ValidationSteps | undefined
}

/** Validates a spec. The errors are incomplete if the time of this turn is used up. */
export function validateSpec(hubSpec: HubSpec, path: FieldPath, { rules: definitionRules, steps }: SpecOptions): FieldErrorList {
  const { spec, shared, versions } = hubSpec
  const errors: FieldErrorList = [...validateGroup(spec.group, path.child('group')), ...validateScope(spec.scope, path.child('scope'))]
  const keepsUnknown = spec.preserveUnknownFields === true
  const facts = runTask(steps, () => readSpecFacts(listSchemas(hubSpec)))
  if (facts === undefined) return errors
  appendAll(errors, checkSchemaPresence(hubSpec, path.child('versions'), { ...definitionRules, keepsUnknown }))
  if (facts.hasDefaults && keepsUnknown) {
    errors.push(fieldError.invalid(path.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema'))
  }
  const requiresStructuralSchemas = definitionRules.requiresStructuralSchemas || !keepsUnknown || facts.hasDefaults || facts.hasExtensions
  const options: SpecOptions = { rules: { ...definitionRules, requiresStructuralSchemas }, steps }
  for (const [i, version] of versions.entries()) {
    const versionErrors = validateVersion(hubSpec, version, { ...options, path: path.child('versions').index(i) })
    if (versionErrors === undefined) return errors
    appendAll(errors, versionErrors)
  }
  appendAll(errors, checkVersionNames(hubSpec, path))
  appendAll(errors, validateRequiredNames(hubSpec, path.child('names')))
  appendAll(errors, validateNames(spec.names, path.child('names')))
  const [first] = versions
  const sharedErrors = validateParts(shared, path, {
    ...options,
    schemaMember: 'validation',
    versionName: first?.version.name ?? '',
    fieldsName: '',
    hasStatus: [shared, ...versions.map(({ own }) => own)].some(({ subresources }) => subresources?.status !== undefined),
    missingSchema: 'may only be set when validations.schema is included',
  })
  if (sharedErrors === undefined) return errors
  appendAll(errors, sharedErrors)
  const { conversion } = spec
  if (conversion === undefined) return errors
  const conversionPath = path.child('conversion')
  if (conversion.strategy !== 'None' && keepsUnknown) {
    const detail = 'must be None if spec.preserveUnknownFields is true'
    errors.push(fieldError.invalid(conversionPath.child('strategy'), conversion.strategy, detail))
  }
  return [...errors, ...validateConversion(conversion, conversionPath, definitionRules)]
}

function validateGroup(group: string, path: FieldPath): FieldErrorList {
  if (group === '') return [fieldError.required(path)]
  const messages = isDNS1123Subdomain(group)
  if (messages.length > 0) return [fieldError.invalid(path, group, messages.join(','))]
  return group.includes('.') ? [] : [fieldError.invalid(path, group, 'should be a domain with at least one dot')]
}

function validateScope(scope: string, path: FieldPath): FieldErrorList {
  if (scope === '') return [fieldError.required(path)]
  return scope === 'Cluster' || scope === 'Namespaced' ? [] : [fieldError.notSupported(path, scope, ['Cluster', 'Namespaced'])]
}

interface PresenceOptions {
  readonly requiresSchemas: boolean
  readonly keepsUnknown: boolean
}

function checkSchemaPresence({ shared, versions }: HubSpec, path: FieldPath, options: PresenceOptions): FieldErrorList {
  const { requiresSchemas, keepsUnknown } = options
  if (shared.schema?.openAPIV3Schema !== undefined || (!requiresSchemas && keepsUnknown)) return []
  const detail = requiresSchemas ? '' : 'because otherwise all fields are pruned'
  return versions.flatMap(({ version, own }, i) =>
    own.schema?.openAPIV3Schema === undefined && (requiresSchemas || version.served)
      ? [fieldError.required(path.index(i).child('schema', 'openAPIV3Schema'), detail)]
      : [],
  )
}

function checkVersionNames({ spec, versions }: HubSpec, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const names = versions.map(({ version }) => version.name)
  const refuse = (detail: string): void => {
    const printed = printVersions(versions.length === 0 && !wasSentEmpty(spec, 'versions') ? null : versions)
    errors.push(fieldError.invalid(path.child('versions'), printed, detail))
  }
  if (new Set(names).size < names.length) refuse('must contain unique version names')
  if (versions.filter(({ version }) => version.storage).length !== 1) refuse('must have exactly one version marked as storage version')
  const first = names[0] ?? ''
  const messages = first === '' ? [] : isDNS1035Label(first)
  if (messages.length > 0) errors.push(fieldError.invalid(path.child('version'), first, messages.join(',')))
  return errors
}

function validateRequiredNames({ spec: { names } }: HubSpec, path: FieldPath): FieldErrorList {
  return (['plural', 'singular', 'kind', 'listKind'] as const).flatMap((member) =>
    names[member] ? [] : [fieldError.required(path.child(member))],
  )
}

function validateVersion(
  hubSpec: HubSpec,
  { version, own }: HubVersion,
  options: SpecOptions & { readonly path: FieldPath },
): FieldErrorList | undefined {
  const { path } = options
  const messages = isDNS1035Label(version.name)
  const { subresources } = hubSpec.shared.subresources === undefined ? own : hubSpec.shared
  const partErrors = validateParts(own, path, {
    ...options,
    schemaMember: 'schema',
    versionName: version.name,
    fieldsName: version.name,
    hasStatus: subresources?.status !== undefined,
    missingSchema: 'may only be set when `version.schema.openAPIV3Schema` is not included',
  })
  if (partErrors === undefined) return undefined
  return [
    ...(messages.length === 0 ? [] : [fieldError.invalid(path.child('name'), version.name, messages.join(','))]),
    ...validateDeprecationWarning(version.deprecated === true, version.deprecationWarning, path.child('deprecationWarning')),
    ...partErrors,
  ]
}

interface PartsOptions extends SpecOptions {
  /** The member of the internal type that contains the schema. */
  readonly schemaMember: 'schema' | 'validation'
  /** The version that decides whether the schema has changed. */
  readonly versionName: string
  /** The name of the version in `versionsWithTooManyFields`. */
  readonly fieldsName: string
  readonly hasStatus: boolean
  /** The error for selectable fields without a schema. */
  readonly missingSchema: string
}

/** Validates the schema, subresources, columns and selectable fields of a version, or those that all versions share. */
function validateParts(fields: SharedFields, path: FieldPath, options: PartsOptions): FieldErrorList | undefined {
  const { schema, subresources, columns = [], selectableFields = [] } = fields
  const errors: FieldErrorList = []
  if (schema?.openAPIV3Schema !== undefined) {
    const schemaErrors = validateRootSchema(schema.openAPIV3Schema, path.child(options.schemaMember), options)
    if (schemaErrors === undefined) return undefined
    appendAll(errors, schemaErrors)
  }
  appendAll(errors, validateSubresources(subresources, path.child('subresources')))
  appendAll(errors, validateColumns(columns, path.child('additionalPrinterColumns')))
  if (selectableFields.length === 0) return errors
  const at = path.child('selectableFields')
  const root = schema?.openAPIV3Schema
  if (root === undefined) return [...errors, fieldError.invalid(at, '', options.missingSchema)]
  const unsupported = runTask(options.steps, () => findUnsupportedMember(root))
  if (unsupported === undefined) return undefined
  if (unsupported.problem !== undefined) errors.push(fieldError.invalid(path.child('schema.openAPIV3Schema'), '', unsupported.problem))
  const allowsTooMany = options.rules.versionsWithTooManyFields.has(options.fieldsName)
  return [...errors, ...validateSelectableFields(selectableFields, at, { schema: root, allowsTooMany })]
}

function validateRootSchema(root: Schema, validationPath: FieldPath, options: PartsOptions): FieldErrorList | undefined {
  const { rules, steps, hasStatus } = options
  const path = validationPath.child('openAPIV3Schema')
  const errors: FieldErrorList = hasStatus ? checkRootWithStatus(root, validationPath) : []
  if (root.nullable === true) {
    errors.push(fieldError.forbidden(validationPath.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root'))
  }
  let unsupported: string | undefined
  /** Whether the rules of the schema can be compiled, because the values have types. */
  let hasTypes = false
  if (rules.requiresStructuralSchemas) {
    const result = runTask(steps, () => findUnsupportedMember(root))
    if (result === undefined) return undefined
    unsupported = result.problem
    if (unsupported === undefined) {
      const structural = runTask(steps, () => validateStructural(path, root))
      if (structural === undefined) return undefined
      appendAll(errors, structural)
      const defaults = structural.length === 0 ? runTask(steps, () => validateDefaults(root, path, rules)) : []
      if (defaults === undefined) return undefined
      appendAll(errors, defaults)
      hasTypes = structural.length === 0 && defaults.length === 0
    }
  }
  const schemaErrors = runTask(steps, () => validateSchema(path, root, rules))
  if (schemaErrors === undefined) return undefined
  appendAll(errors, schemaErrors.errors)
  if (hasTypes) {
    const isInvalid = (schema: Schema): boolean => schemaErrors.invalid.has(schema)
    const ignoreExpressionCost = rules.unchangedVersions.has(options.versionName)
    const ruleErrors = runTask(steps, () => validateRules(path, root, { isInvalid, ignoreExpressionCost }))
    if (ruleErrors === undefined) return undefined
    appendAll(errors, ruleErrors)
  }
  if (errors.length === 0 && unsupported !== undefined) errors.push(fieldError.invalid(path, '', unsupported))
  return errors
}

const allowedRootFields =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations'

/** Checks that the root has only members that also hold for `status`, which is validated alone in the subresource. */
function checkRootWithStatus(root: Schema, path: FieldPath): FieldErrorList {
  const allowed = new Set(allowedRootFields.split(' '))
  for (const name of listSetFields(root)) {
    if (name === 'Type' && root.type !== 'object') {
      const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      return [fieldError.invalid(path.child('openAPIV3Schema.type'), root.type, detail)]
    }
    if (!allowed.has(name)) {
      const detail = `only [${allowedRootFields}] fields are allowed at the root of the schema if the status subresource is enabled`
      return [fieldError.invalid(path.child('openAPIV3Schema'), printSchema(root), detail)]
    }
  }
  return []
}
