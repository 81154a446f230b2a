import { newInvalid } from '@keelson/apimachinery'
import type { DeepReadonly, FieldError, KubeObject } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { isStandardSchema } from './json-schema.ts'
import type { AnySchema, InputOf, OutputOf, SchemaIssue, StandardSchema, StructuralSchema } from './json-schema.ts'
import { createStructuralSchema } from './structural-schema.ts'

/** The spec can be absent if all of its fields can. */
type SpecToWrite<T> = Partial<T> extends T ? { spec?: T } : { spec: T }

/** An object of a kind as clients read it. */
export type CustomObject<S extends AnySchema, Status extends AnySchema> = KubeObject & { spec: OutputOf<S>; status?: OutputOf<Status> }
/** An object of a kind as clients write it: fields with defaults may be absent. */
export type CustomInput<S extends AnySchema, Status extends AnySchema> = KubeObject & SpecToWrite<InputOf<S>> & { status?: InputOf<Status> }

/** Result of a rule: nothing, a message for the whole object, or a message for a field such as "spec.size". */
export type RuleFinding = string | { readonly field: string; readonly message: string } | undefined | void
/** A rule of a kind. It runs in the server, after defaults are set, when an object is created or updated. */
export type KindRule<T> = (object: DeepReadonly<T>, oldObject: DeepReadonly<T> | undefined) => Promise<RuleFinding> | RuleFinding

export interface KindColumn {
  readonly name: string
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string'
  readonly jsonPath: string
  readonly description?: string
  readonly format?: string
  /** Columns with a priority greater than 0 are shown by `kubectl get -o wide`. */
  readonly priority?: number
}

interface KindNames {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Default: the kind in lower case with an "s", "es" or "ies". */
  readonly plural?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** Default: "Namespaced". */
  readonly scope?: 'Cluster' | 'Namespaced'
}

/** A kind of which the schemas of `spec` and `status` are given. */
export interface KindOptions<S extends AnySchema, Status extends AnySchema> extends KindNames {
  /** Schema of `spec`: of Zod 4.2 or another library with Standard JSON Schema, or a JSON Schema. */
  readonly schema: S
  /** Schema of `status`. Default: the kind has no status. */
  readonly status?: Status
  readonly columns?: readonly KindColumn[]
  readonly selectableFields?: readonly string[]
  /** Paths for the subresource `scale`. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string }
  readonly rules?: readonly KindRule<CustomObject<S, Status>>[]
}

/** A kind of which the definition exists. */
export interface DefinitionOptions<T extends KubeObject> {
  /** The CustomResourceDefinition, or its YAML. */
  readonly definition: Definition | string
  readonly rules?: readonly KindRule<T>[]
}

/** A CustomResourceDefinition. */
export interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: { readonly plural: string; readonly kind: string } & Readonly<Record<string, unknown>>
    readonly versions: readonly ({ readonly name: string; readonly storage: boolean } & Readonly<Record<string, unknown>>)[]
  } & Readonly<Record<string, unknown>>
}

/** A kind in code: its definition, the rules that are functions, and its types. */
export interface CustomKind<T extends KubeObject = KubeObject, Input extends KubeObject = T> {
  /** The CustomResourceDefinition, for `kubectl apply` and any client. */
  readonly definition: Definition
  /** Checks of objects that a definition cannot express, for the option `admission.modules` of a server. Undefined if there are none. */
  readonly module: RulesModule | undefined
  /** Name of the resource with its group, such as "widgets.example.com". */
  readonly resource: string
  readonly apiVersion: string
  readonly kind: string
  /** Only for types: an object as clients read and write it. */
  readonly types?: { readonly object: T; readonly input: Input }
}

interface RuleWrite {
  readonly name: string
  readonly subresource: string
  readonly object: unknown
  readonly oldObject: unknown
}

/** An admission module, see `AdmissionModule` of `@keelson/admission`. */
export interface RulesModule {
  readonly name: string
  readonly resources: Readonly<Record<string, { readonly validate: (write: RuleWrite) => Promise<void> }>>
}

type NoStatus = { readonly type: 'object' }

/**
 * Defines a kind in code. Its objects have the types of the schemas. The server validates, defaults, prunes, documents and applies them as those of any
 * custom resource, and also checks what only code can express: refinements of the schema, and `rules`.
 *
 * @example
 * const widgets = defineKind({
 *   group: 'example.com',
 *   version: 'v1',
 *   kind: 'Widget',
 *   schema: z.object({ size: z.int().max(10).default(3) }),
 *   status: z.object({ phase: z.enum(['Up', 'Down']) }),
 *   columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
 *   rules: [({ spec }, old) => (old !== undefined && spec.size < old.spec.size ? 'a widget cannot shrink' : undefined)],
 * })
 */
export function defineKind<const S extends AnySchema, const Status extends AnySchema = NoStatus>(
  options: KindOptions<S, Status>,
): CustomKind<CustomObject<S, Status>, CustomInput<S, Status>>
export function defineKind<T extends KubeObject>(options: DefinitionOptions<T>): CustomKind<T>
export function defineKind(options: DefinitionOptions<KubeObject> | KindOptions<AnySchema, AnySchema>): CustomKind {
  if ('definition' in options) {
    const { definition, rules = [] } = options
    return createKind(typeof definition === 'string' ? parseDefinition(definition) : definition, rules as readonly KindRule<unknown>[], [])
  }
  const { schema, status, rules = [] } = options
  const checks = Object.entries({ spec: schema, status }).flatMap(([field, value]) =>
    value !== undefined && isStandardSchema(value) ? [{ field, schema: value }] : [],
  )
  return createKind(createDefinition(options), rules as readonly KindRule<unknown>[], checks)
}

function parseDefinition(text: string): Definition {
  const { value } = parseYaml(text)
  const { kind } = (value ?? {}) as Partial<KubeObject>
  if (kind !== 'CustomResourceDefinition') throw new TypeError('definition: the text must be one CustomResourceDefinition')
  return value as unknown as Definition
}

function createDefinition(options: KindOptions<AnySchema, AnySchema>): Definition {
  const {
    group,
    version,
    kind,
    scope = 'Namespaced',
    shortNames,
    categories,
    schema,
    status,
    columns = [],
    selectableFields,
    scale,
  } = options
  const singular = kind.toLowerCase()
  const { plural = guessPlural(singular) } = options
  const spec = readSchema(schema)
  const isSpecOptional = (spec.required ?? []).length === 0
  const openAPIV3Schema: StructuralSchema = {
    type: 'object',
    // Readers always find a spec: it is required, or it has a default.
    ...(!isSpecOptional && { required: ['spec'] }),
    properties: { spec: isSpecOptional ? { default: {}, ...spec } : spec, ...(status !== undefined && { status: readSchema(status) }) },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular, kind, listKind: `${kind}List`, ...(shortNames && { shortNames }), ...(categories && { categories }) },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { ...(status !== undefined && { status: {} }), ...(scale && { scale }) },
          ...(columns.length > 0 && { additionalPrinterColumns: columns }),
          ...(selectableFields && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
        },
      ],
    },
  }
}

function readSchema(schema: AnySchema): StructuralSchema {
  return createStructuralSchema(isStandardSchema(schema) ? schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) : schema)
}

function guessPlural(singular: string): string {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`
}

interface SchemaCheck {
  readonly field: string
  readonly schema: StandardSchema
}

function createKind(definition: Definition, rules: readonly KindRule<unknown>[], checks: readonly SchemaCheck[]): CustomKind {
  const { group, names, versions } = definition.spec
  const { name: version = '' } = versions.find(({ storage }) => storage) ?? {}
  const { plural, kind } = names
  const resource = `${plural}.${group}`
  const validate = async ({ name, object, oldObject }: RuleWrite): Promise<void> => {
    const findings = await Promise.all([
      ...checks.map((check) => checkSchema(check, object)),
      ...rules.map(async (rule) => describeFinding(await rule(object, oldObject))),
    ])
    const errors = findings.flat()
    if (errors.length > 0) throw newInvalid({ group, kind }, name, errors)
  }
  const hasRules = rules.length > 0 || checks.length > 0
  const module = { name: formatModuleName(kind, group), resources: { [resource]: { validate }, [`${resource}/status`]: { validate } } }
  return { definition, module: hasRules ? module : undefined, resource, apiVersion: `${group}/${version}`, kind }
}

/** Returns a name of letters and digits that differs for kinds of different groups. */
function formatModuleName(kind: string, group: string): string {
  return [kind, ...group.split(/[^a-zA-Z0-9]+/)].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

async function checkSchema({ field, schema }: SchemaCheck, object: unknown): Promise<readonly FieldError[]> {
  const value = (object as Readonly<Record<string, unknown>>)[field]
  if (value === undefined) return []
  const { issues = [] } = await schema['~standard'].validate(value)
  return issues.map((issue) => ({ type: 'FieldValueInvalid', field: formatIssuePath(field, issue), detail: issue.message }))
}

function formatIssuePath(field: string, { path = [] }: SchemaIssue): string {
  return path.reduce<string>((text, segment) => {
    const key = typeof segment === 'object' ? segment.key : segment
    return typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`
  }, field)
}

function describeFinding(finding: RuleFinding): readonly FieldError[] {
  if (finding === undefined) return []
  const { field, message } = typeof finding === 'string' ? { field: '<nil>', message: finding } : finding
  return [{ type: 'FieldValueInvalid', field, detail: message }]
}
